"""Thinks for longer than it may and answers many times, old questions too, to share the time."""

import json
import sys
import time

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        until = time.process_time() + 0.1
        while 1 < message["id"] < 12 and time.process_time() < until:
            pass
        old, new = json.dumps(answer | {"id": 1}) + "\n", json.dumps(answer) + "\n"
        print((old + new) * 25 if message["id"] > 1 else new, end="", flush=True)
