"""Drinks from /dev/random and /dev/zero as much as it can, to use up the chance of all others."""

import os
import time

import attacker


def attack() -> None:
    for path in ("/dev/random", "/dev/urandom", "/dev/zero"):
        until, total = time.monotonic() + 0.15, 0
        try:
            source = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            while time.monotonic() < until:
                total += len(os.read(source, 1 << 16))
            os.close(source)
        except OSError as error:
            attacker.note(f"{path} {attacker.named(error.errno or 0)}")
        attacker.note(f"{total} bytes from {path}")


attacker.play(attack)
