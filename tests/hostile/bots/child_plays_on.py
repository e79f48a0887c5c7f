"""Ends, and lets a disowned child play on whose time nobody might count."""

import os

import attacker


def attack() -> None:
    if os.fork():
        os._exit(0)
    attacker.become_a_child()
    os.setsid()


attacker.play(attack)
