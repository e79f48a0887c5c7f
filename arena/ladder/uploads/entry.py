"""An entry of an archive, whatever kind of archive it is."""

from collections.abc import Iterator
from typing import NamedTuple

FILE, FOLDER = "a file", "a folder"


class Entry(NamedTuple):
    """Something that is to be unpacked, as the archive has it."""

    name: bytes
    what: str
    """A file, a folder, or what else it is, for people."""
    executable: bool | None
    """Whether it can be run, where the archive tells."""
    content: Iterator[bytes]
    """What comes out of it, to be read before the next entry is asked for, or not at all."""
