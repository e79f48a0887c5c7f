"""Lets hundreds of children compute for a moment each, gone and forgotten before anybody looks."""

import os
import signal

import attacker

EACH = 0.012


def attack() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    left = attacker.too_much()
    while left > 0:
        reader, writer = os.pipe()
        for _ in range(2):
            attacker.away(attacker.burn, EACH)
        os.close(writer)
        os.read(reader, 1)  # until both have ended
        os.close(reader)
        left -= 2 * EACH


attacker.play(attack)
