"""Takes a modest amount of memory in each of 24 processes, in case that each has its own limit."""

import mmap
import os
import time

import attacker

COUNT = 24
BLOCKS = 25
BLOCK = 4 * attacker.MIB


def attack() -> None:
    with open("/dev/shm/filled", "wb+") as file:  # which all of them see: how many blocks each has
        file.truncate(mmap.PAGESIZE)
        filled = mmap.mmap(file.fileno(), mmap.PAGESIZE)

    def hold(number: int) -> None:
        kept = []
        for have in range(BLOCKS):
            block = mmap.mmap(-1, BLOCK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            attacker.touch(block)
            kept.append(block)
            filled[number] = have + 1
        time.sleep(5)

    children = [attacker.away(hold, number, lifetime=5) for number in range(COUNT)]
    while attacker.time_left() > 0 and sum(filled[:COUNT]) < COUNT * BLOCKS:
        time.sleep(0.05)
    time.sleep(0.3)
    # Whoever has ended by now was killed, and holds nothing.
    alive = [number for number, pid in enumerate(children) if not os.waitpid(pid, os.WNOHANG)[0]]
    held = sum(filled[number] for number in alive) * BLOCK
    attacker.judge(
        held > attacker.MEMORY,
        f"{held // attacker.MIB} MiB at once, {COUNT - len(alive)} of {COUNT} were killed",
    )


attacker.play(attack)
