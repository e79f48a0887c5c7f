"""Closes its stdin and stays, so that the referee writes to nobody."""

import os
import time

import attacker


def attack() -> None:
    attacker.say(attacker.first_option(attacker.heard["decide"]))
    os.close(0)
    time.sleep(attacker.too_long())
    os._exit(0)


attacker.play(attack, harmless=True)
