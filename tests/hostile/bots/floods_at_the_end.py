"""Writes without end when all is over and nobody reads any more, so that it cannot be ended."""

import os
import signal
import threading

import attacker


def attack() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    attacker.become_a_child()
    for stream in (1, 2):
        os.set_blocking(stream, True)
        threading.Thread(target=flood, args=(stream,)).start()


def flood(stream: int) -> None:
    for _ in range(64):
        attacker.write(stream, b"x" * attacker.MIB)


attacker.play(attack, "at the end")
