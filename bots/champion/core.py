"""The compiled core, and the chance that a decision is made with."""

import ctypes
from pathlib import Path

LIBRARY = ctypes.CDLL(str(Path(__file__).with_name("champion.so")))

MASK = (1 << 64) - 1


def mixed(*numbers: int) -> int:
    """These numbers as one of 64 bits that looks like chance (SplitMix64, once for each)."""
    state = 0
    for number in numbers:
        state = (state + (number & MASK) + 0x9E3779B97F4A7C15) & MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
        state ^= state >> 31
    return state


def ints(numbers: list[int]) -> "ctypes.Array[ctypes.c_int]":
    """A list as the core reads it."""
    return (ctypes.c_int * len(numbers))(*numbers)


def doubles(numbers: list[float]) -> "ctypes.Array[ctypes.c_double]":
    """The same, with fractions."""
    return (ctypes.c_double * len(numbers))(*numbers)
