"""Cores: a referee and its bots share one, because to wake a process on another takes long."""

import os


def pin(number: int) -> None:
    """Keep this process, and all it starts from now on, on one of the cores it may use."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})
