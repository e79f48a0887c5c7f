"""Takes a modest amount of memory in each of 24 processes, in case that each has its own limit."""

import mmap
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

    numbers = {attacker.away(hold, number, lifetime=6): number for number in range(COUNT)}
    children = list(numbers)
    while attacker.time_left() > 0 and sum(filled[:COUNT]) < COUNT * BLOCKS:
        time.sleep(0.05)

    def held() -> int:
        """Bytes held by the processes that still run; any that has ended was killed."""
        return sum(filled[numbers[pid]] for pid in attacker.drop_ended(children)) * BLOCK

    attacker.judge(
        attacker.breach_lasts(lambda: held() > attacker.MEMORY),
        f"{held() // attacker.MIB} MiB at once, {COUNT - len(children)} of {COUNT} were killed",
    )


attacker.play(attack)
