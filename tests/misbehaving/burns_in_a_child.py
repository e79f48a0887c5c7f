"""Its third question makes it let a child compute, and wait for it."""

import json
import os
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            child = os.fork()
            while child == 0:
                pass
            os.wait()
        print(json.dumps(answer), flush=True)
