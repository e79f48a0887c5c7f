"""Fills files that are nowhere but in memory and belong to no process."""

import os

import attacker

FITS = 8 * attacker.MIB


def grow(size: int) -> object:
    files = []
    for _ in range(size // FITS):
        file = os.memfd_create("hoard")
        files.append(file)
        left = FITS
        while left:
            left -= os.write(file, b"x" * min(left, attacker.MIB))
    return files


attacker.play(lambda: attacker.hoard(grow))
