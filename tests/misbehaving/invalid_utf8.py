"""There are bytes in its third answer that are not UTF-8."""

import json
import sys

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["id"] == 3:
            sys.stdout.buffer.write(b'{"type":"choose","id":3,"choice":"R\xff7"}\n')
            sys.stdout.flush()
            continue
        print(json.dumps(answer), flush=True)
