"""Takes other cores, a higher priority and real time from those that have to wait for it."""

import ctypes
import os
import resource

import attacker

FIFO, ROUND_ROBIN, DEADLINE = 1, 2, 6
REALTIME = 1 << 13


class Attributes(ctypes.Structure):
    """What sched_setattr takes."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    ]


def attack() -> None:
    everywhere = (ctypes.c_ulong * 16)(*[2**64 - 1] * 16)
    attacker.refused("affinity", attacker.call("sched_setaffinity", 0, 128, everywhere))
    attacker.attempt("affinity by library", os.sched_setaffinity, 0, os.sched_getaffinity(0))
    lowest = os.getpriority(os.PRIO_PROCESS, 0)
    attacker.attempt("nice", os.setpriority, os.PRIO_PROCESS, 0, lowest - 1)
    for policy in (FIFO, ROUND_ROBIN):
        result = attacker.call("sched_setscheduler", 0, policy, ctypes.c_int(1))
        attacker.refused(f"policy {policy}", result)
    deadline = Attributes(48, DEADLINE, 0, 0, 0, 10**7, 2 * 10**7, 2 * 10**7)
    attacker.refused("deadline", attacker.call("sched_setattr", 0, deadline, 0))
    attacker.refused("input and output", attacker.call("ioprio_set", 1, 0, REALTIME))
    for limit in (resource.RLIMIT_RTPRIO, resource.RLIMIT_NICE):
        hard = resource.getrlimit(limit)[1]
        attacker.judge(hard != 0, f"limit {limit} is {hard}")


attacker.play(attack)
