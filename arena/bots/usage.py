"""What a process and everything it has started use, from the kernel: CPU time, memory, files."""

import os
import re
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from msgspec import Struct

from arena.bots.guard import below

NANO = 1_000_000_000
TICK = NANO // os.sysconf("SC_CLK_TCK")
CPUTIME_OF_PROCESS = 2
WAITED = slice(13, 15)
"""Where /proc/PID/stat, after the name, has the time of children that ended and were waited for."""


OWN = ("/tmp", "/dev/shm")  # noqa: S108 (those inside)
"""Where a process inside walls can make files."""


TABLES = 16 << 20
"""Bytes of page tables that only a process has which makes them for their own sake."""

MAPS = 1 << 20
"""Bytes of a list of what a process has mapped that are looked at."""

IN_MEMORY = re.compile(rb" /(memfd:|dev/zero |dev/shm/|SYSV)")
"""What is mapped, has no name, and is on no disk."""

SOCKET = 212_992
"""Bytes that a socket holds, where the kernel does not say how many."""


class Thread(Struct, frozen=True, gc=False):
    """How a thread gets on with the others that want a core."""

    ran: int
    """Nanoseconds it was on a core."""
    waited: int
    """Nanoseconds it could have run and had no core, but for a wait that still goes on."""
    runs: bool
    """Whether it runs or wants to."""


class Usage(Struct, frozen=True, gc=False):
    """What a tree of processes uses beyond the CPU time of the one at its root."""

    cpu: int
    """Nanoseconds spent by what was started."""
    memory: int
    """Bytes held by all."""


def clock_of(pid: int) -> int:
    """The number of the clock that counts a process' CPU time, all its threads together."""
    return ~pid << 3 | CPUTIME_OF_PROCESS


def cpu(clock: int) -> int | None:
    """The nanoseconds this clock has counted; None if its process is gone."""
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return None


def metered(group: str) -> int | None:
    """The nanoseconds that a control group has counted; None if it is gone, or does not count."""
    for line in read(f"{group}/cpu.stat").splitlines():
        if line.startswith(b"usage_usec "):
            return int(line.split()[1]) * 1000
    return None


def usage(bot: int, guard: int, *, memory: bool) -> Usage:
    """What the processes below a bot's guard have used, those included that have ended since.

    The CPU time of the bot's own process is left out; memory is only looked at where it matters.
    """
    spent = held = 0
    for pid in below([guard]):
        if pid not in {bot, guard}:
            spent += cpu(clock_of(pid)) or 0
        spent += waited(pid)
        if memory and pid != guard:
            held += memory_of(pid)
    return Usage(spent, held)


def waited(pid: int) -> int:
    """The CPU time of children of this process that have ended, to the tick."""
    user, system = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[WAITED] or (0, 0)
    return (int(user) + int(system)) * TICK


def threads(guard: int) -> dict[int, Thread]:
    """All threads below a bot's guard, by their numbers."""
    found = {}
    for pid in below([guard])[1:]:
        for number in tasks(pid):
            counted = read(f"/proc/{pid}/task/{number}/schedstat").split()
            state = read(f"/proc/{pid}/task/{number}/stat").rpartition(b")")[2].split()
            if counted and state:
                found[int(number)] = Thread(int(counted[0]), int(counted[1]), state[0] == b"R")
    return found


def tasks(pid: int) -> list[str]:
    """The numbers of a process' threads; none, if it is gone."""
    return listed(f"/proc/{pid}/task")


def listed(folder: str) -> list[str]:
    """The names in a folder of the kernel's; none, if its process is gone."""
    try:
        return os.listdir(folder)  # noqa: PTH208 (names are all that is wanted)
    except OSError:
        return []


def entries(pid: int) -> int:
    """How many files and folders a process inside walls has made."""
    found = 0
    for folder in OWN:
        try:
            held = os.statvfs(f"/proc/{pid}/root{folder}")
        except OSError:
            continue  # it is gone
        found += held.f_files - held.f_ffree
    return found


def unlinked(pids: Iterable[int]) -> int:
    """The bytes on disks of files that processes have open or mapped and that have no name."""
    held: dict[tuple[int, int], int] = {}
    for pid in pids:
        for number in listed(f"/proc/{pid}/fd"):
            try:
                file = os.stat(f"/proc/{pid}/fd/{number}")  # noqa: PTH116 (there are many)
            except OSError:
                continue  # it has just been closed
            if stat.S_ISREG(file.st_mode) and not file.st_nlink:
                held[file.st_dev, file.st_ino] = file.st_blocks * 512
        mapped: Counter[tuple[int, int]] = Counter()
        for line in maps(pid):
            if line.endswith(b" (deleted)") and not IN_MEMORY.search(line):
                area, _, _, device, inode, *_ = line.split()
                start, end = (int(address, 16) for address in area.split(b"-"))
                major, minor = (int(part, 16) for part in device.split(b":"))
                mapped[os.makedev(major, minor), int(inode)] += end - start
        for file_id, size in mapped.items():
            held[file_id] = max(held.get(file_id, 0), size)
    return sum(held.values())


def memory_of(pid: int) -> int:
    """The memory a process holds; what it shares with others counts in parts.

    What the kernel needs to find all of it counts as well, since it can be made to be more. A
    process whose main thread has ended shows its memory only by the other threads.
    """
    status = shown(pid, "status", b"VmPTE:")
    tables = amount(status, b"VmPTE:")
    if tables > TABLES:  # to go through all of them takes so long that much more is held by then
        return tables + amount(status, b"VmRSS:") + amount(status, b"VmSwap:")
    rollup = shown(pid, "smaps_rollup", b"Pss:")
    return tables + amount(rollup, b"Pss:") + amount(rollup, b"SwapPss:")


def shown(pid: int, file: str, what: bytes) -> bytes:
    """A file of a process, or of its first thread whose file tells this."""
    places = chain([f"/proc/{pid}"], threads_of(pid))
    return next((text for place in places if what in (text := read(f"{place}/{file}"))), b"")


def amount(text: bytes, what: bytes) -> int:
    """The bytes that a line of a file of the kernel's tells; 0, if there is no such line."""
    lines = (line for line in text.splitlines() if line.startswith(what))
    return sum(int(line.split()[1]) << 10 for line in lines)


def threads_of(pid: int) -> Iterator[str]:
    """Where the kernel shows the threads of a process."""
    for number in tasks(pid):
        yield f"/proc/{pid}/task/{number}"


def sockets(pid: int) -> int:
    """The most memory that may lie in all sockets of a process' network namespace."""
    for line in read(f"/proc/{pid}/net/sockstat").splitlines():
        if line.startswith(b"sockets: used "):
            return int(line.split()[2]) * socket_size()
    return 0


@cache
def socket_size() -> int:
    """The most memory that may lie in a socket that nobody has made larger."""
    return 3 * int(read("/proc/sys/net/core/wmem_default") or SOCKET) // 2


def maps(pid: int) -> list[bytes]:
    """What a process has mapped, a line for each; nothing, if it is gone."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:  # noqa: PTH123 (it has to be cut)
            return file.read(MAPS).splitlines()
    except OSError:
        return []


def read(path: str) -> bytes:
    """The beginning of a file of the kernel's; nothing, if its process is gone."""
    try:
        number = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(number, 4096)
    except OSError:
        return b""
    finally:
        os.close(number)
