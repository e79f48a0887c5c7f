"""Its third question makes it sleep, which costs no CPU time."""

import json
import sys
import time

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            time.sleep(3600)
        print(json.dumps(answer), flush=True)
