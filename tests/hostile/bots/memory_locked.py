"""Locks its memory, so that it can never be taken away, in every way there is."""

import ctypes
import mmap
import resource

import attacker

SIZE = 64 * attacker.MIB
MCL_CURRENT, MCL_FUTURE = 1, 2
SHM_LOCK = 11


def attack() -> None:
    hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (hard, hard))
    block = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    attacker.refused("mlock", attacker.call("mlock", start, SIZE))
    attacker.refused("mlock2", attacker.call("mlock2", start, SIZE, 1))
    segment = attacker.call("shmget", 0, SIZE, 0o1600)
    if segment >= 0:
        attacker.refused("SHM_LOCK", attacker.call("shmctl", segment, SHM_LOCK, None))
    try:
        mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000).close()
        attacker.breach("MAP_LOCKED")
    except OSError as error:
        attacker.note(f"MAP_LOCKED {attacker.named(error.errno or 0)}")
    attacker.refused(
        "mlockall", attacker.in_a_child(attacker.call, "mlockall", MCL_CURRENT | MCL_FUTURE)
    )


attacker.play(attack)
