"""Writes to a device that is always full, and to those that take everything."""

import os

import attacker


def attack() -> None:
    for path in ("/dev/full", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"):
        try:
            sink = os.open(path, os.O_WRONLY)
            for _ in range(200):
                os.write(sink, b"x" * 65_536)
            os.close(sink)
            attacker.note(f"{path} takes it")
        except OSError as error:
            attacker.note(f"{path} {attacker.named(error.errno or 0)}")


attacker.play(attack)
