"""Lifts every limit that it was given, its own and that of its parent."""

import ctypes
import os
import resource

import attacker

LIMITED = {
    "RLIMIT_FSIZE": attacker.FILE,
    "RLIMIT_NOFILE": attacker.FILES,
    "RLIMIT_CORE": 1,
    "RLIMIT_RTPRIO": 0,
    "RLIMIT_MSGQUEUE": 819_200,
}


def attack() -> None:
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    for name in names:
        number = getattr(resource, name)
        _, hard = resource.getrlimit(number)
        if hard == resource.RLIM_INFINITY:
            attacker.judge(name in LIMITED, f"{name} is not limited")
            continue
        attacker.judge(hard > LIMITED.get(name, hard), f"{name} is {hard}")
        for more in (hard + 1, resource.RLIM_INFINITY):
            try:
                resource.setrlimit(number, (hard, more))
                attacker.breach(f"{name} lifted")
            except (OSError, ValueError):
                attacker.note(f"{name} stays")
    endless = (ctypes.c_uint64 * 2)(2**64 - 1, 2**64 - 1)
    for pid in (1, os.getppid()):
        result = attacker.call("prlimit64", pid, resource.RLIMIT_NOFILE, endless, None)
        attacker.refused(f"prlimit of {pid}", result)


attacker.play(attack)
