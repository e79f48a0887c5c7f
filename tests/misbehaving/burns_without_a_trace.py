"""Lets a grandchild compute that has a session and an environment of its own."""

import json
import os
import sys
import time

BURN = "while True: pass"
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        if message["id"] == 3:
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", BURN], {})  # noqa: S606 (no shell)
                os._exit(0)
            time.sleep(3600)
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
