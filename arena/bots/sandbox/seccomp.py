"""The filter that the kernel asks about every system call of a bot: a small program for it."""

import errno
import struct
from typing import Final

from arena.bots.sandbox.syscalls import (
    CLONE,
    IOCTL,
    MISSING,
    MMAP,
    REFUSED,
    SETSOCKOPT,
    SOCKET,
    UNCOUNTED,
)

ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of its numbers, and what the kernel calls it."""

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST, SECOND, THIRD, FOURTH = 0, 4, 16, 24, 32, 40
"""Where a call's number, its architecture and its arguments' lower halves stand."""

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
X32 = 0x40000000
"""From this number on a call is one of x32, on x86_64."""

NAMESPACES = 0x7E020080
"""Flags of clone that make namespaces, those of time, mounts and cgroups among them."""

TIOCSTI, TIOCLINUX = 0x5412, 0x541C
"""Put letters into a terminal as if they were typed."""

MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
"""Together: memory that is not seen any more where a process takes it out of its page tables."""

SOL_SOCKET, SO_SNDBUF = 1, 7
"""How much may lie in a socket."""

AF_UNIX = 1
NETWORKS = (2, 10, 16)
"""What it takes to use the network: AF_INET, AF_INET6, and AF_NETLINK to look names up."""


def instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction, with how many to leap over then and otherwise."""
    return struct.pack("HBBI", code, then, otherwise, value)


def refuse(why: int) -> bytes:
    """End with this error."""
    return instruction(RETURN, ERRNO | why)


def program(machine: str, *, counted: bool, network: bool = False) -> bytes:
    """The filter for this machine; memory without a file is allowed where a cgroup counts it."""
    column, architecture = ARCHITECTURES[machine]
    found = [
        instruction(LOAD, ARCHITECTURE),
        instruction(EQUAL, architecture, 1),
        refuse(errno.ENOSYS),
        instruction(LOAD, NUMBER),
    ]
    if machine == "x86_64":
        found += [instruction(AT_LEAST, X32, 0, 1), refuse(errno.ENOSYS)]
    refused = REFUSED if counted else {**REFUSED, **UNCOUNTED}
    for calls, why in ((refused, errno.EPERM), (MISSING, errno.ENOSYS)):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                found += [instruction(EQUAL, number, 0, 1), refuse(why)]
    found += [] if counted else uncounted(column)
    families = (AF_UNIX, *NETWORKS) if network else (AF_UNIX,)
    found += [instruction(EQUAL, SOCKET[column], 0, 3 + len(families)), instruction(LOAD, FIRST)]
    found += [
        instruction(EQUAL, family, len(families) - place) for place, family in enumerate(families)
    ]
    found += [
        refuse(errno.EAFNOSUPPORT),
        instruction(RETURN, ALLOW),
        instruction(EQUAL, CLONE[column], 0, 4),
        instruction(LOAD, FIRST),
        instruction(ANY_BIT, NAMESPACES, 0, 1),
        refuse(errno.EPERM),
        instruction(RETURN, ALLOW),
        instruction(EQUAL, IOCTL[column], 0, 4),
        instruction(LOAD, SECOND),
        instruction(EQUAL, TIOCSTI, 1),
        instruction(EQUAL, TIOCLINUX, 0, 1),
        refuse(errno.EPERM),
        instruction(RETURN, ALLOW),
    ]
    return b"".join(found)


def uncounted(column: int) -> list[bytes]:
    """What else is refused where no cgroup counts memory: shared anonymous memory, larger sockets.

    A program that asks for a larger buffer is told that it has it.
    """
    return [
        instruction(EQUAL, MMAP[column], 0, 5),
        instruction(LOAD, FOURTH),
        instruction(ANY_BIT, MAP_ANONYMOUS, 0, 2),
        instruction(ANY_BIT, MAP_SHARED, 0, 1),
        refuse(errno.ENOMEM),
        instruction(RETURN, ALLOW),
        instruction(EQUAL, SETSOCKOPT[column], 0, 6),
        instruction(LOAD, SECOND),
        instruction(EQUAL, SOL_SOCKET, 0, 3),
        instruction(LOAD, THIRD),
        instruction(EQUAL, SO_SNDBUF, 0, 1),
        refuse(0),
        instruction(RETURN, ALLOW),
    ]
