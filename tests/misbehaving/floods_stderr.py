"""Plays well, and writes half a megabyte to stderr with every tenth answer."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] % 10 == 0:
            print("thinking... " * 40_000, file=sys.stderr)
        print(json.dumps(answer), flush=True)
