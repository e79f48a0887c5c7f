"""Sleeps when it is asked, which takes no CPU time that could be counted."""

import time

import attacker

attacker.play(lambda: time.sleep(attacker.too_long()), harmless=True)
