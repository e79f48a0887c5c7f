"""Fills its memory by every way to get some that is its own: mmap, the heap and brk."""

import ctypes
import mmap

import attacker

attacker.libc.sbrk.restype = ctypes.c_void_p
routes = 0


def by_mmap(size: int) -> object:
    block = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    attacker.touch(block)
    return block


def by_brk(size: int) -> object:
    start = attacker.libc.sbrk(ctypes.c_long(size))
    if start in (None, ctypes.c_void_p(-1).value):
        return by_mmap(size)
    return ctypes.memset(start, 120, size)


def grow(size: int) -> object:
    global routes
    routes += 1
    return [by_mmap, by_brk, bytearray(b"x").__mul__][routes % 3](size)


attacker.play(lambda: attacker.hoard(grow))
