"""Writes nonsense to its stdout as fast as it can, so that the referee has no time for others."""

import attacker


def attack() -> None:
    for _ in range(64):
        attacker.say(b"nonsense\n" * (attacker.MIB // 9))
        if attacker.time_left() < 0:
            break


attacker.play(attack, harmless=True)
