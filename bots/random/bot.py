"""Chooses any option, by the seed it is told, so that its games can be repeated."""

import json
import random
import sys

chances = {}
print(json.dumps({"type": "ready", "name": "random", "games": 1000}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        chances[message["game"]] = random.Random(message["seed"])
    elif message["type"] == "decide":
        choice = chances[message["game"]].choice(message["options"])
        print(json.dumps({"type": "choose", "id": message["id"], "choice": choice}), flush=True)
    elif message["type"] == "result":
        del chances[message["game"]]
