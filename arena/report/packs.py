"""Packs: the records of a run in files that a page loads when a game of theirs is asked for."""

import base64
from collections.abc import Iterator

from arena.store import block
from arena.store.run import Run

FULL = 40
"""Blocks in a file, about: some 200 kB."""


def digits(blocks: int) -> int:
    """How many digits of a block's key tell its file, where there are so many blocks."""
    count = 1
    while blocks > FULL * 16**count:
        count += 1
    return count


def names(count: int) -> Iterator[str]:
    """What the files are called, where so many digits tell them."""
    for number in range(16**count):
        yield f"{number:0{count}x}"


def pack(run: Run, name: str, *, hidden: bool = False) -> bytes:
    """The blocks whose keys begin so, as a script; what bots wrote to stderr may be hidden."""
    faulty = run.faulty(name) if hidden else frozenset[bytes]()
    parts = [b"Stichkampf.pack({"]
    for key, games in run.packed(name):
        shown = silent(games) if key in faulty else games
        comma = b"," if len(parts) > 1 else b""
        parts += [comma, f'"{key.hex()}":"'.encode(), base64.b64encode(shown), b'"']
    return b"".join([*parts, b"});\n"])


def silent(games: bytes) -> bytes:
    """Packed games without what bots wrote to stderr."""
    return block.pack(map(block.quiet, block.unpack(games)))
