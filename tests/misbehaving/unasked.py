"""Answers a question that it was not asked, and then its third."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            print(json.dumps(answer | {"id": 1_000_000}), flush=True)
        print(json.dumps(answer), flush=True)
