"""Every one of its processes ends at its third question."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
answered = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        if answered == 2:
            sys.exit(3)
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
        answered += 1
