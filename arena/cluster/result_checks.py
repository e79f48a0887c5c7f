"""Compares every result of a worker with its order and replays a random sample."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import Final

from arena.cluster.messages import InvalidWorkerReply, PlayedTask, StoppedByFault, unpack_blocks
from arena.referee.faults import FaultPolicy
from arena.referee.record import SeatedBot, verify_record
from arena.store.block import PlayedBlock
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.play.check_results import (
    find_mismatch,
    find_record_mismatch,
    find_replay_error,
)

MAX_REFUSALS: Final = 2
"""Results that do not match their chunks after which a worker is no longer used."""
MAX_FAILURES: Final = 8
"""Chunks that a worker fails to play in a row before it is excluded, if there are others."""


@dataclass
class WorkerHistory:
    """What the coordinator remembers of a worker, also while it is disconnected."""

    refusals: int = 0
    failures: int = 0
    """Consecutive chunks that it could not play, for reasons that are not a bot's."""
    has_replay: bool = False
    """Whether any of its blocks was replayed."""
    unchecked: set[bytes] = field(default_factory=set)
    """The keys of blocks that were accepted from it and not replayed."""
    exclusion: str = ""
    """Why it is no longer used; empty if it is."""


class ResultChecks:
    """Checks what workers return, with a history of each worker by its address."""

    def __init__(self, replay_share: float, rng: Random | None = None) -> None:
        self.replay_share = replay_share
        """The part of all blocks that is replayed."""
        self.rng = rng or SystemRandom()  # no worker can know which blocks are replayed
        self.histories: defaultdict[str, WorkerHistory] = defaultdict(WorkerHistory)

    def accept(
        self, address: str, chunk: Chunk, table: Sequence[SeatedBot], played: PlayedTask
    ) -> list[PlayedBlock] | InvalidWorkerReply:
        """Return the blocks of a chunk that a worker has played, or what is wrong with them."""
        blocks = unpack_blocks(played.blocks)
        if isinstance(blocks, InvalidWorkerReply):
            return blocks
        if why := find_mismatch(chunk, [one.name for one in table], blocks):
            return InvalidWorkerReply(why)
        for block in blocks:
            if why := find_record_mismatch(table, block):
                return InvalidWorkerReply(why)
        history = self.histories[address]
        sample = {block.key for block in blocks if self.rng.random() < self.replay_share}
        if not history.has_replay and blocks and self.replay_share:
            sample.add(self.rng.choice(blocks).key)
        for block in blocks:
            if block.key in sample and (why := find_replay_error(block)):
                history.refusals = MAX_REFUSALS  # the worker does not get a second chance
                return InvalidWorkerReply(why)
        history.failures = 0
        history.has_replay |= bool(sample)
        history.unchecked.update(block.key for block in blocks if block.key not in sample)
        return blocks

    def count_refusal(self, address: str, why: str) -> tuple[bytes, ...]:
        """Count a result that was not accepted; return the keys that are in doubt now."""
        history = self.histories[address]
        history.refusals += 1
        if history.refusals < MAX_REFUSALS:
            return ()
        history.exclusion = f"it returned something else than was ordered: {why}"
        doubted, history.unchecked = tuple(history.unchecked), set()
        return doubted


def find_stop_error(
    chunk: Chunk, table: Sequence[SeatedBot], policy: FaultPolicy, stopped: StoppedByFault
) -> str:
    """Return why a fault cannot have stopped a game of this chunk, or "".

    Whether the bot was at fault cannot be checked.
    """
    record, fault = stopped.record, stopped.fault
    if policy is not FaultPolicy.STRICT:
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
        verify_record(record)
    except Exception as error:  # whatever a forged record leads to
        return f"its record cannot be replayed: {error}"
    return ""
