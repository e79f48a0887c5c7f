"""Lets one child after another compute, and has the kernel forget each when it ends."""

import json
import os
import signal
import sys
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        while message["id"] == 3:
            if os.fork() == 0:
                while time.process_time() < 0.2:
                    pass
                os._exit(0)
            time.sleep(0.3)
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
