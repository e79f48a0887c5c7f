"""The filter that the kernel asks about every system call of a bot: a small program for it."""

import errno
import struct
from dataclasses import dataclass
from typing import Final

from arena.bots.sandbox.syscalls import (
    CLONE,
    FCNTL,
    FUTEX,
    IGNORED,
    IOCTL,
    MADVISE,
    MISSING,
    MMAP,
    NEWEST,
    PRCTL,
    PREADV2,
    PWRITEV2,
    REFUSED,
    SETSOCKOPT,
    SHARED_FUTEXES,
    SOCKET,
    UNCOUNTED,
    Numbers,
)

ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of its numbers, and what the kernel calls it."""

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
"""Where a call's number, its architecture and its arguments stand."""

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
X32 = 0x40000000
"""From this number on a call is one of x32, on x86_64."""

NAMESPACES = 0x7E020080
"""Flags of clone that make namespaces, those of time, mounts and cgroups among them."""

TERMINAL: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put letters into a terminal as if they were typed."""

EXTENTS: Final = (0xC020660B, 0xC0189436, 0x40049409, 0x4020940D)
"""FIEMAP, FIDEDUPERANGE, FICLONE, FICLONERANGE: where the blocks of a file lie on the disk."""

LOCKS: Final = (6, 7, 37, 38)
"""F_SETLK and F_SETLKW, and the same for open file descriptions."""

WATCHES: Final = (5, 36, 1024, 1025, 1026)
"""F_GETLK, F_OFD_GETLK, F_SETLEASE, F_GETLEASE, F_NOTIFY: learn what others do with a file."""

HINTS: Final = (1035, 1036, 1037, 1038)
"""F_GET_RW_HINT to F_SET_FILE_RW_HINT: a value that stays with a file as long as it is known."""

PAGE_ADVICE: Final = (1, 2, 3, 20)
"""MADV_RANDOM, SEQUENTIAL, WILLNEED and COLD: advice on which pages of a file to hold."""

PAGE_ORDERS: Final = (12, 21, 22, 25)
"""MADV_MERGEABLE, PAGEOUT, POPULATE_READ and COLLAPSE: change pages that others may share."""

MERGE: Final = (67,)
"""PR_SET_MEMORY_MERGE does the same as MADV_MERGEABLE for a whole process."""

WAKES: Final = tuple(order | clock for order in (1, 3, 4, 5, 10) for clock in (0, 256))
"""FUTEX_WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP and WAKE_BITSET, without FUTEX_PRIVATE_FLAG."""

MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
"""Together: memory that is not seen any more where a process takes it out of its page tables."""

SOL_SOCKET, SO_SNDBUF = 1, 7
"""How much may lie in a socket."""

AF_UNIX = 1
NETWORKS = (2, 10, 16)
"""What it takes to use the network: AF_INET, AF_INET6, and AF_NETLINK to look names up."""


@dataclass(frozen=True)
class ArgumentRule:
    """An answer to a call whose argument has one of these values."""

    call: Numbers
    argument: int
    values: tuple[int, ...]
    error: int
    """What the call fails with; 0 answers with success without carrying it out."""


APART: Final = ArgumentRule(FUTEX, 1, WAKES, errno.EPERM)
"""No process wakes another: a futex on a file of the system is the same one for all bots."""

RULES: Final = (
    ArgumentRule(IOCTL, 1, TERMINAL, errno.EPERM),
    ArgumentRule(IOCTL, 1, EXTENTS, errno.EOPNOTSUPP),
    ArgumentRule(FCNTL, 1, LOCKS, 0),
    ArgumentRule(FCNTL, 1, (*WATCHES, *HINTS), errno.EINVAL),
    ArgumentRule(MADVISE, 2, PAGE_ADVICE, 0),
    ArgumentRule(MADVISE, 2, PAGE_ORDERS, errno.EINVAL),
    ArgumentRule(PRCTL, 0, MERGE, errno.EINVAL),
)


def instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction, with how many to leap over then and otherwise."""
    return struct.pack("HBBI", code, then, otherwise, value)


