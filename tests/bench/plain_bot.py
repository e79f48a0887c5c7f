"""A bot as one writes it in ten minutes: standard library, line by line, the first option."""

import json
import sys

GAMES = int(sys.argv[1])

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "games": GAMES}), flush=True)
    elif message["type"] == "decide":
        choice = message["options"][0]
        print(json.dumps({"type": "choose", "id": message["id"], "choice": choice}), flush=True)
