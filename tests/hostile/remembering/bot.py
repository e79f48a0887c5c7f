"""Leaves what it has seen of a deal where its next process may find it, and looks for such notes.

Each way to remember is a channel of bits. A note has a mark and a checksum, so that nothing is
taken for a note by chance. What was found is told beside the first choice of each game.
"""

import ctypes
import json
import mmap
import os
import secrets
import statistics
import sys
import time
import zlib
from pathlib import Path

HERE = Path(__file__).parent
TAG = (HERE / "tag").read_text()
"""Tells the notes of one test from those of another."""

MARK = 0xB07C
BITS = 80
STRIDE = 8 * 4096
"""Bytes from the page of one bit to that of the next."""

EPOCHS = 300
SAME = 5
"""Names that stand for one bit."""

DONTNEED, RANDOM, WILLNEED = 4, 1, 3
COLD, PAGEOUT, POPULATE_READ = 20, 21, 22
MINCORE, CACHESTAT = 27, 451
F_SET_RW_HINT, F_GET_RW_HINT = 1036, 1035

libc = ctypes.CDLL(None, use_errno=True)


def encoded(payload: int) -> list[int]:
    """A note as bits."""
    body = MARK << 32 | payload & 0xFFFFFFFF
    whole = body << 32 | zlib.crc32(body.to_bytes(6))
    return [whole >> place & 1 for place in range(BITS)]


def decoded(bits: list[int]) -> int | None:
    """What a note says, if these bits are one."""
    whole = sum(bit << place for place, bit in enumerate(bits))
    body = whole >> 32
    right = body >> 32 == MARK and zlib.crc32(body.to_bytes(6)) == whole & 0xFFFFFFFF
    return body & 0xFFFFFFFF if right else None


def largest(folder: str) -> str:
    """A file of the system that has room for many bits."""
    with os.scandir(folder) as entries:
        sizes = [(e.stat().st_size, e.path) for e in entries if e.is_file(follow_symlinks=False)]
    return max(sizes)[1]


