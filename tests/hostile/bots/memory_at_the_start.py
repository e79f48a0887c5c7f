"""Fills its memory before it says that it is ready, when no game is going on that it could lose."""

import mmap

import attacker


def grow(size: int) -> object:
    block = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    attacker.touch(block)
    return block


attacker.play(lambda: attacker.hoard(grow), "before ready")
