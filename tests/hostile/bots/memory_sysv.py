"""Fills shared memory of the old kind and lets go of it, so that it belongs to no process."""

import ctypes

import attacker

IPC_CREAT = 0o1000


def grow(size: int) -> object:
    segment = attacker.call("shmget", 0, size, IPC_CREAT | 0o600)
    if segment < 0:
        raise OSError(-segment, "shmget")
    start = attacker.call("shmat", segment, None, 0)
    if -4096 < start < 0:
        raise OSError(-start, "shmat")
    ctypes.memset(start, 120, size)
    attacker.call("shmdt", start)
    return segment


attacker.play(lambda: attacker.hoard(grow))
