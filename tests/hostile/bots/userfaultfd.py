"""Handles its own page faults, with which it could stop the kernel in the middle of a step."""

import os

import attacker

CLOSE_ON_EXEC, USER_MODE_ONLY = 0o2000000, 1


def attack() -> None:
    for flags in (0, CLOSE_ON_EXEC, USER_MODE_ONLY, USER_MODE_ONLY | CLOSE_ON_EXEC):
        result = attacker.call("userfaultfd", flags)
        attacker.denied(f"flags {flags}", result)
        if result >= 0:
            os.close(result)
    attacker.attempt("/dev/userfaultfd", os.open, "/dev/userfaultfd", os.O_RDWR)


attacker.play(attack)
