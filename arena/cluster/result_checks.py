"""Decides whether the results of a worker are believed: all are compared, a sample is replayed."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import Final

from arena.cluster.messages import Played, StoppedByFault, Unreadable, unpack_blocks
from arena.match.faults import Policy
from arena.match.record import Seated, verify
from arena.store.block import Block
from arena.tournaments.block import Chunk
from arena.tournaments.check_results import (
    find_mismatch,
    find_record_mismatch,
    find_replay_error,
)

REFUSALS: Final = 2
"""Results that do not match their chunks after which a worker is no longer used."""
FAILURES: Final = 8
"""Chunks that a worker fails to play in a row before it is excluded, if there are others."""


@dataclass
class History:
    """What is known of a worker, also while it is not connected."""

    refusals: int = 0
    failures: int = 0
    """Chunks one after the other that it could not play, for no reason of a bot's."""
    replayed: bool = False
    """Whether a block of it was replayed."""
    unchecked: set[bytes] = field(default_factory=set)
    """The keys of blocks that were accepted from it and not replayed."""
    excluded: str = ""
    """Why it is no longer used, if it is not."""


class ResultChecks:
    """Checks what workers return, and remembers it of each of them by its address."""

    def __init__(self, share: float, chance: Random | None = None) -> None:
        self.share = share
        """The part of all blocks that is replayed."""
        self.chance = chance or SystemRandom()  # no worker can know which blocks are replayed
        self.histories: defaultdict[str, History] = defaultdict(History)

    def accept(
        self, address: str, chunk: Chunk, table: Sequence[Seated], played: Played
    ) -> list[Block] | Unreadable:
        """Return the blocks of a chunk that a worker has played, or what is wrong with them."""
        blocks = unpack_blocks(played.blocks)
        if isinstance(blocks, Unreadable):
            return blocks
        if why := find_mismatch(chunk, [one.name for one in table], blocks):
            return Unreadable(why)
        for block in blocks:
            if why := find_record_mismatch(table, block):
                return Unreadable(why)
        history = self.histories[address]
        sample = {block.key for block in blocks if self.chance.random() < self.share}
        if not history.replayed and blocks and self.share:
            sample.add(self.chance.choice(blocks).key)
        for block in blocks:
            if block.key in sample and (why := find_replay_error(block)):
                history.refusals = REFUSALS  # the worker does not get a second chance
                return Unreadable(why)
        history.failures = 0
        history.replayed |= bool(sample)
        history.unchecked.update(block.key for block in blocks if block.key not in sample)
        return blocks

    def refuse(self, address: str, why: str) -> tuple[bytes, ...]:
        """Count a result that was not accepted; return the keys that are in doubt now."""
        history = self.histories[address]
        history.refusals += 1
        if history.refusals < REFUSALS:
            return ()
        history.excluded = f"it returned something else than was ordered: {why}"
        doubted, history.unchecked = tuple(history.unchecked), set()
        return doubted


def find_stop_error(
    chunk: Chunk, table: Sequence[Seated], policy: Policy, stopped: StoppedByFault
) -> str:
    """Return why a fault cannot have stopped a game of this chunk, or "".

    Whether the bot was at fault cannot be checked.
    """
    record, fault = stopped.record, stopped.fault
    if policy is not Policy.STRICT:
        return "it says that a fault stopped it, but faults do not stop this run"
    games = {
        (block.seed, tuple(table[place] for place in seating))
        for block in chunk.blocks
        for seating in block.seatings
    }
    cell = (record.variant, record.seats)
    if cell != (chunk.cell.variant, chunk.cell.seats) or (record.seed, record.bots) not in games:
        return "it was stopped in a game that was not ordered"
    if not record.stopped or fault not in record.faults or not 0 <= fault.seat < record.seats:
        return "it was stopped by a fault that is not in its record"
    try:
        verify(record)
    except Exception as error:  # whatever a forged record leads to
        return f"its record cannot be replayed: {error}"
    return ""
