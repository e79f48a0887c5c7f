"""Plays well, but leaves three children behind: a plain one, one in a session of its own and a
grandchild that got away from both its parent and the session.
"""

import json
import os
import signal
import sys


def stay() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


reader, writer = os.pipe()
for away, twice in ((False, False), (True, False), (True, True)):
    child = os.fork()
    if child == 0:
        if away:
            os.setsid()
        if twice and os.fork():
            os._exit(0)
        os.write(writer, b"1")
        stay()
    if twice:
        os.waitpid(child, 0)
    os.read(reader, 1)

print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