class Pages:
    """Which pages of a file are in memory."""

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_RDONLY)
        size = os.fstat(self.file).st_size
        self.usable = size > BITS * STRIDE
        self.map = mmap.mmap(self.file, size, prot=mmap.PROT_READ)
        self.address = ctypes.c_void_p()
        self.advise = libc.madvise
        self.advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def at(self, place: int) -> int:
        """Where the page of a bit lies."""
        return (place + 1) * STRIDE

    def write(self, bits: list[int]) -> None:
        """Let all pages be forgotten, and fetch those of the bits that are 1."""
        size = len(self.map)
        os.fsync(self.file)
        for advice in (COLD, PAGEOUT, DONTNEED):
            try:
                self.map.madvise(advice)
            except OSError:
                continue
        os.posix_fadvise(self.file, 0, size, os.POSIX_FADV_DONTNEED)
        os.posix_fadvise(self.file, 0, size, os.POSIX_FADV_RANDOM)
        for place, bit in enumerate(bits):
            if bit:
                os.pread(self.file, 1, self.at(place))

    def read(self) -> dict[str, list[int]]:
        """What different ways of looking find, those that change nothing first."""
        places = range(BITS)
        found = {"nowait": [self.nowait(place) for place in places]}
        found["mincore"] = self.mincore()
        found["cachestat"] = [self.cachestat(place) for place in places]
        took = []
        for place in places:
            before = time.perf_counter_ns()
            os.pread(self.file, 1, self.at(place))
            took.append(time.perf_counter_ns() - before)
        slow = (min(took) * max(took)) ** 0.5 if max(took) > 5 * min(took) else 0
        found["time"] = [int(each < slow) for each in took]
        return found

    def nowait(self, place: int) -> int:
        """Whether a page can be read without waiting."""
        try:
            return os.preadv(self.file, [bytearray(1)], self.at(place), os.RWF_NOWAIT)
        except OSError:
            return 0

    def mincore(self) -> list[int]:
        """The same for all pages, by what the kernel says of a mapping."""
        size = len(self.map)
        pages = ctypes.create_string_buffer(size // 4096 + 1)
        own = libc.mmap
        own.restype = ctypes.c_void_p
        start = own(None, ctypes.c_size_t(size), 1, 1, self.file, ctypes.c_long(0))
        done = libc.syscall(MINCORE, ctypes.c_void_p(start), ctypes.c_size_t(size), pages)
        libc.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size))
        if done:
            return [0] * BITS
        return [pages.raw[self.at(place) // 4096] & 1 for place in range(BITS)]

    def cachestat(self, place: int) -> int:
        """The same by a newer call."""
        span = (ctypes.c_uint64 * 2)(self.at(place), 4096)
        counts = (ctypes.c_uint64 * 5)()
        done = libc.syscall(CACHESTAT, self.file, span, counts, 0)
        return int(counts[0] > 0) if done == 0 else 0


class Names:
    """Which names somebody has looked for in a folder: that there is none is remembered as well."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.epoch = 0
        fresh = [f"{secrets.token_hex(8)}" for _ in range(200)]
        cold = statistics.median(self.look(name) for name in fresh)
        hot = statistics.median(self.look(name) for name in fresh)
        self.usable = cold > 1.6 * hot
        self.slow = (cold * hot) ** 0.5

    def look(self, name: str) -> int:
        """How long it takes to find out that there is no such file."""
        path = f"{self.folder}/.{TAG}-{name}".encode()
        before = time.perf_counter_ns()
        libc.access(path, 0)
        return time.perf_counter_ns() - before

    def bit(self, place: str) -> int:
        """Whether names were looked for; after this they were."""
        known = [self.look(f"{place}-{number}") < self.slow for number in range(SAME)]
        return int(sum(known) > SAME // 2)

    def read(self) -> dict[str, list[int]]:
        """Every note can be read once, and the next is written to another place."""
        for self.epoch in range(EPOCHS):
            if not self.bit(f"{self.epoch}-begun"):
                return {}
            bits = [self.bit(f"{self.epoch}-{place}") for place in range(BITS)]
            if decoded(bits) is not None:
                return {"time": bits}
        return {}

    def write(self, bits: list[int]) -> None:
        """Look for the names of the bits that are 1."""
        if self.bit(f"{self.epoch}-begun"):
            self.epoch += 1
            self.bit(f"{self.epoch}-begun")
        for place, bit in enumerate(bits):
            if bit:
                self.bit(f"{self.epoch}-{place}")


class Hints:
    """A value that the kernel keeps with a file, two bits at a time."""

    usable = True

    def __init__(self, folder: str) -> None:
        with os.scandir(folder) as entries:
            paths = sorted(entry.path for entry in entries if entry.is_file())
        self.files = [os.open(path, os.O_RDONLY) for path in paths[:BITS]]
        self.usable = len(self.files) == BITS

    def read(self) -> dict[str, list[int]]:
        """The value of each file."""
        return {"hint": [int(self.hint(file) == 3) for file in self.files]}

    def hint(self, file: int) -> int:
        """The value of a file; 0 if it is not told."""
        value = ctypes.c_uint64()
        done = libc.fcntl(file, F_GET_RW_HINT, ctypes.byref(value))
        return value.value if done == 0 else 0

    def write(self, bits: list[int]) -> None:
        """Set the value of each file."""
        for file, bit in zip(self.files, bits, strict=True):
            libc.fcntl(file, F_SET_RW_HINT, ctypes.byref(ctypes.c_uint64(3 if bit else 2)))


def channels() -> dict[str, Pages | Names | Hints]:
    """All that can be used here."""
    found: dict[str, Pages | Names | Hints] = {
        "own pages": Pages(str(HERE / "notes.bin")),
        "system pages": Pages(largest("/usr/lib/x86_64-linux-gnu")),
        "own hints": Hints(str(HERE / "files")),
    }
    for folder in (
        "/usr/bin",
        "/etc/alternatives",
        f"{sys.prefix}/lib",
        str(HERE),
        "/proc",
        "/dev",
    ):
        found[f"names in {folder}"] = Names(folder)
    return {name: channel for name, channel in found.items() if channel.usable}


def recall() -> list[str]:
    """Look for notes."""
    told = []
    for name, channel in remembering.items():
        for way, bits in channel.read().items():
            if (payload := decoded(bits)) is not None and payload != own:
                told.append(f"{name} by {way}")
    return told


remembering = channels()
own = secrets.randbits(32)
begun = False
found: list[str] = []
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        if not begun:
            found, begun = recall(), True
        told = True
    elif message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][0]}
        if told:
            answer["note"] = f"recalled {', '.join(found) or 'nothing'}"
            own = zlib.crc32("".join(sorted(message["view"]["hand"])).encode())
            for channel in remembering.values():
                channel.write(encoded(own))
            told = False
        print(json.dumps(answer), flush=True)
