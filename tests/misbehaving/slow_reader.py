"""Plays well, but lets its questions pile up for a while before it reads the first."""

import json
import sys
import time

print('{"type":"ready","games":1000}', flush=True)
time.sleep(0.5)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
