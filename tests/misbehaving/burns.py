"""Its third question makes it compute for ever."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        while message["id"] == 3:
            pass
        print(json.dumps(answer), flush=True)
