"""CPU time, memory and files used by a process and its descendants, read from /proc."""

import os
import re
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from msgspec import Struct

from arena.bots.reaper import process_tree

NS_PER_SECOND = 1_000_000_000
NS_PER_TICK = NS_PER_SECOND // os.sysconf("SC_CLK_TCK")
CPUTIME_OF_PROCESS = 2
CHILDREN_TIMES = slice(13, 15)
"""Where /proc/PID/stat, after the name, has the time of children that ended and were waited for."""

WRITABLE_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108 (those inside)
"""Where a process in the sandbox can make files."""

MAX_PAGE_TABLES = 16 << 20
"""Bytes of page tables that a process has only if it makes them on purpose."""

MAX_MAPS = 1 << 20
"""Bytes of /proc/PID/maps that are read."""

MEMORY_MAPPING = re.compile(rb" /(memfd:|dev/zero |dev/shm/|SYSV)")
"""Mappings of deleted files that lie in memory, not on a disk."""

DEFAULT_SOCKET_SIZE = 212_992
"""Bytes that a socket holds, where the kernel does not report it."""


class ThreadState(Struct, frozen=True, gc=False):
    """How long a thread has run, and how long it has waited for a core."""

    ran: int
    """Nanoseconds it was on a core."""
    waited: int
    """Nanoseconds for which it was ready and had no core, without the current wait."""
    is_runnable: bool
    """Whether it runs or waits for a core."""


class ProcessUsage(Struct, frozen=True, gc=False):
    """What a bot's processes use, without the CPU time of its main process."""

    cpu: int
    """Nanoseconds of CPU time of its children."""
    memory: int
    """Bytes held by all processes."""


def cpu_clock_id(pid: int) -> int:
    """The id of the clock that counts the CPU time of a process with all its threads."""
    return ~pid << 3 | CPUTIME_OF_PROCESS


def read_clock(clock: int) -> int | None:
    """The nanoseconds that a clock has counted; None if its process is gone."""
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return None


def cgroup_cpu(cgroup: str) -> int | None:
    """The nanoseconds that a control group has counted; None if it is gone, or does not count."""
    for line in read_kernel_file(f"{cgroup}/cpu.stat").splitlines():
        if line.startswith(b"usage_usec "):
            return int(line.split()[1]) * 1000
    return None


def tree_usage(bot_pid: int, reaper_pid: int, *, memory: bool) -> ProcessUsage:
    """Measure what the processes below a bot's reaper have used, including those that have ended.

    The CPU time of the bot's main process is left out; memory is only measured on request.
    """
    cpu = held = 0
    for pid in process_tree([reaper_pid]):
        if pid not in {bot_pid, reaper_pid}:
            cpu += read_clock(cpu_clock_id(pid)) or 0
        cpu += ended_children_cpu(pid)
        if memory and pid != reaper_pid:
            held += process_memory(pid)
    return ProcessUsage(cpu, held)


def ended_children_cpu(pid: int) -> int:
    """The CPU time of those children of a process that have ended, to the tick."""
    user, system = read_kernel_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()[
        CHILDREN_TIMES
    ] or (0, 0)
    return (int(user) + int(system)) * NS_PER_TICK


def thread_states(reaper_pid: int) -> dict[int, ThreadState]:
    """All threads below a bot's reaper, by their ids."""
    found = {}
    for pid in process_tree([reaper_pid])[1:]:
        for number in thread_ids(pid):
            counted = read_kernel_file(f"/proc/{pid}/task/{number}/schedstat").split()
            state = read_kernel_file(f"/proc/{pid}/task/{number}/stat").rpartition(b")")[2].split()
            if counted and state:
                found[int(number)] = ThreadState(int(counted[0]), int(counted[1]), state[0] == b"R")
    return found


def thread_ids(pid: int) -> list[str]:
    """The ids of the threads of a process; empty if it is gone."""
    return list_folder(f"/proc/{pid}/task")


def list_folder(folder: str) -> list[str]:
    """The names in a folder of /proc; empty if its process is gone."""
    try:
        return os.listdir(folder)  # noqa: PTH208 (only names are needed)
    except OSError:
        return []


