"""Writes a line that never ends, to fill the referee's memory with it."""

import attacker


def attack() -> None:
    for _ in range(256):
        attacker.say(b"x" * attacker.MIB)
        if attacker.time_left() < 0:
            break


attacker.play(attack, harmless=True)
