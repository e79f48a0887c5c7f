"""Its third question makes it fill its memory."""

import json
import sys
import time

hoard: list[bytes] = []
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        while message["id"] == 3:
            if len(hoard) < 32:
                hoard.append(b"x" * (4 << 20))
            time.sleep(0.005)
        print(json.dumps(answer), flush=True)