def answer(error: int) -> bytes:
    """End with this error, or with success if it is 0; the call is not carried out."""
    return instruction(RETURN, ERRNO | error)


def load(argument: int) -> bytes:
    """Take the lower half of an argument."""
    return instruction(LOAD, ARGUMENTS + 8 * argument)


def program(machine: str, *, counted: bool, network: bool = False, apart: bool = False) -> bytes:
    """The filter for this machine; memory without a file is allowed where a cgroup counts it.

    With `apart` processes cannot wake each other by futexes, which locks between processes need.
    """
    column, architecture = ARCHITECTURES[machine]
    found = [
        instruction(LOAD, ARCHITECTURE),
        instruction(EQUAL, architecture, 1),
        answer(errno.ENOSYS),
        instruction(LOAD, NUMBER),
    ]
    if machine == "x86_64":
        found += [instruction(AT_LEAST, X32, 0, 1), answer(errno.ENOSYS)]
    found += [instruction(AT_LEAST, NEWEST + 1, 0, 1), answer(errno.ENOSYS)]
    refused = REFUSED if counted else {**REFUSED, **UNCOUNTED}
    missing = {**MISSING, **SHARED_FUTEXES} if apart else MISSING
    rules = (*RULES, APART) if apart else RULES
    for calls, error in ((refused, errno.EPERM), (missing, errno.ENOSYS), (IGNORED, 0)):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                found += [instruction(EQUAL, number, 0, 1), answer(error)]
    found += [] if counted else uncounted(column)
    families = (AF_UNIX, *NETWORKS) if network else (AF_UNIX,)
    found += on_call(SOCKET[column], [load(0), *allow_only(families, errno.EAFNOSUPPORT)])
    flagged = [instruction(ANY_BIT, NAMESPACES, 0, 1), answer(errno.EPERM)]
    found += on_call(CLONE[column], [load(0), *flagged])
    for call in (PREADV2, PWRITEV2):  # with RWF_NOWAIT they tell what is in memory
        found += on_call(call[column], [load(5), *allow_only((0,), errno.EOPNOTSUPP)])
    for call in dict.fromkeys(rule.call for rule in rules):
        checks: list[bytes] = []
        for rule in rules:
            if rule.call == call:
                checks += [load(rule.argument), *refuse_any(rule.values, rule.error)]
        found += on_call(call[column], checks)
    return b"".join([*found, instruction(RETURN, ALLOW)])


def on_call(number: int | None, checks: list[bytes]) -> list[bytes]:
    """Carry out checks for this call only; it is allowed if none of them has ended the filter."""
    if number is None:
        return []
    checks = [*checks, instruction(RETURN, ALLOW)]
    return [instruction(EQUAL, number, 0, len(checks)), *checks]


def refuse_any(values: tuple[int, ...], error: int) -> list[bytes]:
    """Answer with this error if what was loaded is one of these values."""
    found = [
        instruction(EQUAL, value, len(values) - place - 1, int(place == len(values) - 1))
        for place, value in enumerate(values)
    ]
    return [*found, answer(error)]


def allow_only(values: tuple[int, ...], error: int) -> list[bytes]:
    """Answer with this error unless what was loaded is one of these values."""
    found = [instruction(EQUAL, value, len(values) - place) for place, value in enumerate(values)]
    return [*found, answer(error)]


def uncounted(column: int) -> list[bytes]:
    """What else is refused where no cgroup counts memory: shared anonymous memory, larger sockets.

    A program that asks for a larger buffer is told that it has it.
    """
    shared = [
        load(3),
        instruction(ANY_BIT, MAP_ANONYMOUS, 0, 2),
        instruction(ANY_BIT, MAP_SHARED, 0, 1),
        answer(errno.ENOMEM),
    ]
    larger = [
        load(1),
        instruction(EQUAL, SOL_SOCKET, 0, 3),
        load(2),
        instruction(EQUAL, SO_SNDBUF, 0, 1),
        answer(0),
    ]
    return [*on_call(MMAP[column], shared), *on_call(SETSOCKOPT[column], larger)]
