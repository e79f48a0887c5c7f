"""Flees when all is over: each of its processes starts the next one and ends."""

import os
import signal
import time

import attacker


def attack() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    attacker.become_a_child()
    until = time.monotonic() + attacker.LIFETIME
    for _ in range(attacker.MOST_PROCESSES):
        if time.monotonic() > until:
            break
        try:
            if os.fork():
                os._exit(0)
            attacker.become_a_child()
        except OSError:
            pass
        time.sleep(0.003)
    attacker.wait_for_the_end()


attacker.play(attack, "at the end")
