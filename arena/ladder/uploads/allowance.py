"""What an upload may take up, and what its author is told when it does not come in."""

from collections.abc import Iterator

from msgspec import Struct

from arena.errors import ArenaError
from arena.printable import printable, short

MIB = 1 << 20

SPARED = MIB
"""Bytes that any upload may unpack to, however small it is: zeros and tables are packed well."""

LEFT_OUT = 10
"""An archive may list so many times the entries that are kept, with what tools have left in it."""

SHOWN = 80
"""Characters of a name that are shown."""


class BadArchive(ArenaError):
    """An upload that no bot can be made of: what is wrong with it, and what to do."""


class Allowed(Struct, frozen=True, kw_only=True):
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


USUAL = Allowed()


class Budget:
    """What may still come out of an upload: bytes are counted as they come, not as announced."""

    def __init__(self, size: int, allowed: Allowed) -> None:
        self.allowed = allowed
        self.by_ratio = max(SPARED, size * allowed.ratio)
        self.spent = 0
        self.listed = 0

    def counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces, as far as the budget goes."""
        for piece in pieces:
            self.spent += len(piece)
            if self.spent > self.allowed.total:
                raise BadArchive(
                    f"it unpacks to more than {amount(self.allowed.total)}; leave out what the "
                    "bot does not need"
                )
            if self.spent > self.by_ratio:
                raise BadArchive(
                    f"it unpacks to more than {self.allowed.ratio} times its size, as archives do "
                    "that are meant to fill disks; leave out what is nothing but repetition"
                )
            yield piece

    def list(self) -> None:
        """Count one more entry, whether it is kept or not."""
        self.listed += 1
        if self.listed > LEFT_OUT * self.allowed.entries:
            raise crowded(LEFT_OUT * self.allowed.entries)


def crowded(entries: int) -> BadArchive:
    """The error of an archive with more entries than these."""
    return BadArchive(
        f"it holds more than {entries} files and folders; leave out what the bot does not need"
    )


def amount(count: int) -> str:
    """A number of bytes, for people."""
    return f"{count / MIB:.4g} MiB" if count >= MIB else f"{count} bytes"


def shown(name: str) -> str:
    """A name that a stranger chose, for people."""
    return printable(short(name, SHOWN))
