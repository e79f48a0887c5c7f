"""Hashes of results and records, which prove dropped records and reveal changed results."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec

from arena.match.record import Record
from arena.store.block import Block, Kept, quiet
from arena.store.reading import Written

DIGEST: Final = 32
"""Bytes of a hash."""


def record_digest(record: Record) -> bytes:
    """Hash a record without what bots wrote to stderr, which is never published."""
    public = quiet(Kept(record)).record
    plain = msgspec.to_builtins(public, str_keys=True)  # keys that are numbers cannot be sorted
    return sha256(msgspec.json.encode(plain, order="sorted")).digest()


def digests(games: Iterable[Kept]) -> bytes:
    """The hashes of the records of a block, one after another."""
    return b"".join(record_digest(game.record) for game in games)


def divided(joined: bytes) -> Iterator[bytes]:
    """Each of the hashes that `digests` has joined."""
    for start in range(0, len(joined), DIGEST):
        yield joined[start : start + DIGEST]


def block_digest(block: Block, written: Written, salt: str, records: bytes) -> bytes:
    """Hash all that the file says of a block, with the hashes of its records."""
    told = (
        *(block.key.hex(), block.variant, block.seats, block.number, block.seed, block.bots),
        *(block.results, written.games, written.turns, written.places, written.entries),
        *(written.faults, salt, records.hex()),
    )
    return sha256(msgspec.json.encode(told)).digest()
