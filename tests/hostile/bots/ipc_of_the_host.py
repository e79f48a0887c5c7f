"""Opens shared memory and message queues of the host's programs."""

import os
from pathlib import Path

import attacker

KEY = 0x53544943
QUEUE = b"stichkampf-test"


def attack() -> None:
    for name, extra in (("shmget", (0, 0)), ("msgget", (0,)), ("semget", (0, 0))):
        attacker.refused(name, attacker.call(name, KEY, *extra))
    for kind in ("shm", "msg", "sem"):
        path = Path("/proc/sysvipc") / kind
        rows = path.read_text().splitlines()[1:] if path.exists() else []
        attacker.judge(bool(rows), f"{len(rows)} of {kind}")
    for segment in range(64):
        start = attacker.call("shmat", segment, None, 0o10000)
        if not -4096 < start < 0:
            attacker.breach(f"attached segment {segment}")
    attacker.refused(
        "mq_open", attacker.call("mq_open", QUEUE, os.O_RDONLY | os.O_NONBLOCK, 0, None)
    )
    for folder in ("/dev/shm", "/dev/mqueue"):
        names = os.listdir(folder) if os.path.isdir(folder) else []
        attacker.judge(bool(names), f"{folder} holds {names[:5]}")


attacker.play(attack)
