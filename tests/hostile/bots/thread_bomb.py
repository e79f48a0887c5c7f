"""Starts threads without end, since each of them takes a process number too."""

import _thread
import threading
import time

import attacker


def attack() -> None:
    threading.stack_size(65_536)
    started = 0
    while started < attacker.MOST_PROCESSES and attacker.time_left() > 0:
        try:
            _thread.start_new_thread(time.sleep, (attacker.LIFETIME,))
        except RuntimeError:
            break
        started += 1
    count = attacker.population()
    attacker.judge(count > attacker.PROCESSES, f"{count} threads at once")


attacker.play(attack)
