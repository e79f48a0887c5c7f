"""Lets one child after another compute, and has the kernel forget each when it ends."""

import os
import signal

import attacker

EACH = 0.2


def attack() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    left = attacker.too_much()
    while left > 0:
        reader, writer = os.pipe()
        attacker.away(attacker.burn, EACH)
        os.close(writer)
        os.read(reader, 1)  # until it has ended
        os.close(reader)
        left -= EACH


attacker.play(attack)
