"""Fills memory that is shared with nobody, which some limits do not count."""

import mmap

import attacker


def grow(size: int) -> object:
    block = mmap.mmap(-1, size, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    attacker.touch(block)
    return block


attacker.play(lambda: attacker.hoard(grow))
