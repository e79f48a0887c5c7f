"""Counts what the processor does, to see through its caches what others think."""

import ctypes
import os

import attacker

HARDWARE, SOFTWARE, TRACEPOINT = 0, 1, 2
USER_ONLY = 1 << 5 | 1 << 6  # neither the kernel nor the hypervisor


def attack() -> None:
    for kind in (HARDWARE, SOFTWARE, TRACEPOINT):
        for flags in (0, USER_ONLY):
            event = (ctypes.c_uint64 * 16)()
            event[0] = kind | 128 << 32
            event[5] = flags
            for pid, core in ((0, -1), (-1, 0), (1, -1)):
                result = attacker.call("perf_event_open", event, pid, core, -1, 8)
                attacker.denied(f"kind {kind} of {pid}", result)
                if result >= 0:
                    os.close(result)


attacker.play(attack)
