"""Reads and writes the memory of other processes, and takes their files."""

import ctypes
import os

import attacker

PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_DETACH = 0, 16, 17
PTRACE_SEIZE, PTRACE_INTERRUPT = 0x4206, 0x4207
WALL = 0x40000000
"""To wait for a process that is traced, whether it is a child or not."""


class Piece(ctypes.Structure):
    """A piece of memory, here or there."""

    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def victims() -> dict[str, int]:
    asleep = attacker.away(attacker.wait_for_the_end, lifetime=3)
    return {"init": 1, "parent": os.getppid(), "child": asleep}


def let_go(pid: int) -> None:
    """Trace it no more: that it could be traced is shown, and it has to be able to end."""
    attacker.call("ptrace", PTRACE_INTERRUPT, pid, 0, 0)
    os.waitpid(pid, WALL)
    attacker.call("ptrace", PTRACE_DETACH, pid, 0, 0)


def attack() -> None:
    attacker.refused(
        "TRACEME", attacker.in_a_child(attacker.call, "ptrace", PTRACE_TRACEME, 0, 0, 0)
    )
    buffer = ctypes.create_string_buffer(8)
    here = Piece(ctypes.addressof(buffer), 8)
    there = Piece(id(None), 8)
    for name, pid in victims().items():
        for how, request in (("attach", PTRACE_ATTACH), ("seize", PTRACE_SEIZE)):
            result = attacker.call("ptrace", request, pid, 0, 0)
            if not attacker.refused(f"{how} {name}", result):
                let_go(pid)
        for call in ("process_vm_readv", "process_vm_writev"):
            result = attacker.call(call, pid, here, 1, there, 1, 0)
            attacker.refused(f"{call} {name}", result)
        attacker.refused(f"kcmp {name}", attacker.call("kcmp", os.getpid(), pid, 0, 0, 0))
        pidfd = attacker.call("pidfd_open", pid, 0)
        if pidfd >= 0:
            attacker.refused(f"pidfd_getfd {name}", attacker.call("pidfd_getfd", pidfd, 1, 0))
            os.close(pidfd)


attacker.play(attack)
