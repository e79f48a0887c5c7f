"""Work: a chunk of the plan is played, and becomes blocks that can be kept."""

import logging
from collections.abc import Callable, Sequence

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.games.catalog import variant
from arena.match import chunk as match
from arena.match.referee import Played
from arena.match.table import Deal
from arena.match.terms import Terms
from arena.store.block import Block, Kept, Result, pack, result
from arena.tournaments.block import Chunk

LOG = logging.getLogger(__name__)

Tick = Callable[[], None]
"""Is called after every game."""


def play(
    chunk: Chunk, bots: Sequence[Bot], launcher: Launcher, terms: Terms, tick: Tick
) -> list[Block]:
    """Play a chunk's blocks; `bots` are all of the tournament."""
    seated = [bots[number] for number in chunk.table]
    game = variant(chunk.cell.variant).game(chunk.cell.seats)
    deals = [Deal(block.seed) for block in chunk.blocks]
    turns = list(zip(*(block.seatings for block in chunk.blocks), strict=True))
    games: dict[tuple[int, int], tuple[Result, Kept]] = {}
    for turn, number, played in match.play_chunk(
        match.Chunk(game, seated, deals, turns), launcher, terms
    ):
        seating = chunk.blocks[number].seatings[turn]
        games[number, turn] = result(seating, played.record, played.deciders), kept(played)
        for fault in played.record.faults:
            bot = played.record.bots[fault.seat].name
            LOG.info("%s in seat %d, seed %d: %s", bot, fault.seat, played.record.seed, fault.text)
        tick()
    return [
        Block(
            key=block.key,
            variant=chunk.cell.variant,
            seats=chunk.cell.seats,
            number=block.number,
            seed=block.seed,
            bots=tuple(bot.name for bot in seated),
            results=tuple(games[number, turn][0] for turn in range(len(turns))),
            kept=pack(games[number, turn][1] for turn in range(len(turns))),
        )
        for number, block in enumerate(chunk.blocks)
    ]


def kept(played: Played) -> Kept:
    """What is kept of a game: what was written to stderr only if somebody was at fault."""
    return Kept(played.record, played.stderr if played.record.faults else ())
