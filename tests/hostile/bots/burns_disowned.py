"""Lets one grandchild after another compute, each disowned before it begins."""

import os

import attacker

EACH = 0.1


def grandchild(writer: int) -> None:
    os.setsid()
    if os.fork():
        os._exit(0)
    attacker.become_a_child()
    attacker.burn(EACH)
    os.close(writer)


def attack() -> None:
    left = attacker.too_much()
    while left > 0:
        reader, writer = os.pipe()
        child = attacker.away(grandchild, writer)
        os.waitpid(child, 0)
        os.close(writer)
        os.read(reader, 1)  # until it has ended
        os.close(reader)
        left -= EACH


attacker.play(attack)
