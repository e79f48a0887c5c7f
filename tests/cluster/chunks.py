"""Chunks for tests: games of three reference bots, and what of them is the same each time."""

from collections.abc import Sequence
from pathlib import Path

from arena.bots.bot import load_bot
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.store.block import PlayedBlock as Kept
from arena.store.block import unpack_games
from arena.tournaments.plan.blocks import Chunk, PlannedBlock
from arena.tournaments.play.backend import ChunkTask

BOTS = [load_bot(Path(name)) for name in ("highest", "lowest", "first-legal")]
BOT_FOLDERS = [bot.folder for bot in BOTS]
LIMITS = Limits(start=60, move=60, bank=60, wall=600)
"""No clock that runs out on a busy machine."""
MANY_DEALS = 2000
"""Deals that nobody has played before a test is over."""


def make_chunk(deals: int = 2) -> Chunk:
    """Return a chunk of deals that are each played twice."""
    blocks = tuple(
        PlannedBlock(b"%016d" % deal, deal, 100 + deal, ((0, 1, 2), (1, 2, 0)))
        for deal in range(deals)
    )
    return Chunk(Cell("sticheln", 3), (0, 1, 2), blocks)


def make_task(number: int = 1, deals: int = 2) -> ChunkTask:
    """Return such a chunk as a task."""
    return ChunkTask(number, make_chunk(deals))


def results_without_times(blocks: Sequence[Kept]) -> list[object]:
    """Return everything about blocks except their times."""
    return [
        (
            (block.key, block.variant, block.seats, block.number, block.seed, block.bots),
            [
                (one.seating, one.scores, one.ranks, one.points, one.faults, one.decisions)
                for one in block.results
            ],
            [
                (kept.record.seed, kept.record.bots, kept.record.choices)
                for kept in unpack_games(block.packed_games)
            ],
        )
        for block in blocks
    ]
