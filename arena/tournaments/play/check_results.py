"""Compare the blocks that a worker returned with its chunk, and with their own records."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

import msgspec
from msgspec import Struct

from arena.errors import ArenaError
from arena.referee.record import SeatedBot, deciders, verify_record
from arena.store.block import (
    GameResult,
    PlayedBlock,
    decode_games,
    game_result,
    points_of,
    unpack_games,
)
from arena.store.search import short_key
from arena.tournaments.plan.blocks import Chunk, PlannedBlock

MAX_SCORE: Final = 1 << 31
"""No score or number of points of a game is as far from 0."""
MAX_CPU_TIME: Final = 1 << 50
"""Microseconds that no game takes; sums of them still fit into the store."""


class RecordedFault(Struct, frozen=True):
    """The part of a fault that results repeat."""

    seat: int


class RecordHead(Struct, frozen=True):
    """The part of a record that the chunk decides or that results repeat."""

    variant: str
    seats: int
    seed: int
    bots: tuple[SeatedBot, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    first: int = 0
    faults: tuple[RecordedFault, ...] = ()
    stopped: bool = False


class StoredGameHead(Struct, frozen=True):
    """The part of a kept game that is compared."""

    record: RecordHead


HEADS_DECODER: Final = msgspec.msgpack.Decoder(tuple[StoredGameHead, ...])


def find_mismatch(chunk: Chunk, names: Sequence[str], blocks: object) -> str:
    """Return how blocks differ from those of a chunk, or "" if they are what was ordered.

    The names are those of the bots at the chunk's table. Only what the chunk decides is compared,
    and that results have a form which can be stored; whether they are true is not.
    """
    if not isinstance(blocks, list) or not all(isinstance(block, PlayedBlock) for block in blocks):
        return "it is not a list of blocks"
    if len(blocks) != len(chunk.blocks):
        return f"{len(blocks)} blocks came back instead of {len(chunk.blocks)}"
    for planned, block in zip(chunk.blocks, blocks, strict=True):
        if block.key != planned.key:
            return f"a block came back in place of block {short_key(planned.key)}"
        try:
            mismatch = block_mismatch(chunk, planned, tuple(names), block)
        except (AttributeError, TypeError):
            mismatch = "something in it is of the wrong type"
        if mismatch:
            return f"block {short_key(planned.key)}: {mismatch}"
    return ""


def block_mismatch(
    chunk: Chunk, planned: PlannedBlock, names: tuple[str, ...], block: PlayedBlock
) -> str:
    """Return how one block differs from the planned one, or ""."""
    ordered = (chunk.cell.variant, chunk.cell.seats, planned.number, planned.seed, names)
    returned = (block.variant, block.seats, block.number, block.seed, block.bots)
    for what, wanted, got in zip(
        ("variant", "number of seats", "number", "deal", "table"), ordered, returned, strict=True
    ):
        if got != wanted:
            return f"its {what} is {got} instead of {wanted}"
    if len(block.results) != len(planned.seatings):
        return f"it has {len(block.results)} games instead of {len(planned.seatings)}"
    for seating, result in zip(planned.seatings, block.results, strict=True):
        if result.seating != tuple(seating):
            return f"its seating is {result.seating} instead of {tuple(seating)}"
        if problem := find_malformed(result, chunk.cell.seats):
            return problem
    return ""


def find_malformed(result: GameResult, seats: int) -> str:
    """Return why a result cannot be that of a game with so many seats, or ""."""
    bounds = {
        "scores": (-MAX_SCORE, MAX_SCORE),
        "ranks": (1, seats),
        "points": (-MAX_SCORE, MAX_SCORE),
        "faults": (0, MAX_SCORE),
        "decisions": (0, MAX_SCORE),
        "cpu": (0, MAX_CPU_TIME),
    }
    for field, (least, most) in bounds.items():
        values = getattr(result, field)
        if len(values) != seats:
            return f"its {field} are those of {len(values)} seats"
        if not least <= min(values) <= max(values) <= most:
            return f"its {field} are {values}"
    return ""


def find_record_mismatch(table: Sequence[SeatedBot], block: PlayedBlock) -> str:
    """Return how the records of a block contradict its order or its results, or "".

    It is cheap, since nothing is replayed and most of a record is skipped.
    """
    try:
        if any(any(result.faults) for result in block.results):
            # The store reads the records of faults, so all of them must be readable.
            unpack_games(block.packed_games)
        heads = decode_games(block.packed_games, HEADS_DECODER)
    except ArenaError as error:
        return f"block {short_key(block.key)}: its records cannot be read: {error}"
    ordered = (block.variant, block.seats, block.seed, 0, False)
    for listed, head in zip_longest(block.results, heads):
        if listed is None or head is None:
            return f"block {short_key(block.key)}: it has {len(heads)} records"
        record = head.record
        seated = tuple(table[place] for place in listed.seating)
        returned = (record.variant, record.seats, record.seed, record.first, record.stopped)
        if returned != ordered or record.bots != seated:
            return f"block {short_key(block.key)}: a record is of another game or other bots"
        faults = [0] * block.seats
        for fault in record.faults:
            if not 0 <= fault.seat < block.seats:
                return f"block {short_key(block.key)}: a fault is in seat {fault.seat}"
            faults[fault.seat] += 1
        recorded = (record.scores, record.ranks, tuple(faults))
        if recorded != (listed.scores, listed.ranks, listed.faults) or (
            listed.points != points_of(listed.scores, listed.faults)
        ):
            return f"block {short_key(block.key)}: its results are not those of its records"
    return ""


def find_replay_error(block: PlayedBlock) -> str:
    """Replay the games of a block; return the first thing that comes out otherwise, or "".

    Faults cannot be replayed, nor can the times that bots took.
    """
    try:
        games = unpack_games(block.packed_games)
        for listed, game in zip(block.results, games, strict=True):
            verify_record(game.record)
            replayed = game_result(listed.seating, game.record, list(deciders(game.record)))
            if replayed != listed:
                return (
                    f"block {short_key(block.key)}: played again it is {replayed}, listed is "
                    f"{listed}"
                )
    except Exception as error:  # a forged record may raise anything
        return f"block {short_key(block.key)}: it cannot be replayed: {error}"
    return ""
