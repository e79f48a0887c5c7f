"""Lets processes start processes that start processes, so that none are left for anybody else."""

import os
import time

import attacker


def attack() -> None:
    allowance, tokens = os.pipe()
    os.write(tokens, b"x" * attacker.MOST_PROCESSES)
    os.set_blocking(allowance, False)
    main = os.getpid()
    failures = 0
    while failures < 10 and attacker.time_left() > 0:
        try:
            os.read(allowance, 1)
        except BlockingIOError:
            break
        try:
            if os.fork() == 0:
                attacker.become_a_child()
        except OSError:
            failures += 1
            time.sleep(0.005)
    if os.getpid() != main:
        attacker.wait_for_the_end()
    count = attacker.population()
    attacker.judge(count > attacker.PROCESSES, f"{count} processes at once")


attacker.play(attack)
