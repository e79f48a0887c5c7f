"""Closes its stdin after its second answer and stays."""

import json
import os
import sys
import time

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 2:
            os.close(0)
        print(json.dumps(answer), flush=True)
        if message["id"] == 2:
            time.sleep(3600)
