"""Calls itself so deep, in a thread with a huge stack, that the stack takes all memory."""

import ctypes
import sys
import threading

import attacker

STACK = 480 * attacker.MIB
FRAME = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
deepest = 0


def deeper(level: int) -> int:
    global deepest
    deepest = level
    return again(level + 1) if level < 900_000 and attacker.time_left() > 0 else 0


again = FRAME(deeper)


def attack() -> None:
    sys.setrecursionlimit(10**9)
    threading.stack_size(STACK)
    thread = threading.Thread(target=again, args=(0,), daemon=True)
    try:
        thread.start()
    except (RuntimeError, MemoryError) as error:
        attacker.note(f"no such stack: {error}")
        return
    thread.join(2)
    with open("/proc/self/status") as status:
        held = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) >> 10
    attacker.judge(held << 20 > attacker.MEMORY, f"{held} MiB, {deepest} calls deep")


attacker.play(attack)
