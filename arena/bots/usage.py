"""What a process and everything it has started use: CPU time and memory, from the kernel."""

import os
import time

from msgspec import Struct

from arena.bots.warden import belongs, below, children

NANO = 1_000_000_000
TICK = NANO // os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
CPUTIME_OF_PROCESS = 2
WAITED = slice(13, 15)
"""Where /proc/PID/stat, after the name, has the time of children that ended and were waited for."""


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


def usage(root: int, mark: str, warden: int) -> Usage:
    """What a bot's processes have used, those included that have ended since.

    Some may have lost their parent and so been handed to the warden; they are known by their mark.
    """
    spent = memory = 0
    orphans = [pid for pid in children(warden) if pid != root and belongs(pid, root, mark)]
    for pid in below([root, *orphans]):
        if pid != root:
            spent += cpu(clock_of(pid)) or 0
        spent += waited(pid)
        memory += held(pid)
    return Usage(spent, memory)


def waited(pid: int) -> int:
    """The CPU time of children of this process that have ended, to the tick."""
    user, system = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[WAITED] or (0, 0)
    return (int(user) + int(system)) * TICK


def held(pid: int) -> int:
    """The memory a process holds and shares with no file."""
    fields = read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * PAGE if fields else 0


def read(path: str) -> bytes:
    """A file of the kernel's; nothing, if its process is gone."""
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
