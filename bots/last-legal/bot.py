"""Always chooses the last option."""

import json
import sys

print(json.dumps({"type": "ready", "name": "last-legal", "games": 1000}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
