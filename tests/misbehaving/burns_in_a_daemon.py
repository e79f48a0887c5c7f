"""Its third question makes it compute in a grandchild in a session of its own, and wait."""

import json
import os
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            reader, writer = os.pipe()
            if os.fork() == 0:
                os.setsid()
                if os.fork():
                    os._exit(0)
                while True:
                    pass
            os.close(writer)
            os.wait()
            os.read(reader, 1)
        print(json.dumps(answer), flush=True)
