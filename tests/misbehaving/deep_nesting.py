"""Its third answer is brackets within brackets."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            print("[" * 30_000, flush=True)
            continue
        print(json.dumps(answer), flush=True)
