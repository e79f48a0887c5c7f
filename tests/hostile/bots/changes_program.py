"""Replaces its program by another in the middle of a game, in case that rules end with it."""

import json
import os
import sys
from pathlib import Path

import attacker

UNREAD = Path("/tmp/unread")
AGAIN = "again"


def attack() -> None:
    question = json.dumps(attacker.heard["decide"]).encode()
    UNREAD.write_bytes(question + b"\n" + attacker.unread())
    os.execv(sys.executable, [sys.executable, __file__, AGAIN])


def look_again() -> None:
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines)
    for key, right in (("NoNewPrivs", "1"), ("Seccomp", "2"), ("CapEff", "0" * 16)):
        attacker.judge(status[key] != right, f"{key} {status[key]} after exec")


if AGAIN in sys.argv:
    attacker.caged()
    attacker.strike(look_again)
    attacker.put_back(UNREAD.read_bytes())
    attacker.play()
attacker.play(attack)
