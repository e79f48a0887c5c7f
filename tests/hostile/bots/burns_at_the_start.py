"""Computes before it says that it is ready, when there is no question yet to charge it for."""

import attacker


def attack() -> None:
    limits = attacker.heard["hello"].get("limits")
    attacker.burn(1.5 * limits["start"] + 0.5 if limits else 1.0)


attacker.play(attack, "before ready", harmless=True)
