"""Its third question makes it die from a signal."""

import json
import os
import signal
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        print(json.dumps(answer), flush=True)
