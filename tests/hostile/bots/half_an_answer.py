"""Writes the first half of its answer, and lets the referee wait for the other one."""

import time

import attacker


def attack() -> None:
    attacker.say(b'{"type": "choose", "id": %d,' % attacker.heard["decide"]["id"])
    time.sleep(attacker.too_long())


attacker.play(attack, harmless=True)
