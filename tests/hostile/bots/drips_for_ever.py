"""Writes a byte now and then, of an answer that never ends, to look as if it were still at it."""

import time

import attacker


def attack() -> None:
    attacker.say(b'{"type": "choose", "note": "')
    until = time.monotonic() + attacker.too_long()
    while time.monotonic() < until:
        attacker.say(b".")
        time.sleep(0.02)


attacker.play(attack, harmless=True)
