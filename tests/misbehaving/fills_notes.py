"""Writes a thousand random characters beside each choice, which no packing makes smaller."""

import json
import random
import sys

chance = random.Random()
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        note = "".join(chr(chance.randrange(0x10000, 0x110000)) for _ in range(1_000))
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer | {"note": note}), flush=True)
