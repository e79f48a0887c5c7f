"""Its third question makes it compute in one grandchild after another, each of which it disowns."""

import json
import os
import sys
import time

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        while message["id"] == 3:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                if os.fork() == 0:
                    while time.process_time() < 0.1:
                        pass
                os._exit(0)
            os.waitpid(child, 0)
            os.close(writer)
            os.read(reader, 1)
            os.close(reader)
        print(json.dumps(answer), flush=True)
