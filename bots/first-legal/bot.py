"""Always chooses the first option, as the referee does for a bot that cannot choose."""

import json
import sys

print(json.dumps({"type": "ready", "name": "first-legal", "games": 1000}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][0]}
        print(json.dumps(answer), flush=True)
