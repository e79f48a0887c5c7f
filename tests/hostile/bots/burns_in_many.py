"""Lets eight children compute at once, each for less time than it has itself."""

import os

import attacker


def attack() -> None:
    each = attacker.too_much() / 8
    children = [attacker.away(attacker.burn, each, lifetime=60) for _ in range(8)]
    for child in children:
        os.waitpid(child, 0)


attacker.play(attack)
