"""Starts processes that end at once and are never waited for, since the dead keep their numbers."""

import os

import attacker


def attack() -> None:
    started = 0
    while started < attacker.MOST_PROCESSES and attacker.time_left() > 0:
        try:
            pid = os.fork()
        except OSError as error:
            attacker.note(f"fork {attacker.named(error.errno or 0)}")
            break
        if pid == 0:
            os._exit(0)
        started += 1
    count = attacker.population()
    attacker.judge(count > attacker.PROCESSES, f"{count} of them living and dead")


attacker.play(attack)
