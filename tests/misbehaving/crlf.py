"""Plays well, with the line ends of Windows, which are white space to JSON."""

import json
import sys

print('{"type":"ready","games":1000}', end="\r\n", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), end="\r\n", flush=True)
