"""Hashes of blocks and records, which detect changed results and identify dropped records."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec

from arena.referee.record import Record
from arena.store.block import PlayedBlock, StoredGame, without_stderr
from arena.store.reading import BlockRows

DIGEST_BYTES: Final = 32
"""Bytes of one hash."""


def record_digest(record: Record) -> bytes:
    """Hash a record without what bots wrote to stderr, which is never published."""
    public = without_stderr(StoredGame(record)).record
    plain = msgspec.to_builtins(public, str_keys=True)  # keys that are numbers cannot be sorted
    return sha256(msgspec.json.encode(plain, order="sorted")).digest()


def record_digests(games: Iterable[StoredGame]) -> bytes:
    """Join the hashes of the records of some games."""
    return b"".join(record_digest(game.record) for game in games)


def split_digests(joined: bytes) -> Iterator[bytes]:
    """Split the hashes that `record_digests` has joined."""
    for start in range(0, len(joined), DIGEST_BYTES):
        yield joined[start : start + DIGEST_BYTES]


def block_digest(block: PlayedBlock, rows: BlockRows, salt: str, records: bytes) -> bytes:
    """Hash all that the database holds about a block, with the hashes of its records."""
    content = (
        *(block.key.hex(), block.variant, block.seats, block.number, block.seed, block.bots),
        *(block.results, rows.games, rows.turns, rows.places, rows.entries),
        *(rows.faults, salt, records.hex()),
    )
    return sha256(msgspec.json.encode(content)).digest()
