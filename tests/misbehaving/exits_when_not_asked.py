"""Gives its third answer and ends, so that nobody is there to be asked a fourth time."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
        if message["id"] == 3:
            sys.exit(7)
