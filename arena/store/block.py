"""Played blocks: the results of their games, and the compressed records."""

import zlib
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BadRecord
from arena.referee.record import Record

T = TypeVar("T")

KEY_BYTES = 16
"""Bytes of a block's key: a hash of its variant, deal, bots, seatings and the protocol."""

COMPRESSION_LEVEL = 6
"""For zlib: level 9 takes 1.6 times as long and saves one byte in a hundred."""

MAX_GAMES_BYTES = 1 << 28
"""Limit for the games of a block before compression, which no honest block comes near."""

DROPPED_RECORDS = b"\0"
"""Stored in place of records that were dropped."""
DROPPED_TEXT = (
    "the records of this block were dropped, as a ladder does for old versions after some nights; "
    "the results of its games are stored"
)


class StoredGame(Struct, frozen=True, omit_defaults=True):
    """A game as it is stored: its record, and what its bots wrote to stderr."""

    record: Record
    stderr: tuple[str, ...] = ()
    """What each seat wrote to stderr, if a bot was at fault."""


class GameResult(Struct, frozen=True):
    """The result of a game, with a value for each seat."""

    seating: tuple[int, ...]
    """The place at the table of the bot in each seat."""
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    points: tuple[int, ...]
    """The scores; a bot at fault has one less than the worst of the table instead."""
    faults: tuple[int, ...]
    """Faults of each seat."""
    decisions: tuple[int, ...]
    cpu: tuple[int, ...]
    """Microseconds of CPU time over all decisions."""


class PlayedBlock(Struct, frozen=True):
    """One deal, played by one table in every seating of its design."""

    key: bytes
    variant: str
    seats: int
    number: int
    """Its number among the blocks of its table and variant."""
    seed: int
    """The seed of the deal."""
    bots: tuple[str, ...]
    """The name of the bot at each place of the table."""
    results: tuple[GameResult, ...]
    """The result of each game, in the order of the design."""
    packed_games: bytes
    """The records of the games, packed by `pack_games`."""


def points_of(scores: Sequence[int], faults: Sequence[int]) -> tuple[int, ...]:
    """The points of each seat: its score, or with faults one less than the worst score."""
    below = min(scores, default=0) - 1
    return tuple(below if guilty else score for guilty, score in zip(faults, scores, strict=True))


def game_result(seating: Sequence[int], record: Record, deciders: Sequence[int]) -> GameResult:
    """Return the result of a game, from its record and the seat that made each choice."""
    faults = [0] * record.seats
    for fault in record.faults:
        faults[fault.seat] += 1
    decisions, cpu = [0] * record.seats, [0] * record.seats
    for seat, spent in zip(deciders, record.cpu, strict=True):
        decisions[seat] += 1
        cpu[seat] += spent
    return GameResult(
        seating=tuple(seating),
        scores=record.scores,
        ranks=record.ranks,
        points=points_of(record.scores, faults),
        faults=tuple(faults),
        decisions=tuple(decisions),
        cpu=tuple(cpu),
    )


def without_stderr(game: StoredGame) -> StoredGame:
    """Return a game without what its bots wrote to stderr, which is private to their owners."""
    faults = tuple(
        replace(fault, evidence=replace(fault.evidence, stderr="")) for fault in game.record.faults
    )
    return StoredGame(replace(game.record, faults=faults))


def pack_games(games: Iterable[StoredGame]) -> bytes:
    """Encode and compress games."""
    return zlib.compress(msgspec.msgpack.encode(tuple(games)), COMPRESSION_LEVEL)


GAMES_DECODER: Final = msgspec.msgpack.Decoder(tuple[StoredGame, ...])


def unpack_games(packed: bytes) -> tuple[StoredGame, ...]:
    """Decode games that `pack_games` has packed."""
    return decode_games(packed, GAMES_DECODER)


def decode_games(packed: bytes, decoder: msgspec.msgpack.Decoder[T]) -> T:
    """Decode packed games, or the part of them that a decoder reads."""
    if packed == DROPPED_RECORDS:
        raise BadRecord(DROPPED_TEXT)
    try:
        decompressor = zlib.decompressobj()
        plain = decompressor.decompress(packed, MAX_GAMES_BYTES)
        if decompressor.unconsumed_tail or not decompressor.eof:
            raise BadRecord("the records of a block are cut off, or too many to be true")
        return decoder.decode(plain)
    except (zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRecord(f"the records of a block cannot be read: {error}") from error
