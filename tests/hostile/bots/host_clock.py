"""Turns the clock of the machine back, to have more time than the others."""

import ctypes
import time

import attacker

REALTIME, MONOTONIC, TAI = 0, 1, 11
ADJ_STATUS, ADJ_TICK = 0x0010, 0x4000


def attack() -> None:
    # To what it is anyway: who may set the clock to that may set it to anything.
    now = time.time_ns()
    seconds = (ctypes.c_long * 2)(now // 10**9, now % 10**9)
    micros = (ctypes.c_long * 2)(now // 10**9, now % 10**9 // 1000)
    for clock in (REALTIME, MONOTONIC, TAI):
        attacker.refused(f"clock {clock}", attacker.call("clock_settime", clock, seconds))
    attacker.refused("settimeofday", attacker.call("settimeofday", micros, None))
    adjustment = (ctypes.c_long * 32)()
    attacker.call("clock_adjtime", REALTIME, adjustment)
    for mode in (ADJ_STATUS, ADJ_TICK):
        adjustment[0] = mode
        attacker.refused(f"adjust {mode}", attacker.call("clock_adjtime", REALTIME, adjustment))
    try:
        time.clock_settime(time.CLOCK_REALTIME, time.time())
        attacker.breach("by library")
    except OSError:
        attacker.note("by library")


attacker.play(attack)
