"""Goes on computing after its third answer, when it was not asked anything."""

import json
import sys
import time

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
        spent = time.process_time()
        while message["id"] == 3 and time.process_time() < spent + 0.6:
            pass
