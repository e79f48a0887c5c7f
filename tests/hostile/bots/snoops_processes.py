"""Reads what the kernel tells about processes of others: their environment, arguments and files."""

import os
from pathlib import Path

import attacker

SECRET = b"STICHKAMPF_TEST_SECRET"


def attack() -> None:
    own = {os.getpid(), 1}
    foreign = attacker.pids() - own
    attacker.judge(bool(foreign), f"foreign processes {sorted(foreign)[:20]}")
    for pid in range(1, 400):  # also what a listing hides
        folder = Path(f"/proc/{pid}")
        if pid not in own and folder.exists():
            attacker.breach(f"process {pid} is there")
        for name in ("environ", "cmdline", "status", "maps"):
            try:
                text = (folder / name).read_bytes()
            except OSError:
                continue
            if SECRET in text:
                attacker.breach(f"the secret is in {folder / name}")
    words = Path("/proc/1/cmdline").read_bytes().split(b"\0")
    paths = [word for word in words if word.startswith(b"/") and b":" not in word]
    hosts = [path for path in paths if not os.path.exists(path)]
    attacker.judge(bool(hosts), f"paths of the host in its arguments: {hosts}")


attacker.play(attack)
