"""Keeps its memory in files in /tmp, where it is no process' memory."""

import attacker


def attack() -> None:
    size = attacker.fill("/tmp")
    attacker.judge(size > attacker.TMP, f"{size} bytes in /tmp")


attacker.play(attack)
