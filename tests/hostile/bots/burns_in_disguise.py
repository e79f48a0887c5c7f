"""Lets children compute whose names look like something else in a list of processes."""

import os

import attacker

NAMES = [b") R 1 1 1 (", b"bwrap", b"(sd-pam) 0 0\n1", b"kworker/0:1", b"\x1b[2J\x00"]


def disguised(name: bytes, seconds: float) -> None:
    os.setsid()
    attacker.rename(name)
    attacker.burn(seconds)


def attack() -> None:
    each = attacker.too_much() / len(NAMES)
    children = [attacker.away(disguised, name, each, lifetime=60) for name in NAMES]
    for child in children:
        os.waitpid(child, 0)


attacker.play(attack)
