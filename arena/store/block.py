"""Played blocks: the results of their games, and the compressed records."""

import zlib
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BadRecord
from arena.referee.record import Record

KEY_BYTES = 16
"""Bytes of a block's key: a hash of all that makes it what it is."""


COMPRESSION_LEVEL = 6
"""Of compression: 9 takes 1.6 times as long for one byte in a hundred."""

MAX_GAMES_BYTES = 1 << 28
"""Bytes of a block's games before they are compressed, which no honest block comes near."""


DROPPED_RECORDS = b"\0"
"""In place of records that were dropped."""
DROPPED_TEXT = (
    "the records of this block were dropped, as those of old versions are on a ladder after some "
    "nights; what its games came to is kept"
)


class StoredGame(Struct, frozen=True, omit_defaults=True):
    """A game with all that is kept of it."""

    record: Record
    stderr: tuple[str, ...] = ()
    """What each seat wrote to stderr, if somebody was at fault."""


class GameResult(Struct, frozen=True):
    """What a game came to, each seat in its turn."""

    seating: tuple[int, ...]
    """For each seat, the place at the table of the bot that sits there."""
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    points: tuple[int, ...]
    """The scores; but who was at fault has one less than the worst of the table."""
    faults: tuple[int, ...]
    """How many each seat has."""
    decisions: tuple[int, ...]
    cpu: tuple[int, ...]
    """Microseconds of CPU time over all decisions."""


class PlayedBlock(Struct, frozen=True):
    """One deal, played by one table in every seating of its design."""

    key: bytes
    variant: str
    seats: int
    number: int
    """Which of the blocks of its table and variant it is."""
    seed: int
    """The deal's."""
    bots: tuple[str, ...]
    """The names of those at the table, each at its place."""
    results: tuple[GameResult, ...]
    """Of each game, in the order of the design."""
    kept: bytes
    """The games themselves, packed."""


def game_result(seating: Sequence[int], record: Record, deciders: Sequence[int]) -> GameResult:
    """What a game came to, from its record and the seat that made each choice."""
    faults = [0] * record.seats
    for fault in record.faults:
        faults[fault.seat] += 1
    decisions, cpu = [0] * record.seats, [0] * record.seats
    for seat, spent in zip(deciders, record.cpu, strict=True):
        decisions[seat] += 1
        cpu[seat] += spent
    below = min(record.scores) - 1
    return GameResult(
        seating=tuple(seating),
        scores=record.scores,
        ranks=record.ranks,
        points=tuple(
            below if guilty else score for guilty, score in zip(faults, record.scores, strict=True)
        ),
        faults=tuple(faults),
        decisions=tuple(decisions),
        cpu=tuple(cpu),
    )


def without_stderr(game: StoredGame) -> StoredGame:
    """A game without what bots wrote to stderr, which is their owners' business."""
    faults = tuple(
        replace(fault, evidence=replace(fault.evidence, stderr="")) for fault in game.record.faults
    )
    return StoredGame(replace(game.record, faults=faults))


def pack_games(games: Iterable[StoredGame]) -> bytes:
    """Games in as few bytes as is cheap."""
    return zlib.compress(msgspec.msgpack.encode(tuple(games)), COMPRESSION_LEVEL)


def unpack_games(packed: bytes) -> tuple[StoredGame, ...]:
    """The games again."""
    if packed == DROPPED_RECORDS:
        raise BadRecord(DROPPED_TEXT)
    try:
        opened = zlib.decompressobj()
        plain = opened.decompress(packed, MAX_GAMES_BYTES)
        if opened.unconsumed_tail or not opened.eof:
            raise BadRecord("the records of a block are cut off, or too many to be true")
        return msgspec.msgpack.decode(plain, type=tuple[StoredGame, ...])
    except (zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRecord(f"the records of a block cannot be read: {error}") from error
