"""Ends while a daemon of its holds on to its stdout, so that nobody sees the end of it."""

import os

import attacker


def hold() -> None:
    os.setsid()
    if os.fork():
        os._exit(0)
    attacker.become_a_child()
    attacker.wait_for_the_end()


def attack() -> None:
    pid = attacker.away(hold)
    os.waitpid(pid, 0)
    os._exit(0)


attacker.play(attack)
