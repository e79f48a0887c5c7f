"""Limits on what an upload may unpack to, and the entries of an archive."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from arena.bots.sandbox.limits import MIB
from arena.errors import ArenaError
from arena.sanitize import cut_middle, printable

MIN_ALLOWANCE = MIB
"""Bytes that any upload may unpack to, however small it is: zeros and tables are packed well."""

LISTED_FACTOR = 10
"""An archive may list so many times the entries that are kept, with what tools have left in it."""

MAX_NAME_SHOWN = 80
"""Characters of a name that are shown."""


class BadArchive(ArenaError):
    """An upload that cannot be unpacked as a bot: what is wrong with it, and what to do."""


class UnpackLimits(Struct, frozen=True, kw_only=True):
    """What an upload may take up, packed and unpacked, and what unpacking it may cost."""

    size: int = 10 * MIB
    """Bytes of the upload itself."""
    total: int = 64 * MIB
    """Bytes that come out of it, whether they are kept or not."""
    file: int = 32 * MIB
    """Bytes of a single file."""
    entries: int = 2000
    """Files and folders."""
    ratio: int = 200
    """How many times its own size may come out of it."""
    depth: int = 16
    """Names in a path."""
    path: int = 1024
    """Bytes of a path."""
    name: int = 200
    """Bytes of a single name."""
    memory: int = 512 * MIB
    """Bytes of address space of the process that unpacks."""
    cpu: int = 20
    """Seconds that it may compute."""
    seconds: float = 60
    """Seconds that it may take, waiting included."""


DEFAULT_LIMITS = UnpackLimits()


class UnpackBudget:
    """What may still come out of an upload: bytes are counted as they come, not as announced."""

    def __init__(self, size: int, limits: UnpackLimits) -> None:
        self.limits = limits
        self.ratio_limit = max(MIN_ALLOWANCE, size * limits.ratio)
        self.unpacked_bytes = 0
        self.entry_count = 0

    def count_bytes(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces, as far as the budget goes."""
        for piece in pieces:
            self.unpacked_bytes += len(piece)
            if self.unpacked_bytes > self.limits.total:
                raise BadArchive(
                    f"it unpacks to more than {format_bytes(self.limits.total)}; leave out "
                    f"what the "
                    "bot does not need"
                )
            if self.unpacked_bytes > self.ratio_limit:
                raise BadArchive(
                    f"it unpacks to more than {self.limits.ratio} times its size, as archives do "
                    "that are meant to fill disks; leave out what is nothing but repetition"
                )
            yield piece

    def count_entry(self) -> None:
        """Count one more entry, whether it is kept or not."""
        self.entry_count += 1
        if self.entry_count > LISTED_FACTOR * self.limits.entries:
            raise too_many_entries(LISTED_FACTOR * self.limits.entries)


def too_many_entries(entries: int) -> BadArchive:
    """The error of an archive with more entries than these."""
    return BadArchive(
        f"it holds more than {entries} files and folders; leave out what the bot does not need"
    )


def format_bytes(count: int) -> str:
    """A number of bytes, for people."""
    return f"{count / MIB:.4g} MiB" if count >= MIB else f"{count} bytes"


def printable_name(name: str) -> str:
    """Make a name from an upload safe to print."""
    return printable(cut_middle(name, MAX_NAME_SHOWN))


FILE_KIND, FOLDER_KIND = "a file", "a folder"


class ArchiveEntry(NamedTuple):
    """Something that is to be unpacked, as the archive has it."""

    name: bytes
    kind: str
    """A file, a folder, or what else it is, for people."""
    is_executable: bool | None
    """Whether it can be run, where the archive tells."""
    content: Iterator[bytes]
    """What comes out of it, to be read before the next entry is asked for, or not at all."""
