"""Fills memory in processes whose first thread has ended, so that they look as if they had none."""

import mmap
import os
import threading
import time

import attacker

COUNT = 8
BLOCKS = 25
BLOCK = 8 * attacker.MIB
ENOUGH = attacker.MEMORY * 3 // 2
SEEN = "/dev/shm/stichkampf-seen"


def headless() -> None:
    """End the first thread of this process, and hold memory in another one."""
    threading.Thread(target=hold).start()
    attacker.call("exit", 0)


def hold() -> None:
    time.sleep(0.1)  # until the first thread is gone
    kept = []
    for _ in range(BLOCKS):
        block = mmap.mmap(-1, BLOCK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        attacker.touch(block)
        kept.append(block)
        with open(SEEN, "ab", buffering=0) as seen:
            seen.write(b"x")
    time.sleep(5)
    os._exit(0)


def attack() -> None:
    children = [attacker.away(headless, lifetime=6) for _ in range(COUNT)]
    held = 0
    while held <= ENOUGH and attacker.time_left() > -3:  # busy machines are slow
        time.sleep(0.05)
        held = os.path.getsize(SEEN) * BLOCK if os.path.exists(SEEN) else 0

    def is_breach() -> bool:
        return held > attacker.MEMORY and len(attacker.drop_ended(children)) == COUNT

    attacker.judge(
        attacker.breach_lasts(is_breach),
        f"{held // attacker.MIB} MiB, {COUNT - len(children)} of {COUNT} processes were killed",
    )


attacker.play(attack)
