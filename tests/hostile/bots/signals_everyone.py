"""Kills everybody else, by number and all at once, to be the last one at the table."""

import os
import signal

import attacker


def attack() -> None:
    reached = []
    for pid in range(2, 32_769):
        if pid != os.getpid():
            try:
                os.kill(pid, 0)  # the signal that harms nobody shows whether another would arrive
                reached.append(pid)
            except ProcessLookupError:
                continue
            except PermissionError:
                attacker.breach(f"process {pid} is there, though another's")
    attacker.judge(bool(reached), f"reaches {reached[:20]}")
    foreign = attacker.pids() - {1, os.getpid()}
    if reached or foreign:
        attacker.breach(f"sees {sorted(foreign)[:20]}")
        return  # who could be killed is not killed
    for how in (signal.SIGTERM, signal.SIGKILL):
        attacker.attempt(f"{how.name} to all", os.kill, -1, how)
    for group in (2, 3, 10, os.getppid()):
        if group not in {1, os.getpgrp()}:
            attacker.attempt(f"to group {group}", os.killpg, group, signal.SIGKILL)


attacker.play(attack)