def count_entries(pid: int) -> int:
    """Count the files and folders that a process in the sandbox has made."""
    found = 0
    for folder in WRITABLE_FOLDERS:
        try:
            held = os.statvfs(f"/proc/{pid}/root{folder}")
        except OSError:
            continue  # it is gone
        found += held.f_files - held.f_ffree
    return found


def unlinked_bytes(pids: Iterable[int]) -> int:
    """The bytes on disks of deleted files that processes have open or mapped."""
    held: dict[tuple[int, int], int] = {}
    for pid in pids:
        for number in list_folder(f"/proc/{pid}/fd"):
            try:
                file = os.stat(f"/proc/{pid}/fd/{number}")  # noqa: PTH116 (there are many)
            except OSError:
                continue  # it has just been closed
            if stat.S_ISREG(file.st_mode) and not file.st_nlink:
                held[file.st_dev, file.st_ino] = file.st_blocks * 512
        mapped: Counter[tuple[int, int]] = Counter()
        for line in memory_maps(pid):
            if line.endswith(b" (deleted)") and not MEMORY_MAPPING.search(line):
                area, _, _, device, inode, *_ = line.split()
                start, end = (int(address, 16) for address in area.split(b"-"))
                major, minor = (int(part, 16) for part in device.split(b":"))
                mapped[os.makedev(major, minor), int(inode)] += end - start
        for file_id, size in mapped.items():
            held[file_id] = max(held.get(file_id, 0), size)
    return sum(held.values())


def process_memory(pid: int) -> int:
    """The memory that a process holds; memory shared with others counts in proportion.

    Page tables count too, since a process can make them large on purpose. A process whose main
    thread has ended shows its memory only in the files of its other threads.
    """
    status = read_thread_file(pid, "status", b"VmPTE:")
    tables = field_bytes(status, b"VmPTE:")
    if tables > MAX_PAGE_TABLES:  # reading smaps_rollup would take too long: memory grows meanwhile
        return tables + field_bytes(status, b"VmRSS:") + field_bytes(status, b"VmSwap:")
    rollup = read_thread_file(pid, "smaps_rollup", b"Pss:")
    return tables + field_bytes(rollup, b"Pss:") + field_bytes(rollup, b"SwapPss:")


def read_thread_file(pid: int, file: str, field: bytes) -> bytes:
    """A file of a process, or else of its first thread whose file has this field."""
    places = chain([f"/proc/{pid}"], thread_folders(pid))
    return next(
        (text for place in places if field in (text := read_kernel_file(f"{place}/{file}"))), b""
    )


def field_bytes(text: bytes, field: bytes) -> int:
    """The bytes in the lines of a field, which are in KiB; 0 if there is none."""
    lines = (line for line in text.splitlines() if line.startswith(field))
    return sum(int(line.split()[1]) << 10 for line in lines)


def thread_folders(pid: int) -> Iterator[str]:
    """The folders of the threads of a process in /proc."""
    for number in thread_ids(pid):
        yield f"/proc/{pid}/task/{number}"


def max_socket_memory(pid: int) -> int:
    """The most memory that all sockets of a process' network namespace can hold."""
    for line in read_kernel_file(f"/proc/{pid}/net/sockstat").splitlines():
        if line.startswith(b"sockets: used "):
            return int(line.split()[2]) * socket_size()
    return 0


@cache
def socket_size() -> int:
    """The most memory that a socket of default size can hold."""
    return 3 * int(read_kernel_file("/proc/sys/net/core/wmem_default") or DEFAULT_SOCKET_SIZE) // 2


def memory_maps(pid: int) -> list[bytes]:
    """The lines of /proc/PID/maps; empty if the process is gone."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:  # noqa: PTH123 (only its beginning is read)
            return file.read(MAX_MAPS).splitlines()
    except OSError:
        return []


def read_kernel_file(path: str) -> bytes:
    """The beginning of a file of the kernel; empty if its process is gone."""
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
