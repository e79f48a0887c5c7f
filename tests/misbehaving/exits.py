"""Its third question makes it end, with a reason on stderr."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            sys.exit("division by zero, or so")
        print(json.dumps(answer), flush=True)
