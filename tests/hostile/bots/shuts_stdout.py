"""Closes its stdout and stays, so that the referee waits for an answer that cannot come."""

import os
import time

import attacker


def attack() -> None:
    os.close(1)
    time.sleep(attacker.too_long())


attacker.play(attack, harmless=True)
