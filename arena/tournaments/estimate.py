"""An estimate of what a plan costs: decisions, processes and time."""

from functools import cache
from random import Random

from msgspec import Struct

from arena.games.catalog import variant
from arena.games.seeded import Seeded
from arena.ratings.cell import Cell
from arena.tournaments.designs import design
from arena.tournaments.plan import Plan

DECISION = 45e-6
"""Seconds of a core that a decision takes, with bots in Python that answer at once."""
START = 40e-3
"""Seconds of a core until such a bot is ready to play."""
GAMES = 8
"""Games that are played to see how long they are, where that depends on how they go."""


class Estimate(Struct, frozen=True):
    """What is to be expected."""

    decisions: int
    starts: int
    """Processes of bots that are launched."""
    workers: int
    seconds: float
    """With bots that answer at once."""
    seconds_for_a_millisecond: float
    """That much longer for each millisecond that a bot thinks about a decision."""


@cache
def decisions(cell: Cell) -> float:
    """The decisions in a game of a cell, as it goes if everybody plays at random."""
    game = variant(cell.variant).game(cell.seats)
    games = 1 if game.sizes.rounds else GAMES
    found = 0
    for seed in range(games):
        chance = Random(seed)  # noqa: S311 (nobody is to be kept from guessing it)
        state = game.start(Seeded(seed))
        while pending := game.pending(state):
            found += len(pending)
            state = game.apply(state, [chance.choice(each.options) for each in pending])
    return found / games


def estimate(plan: Plan, workers: int) -> Estimate:
    """What a plan costs on so many cores."""
    asked, starts = 0.0, 0
    for cell in plan.tournament.cells:
        total = plan.total(cell)
        turns = len(design(plan.tournament.seating, cell.seats)[0])
        asked += total.games * decisions(cell)
        starts += total.chunks * turns * cell.seats
    busy = min(workers, max(1, plan.totals.chunks))
    return Estimate(
        decisions=round(asked),
        starts=starts,
        workers=workers,
        seconds=(asked * DECISION + starts * START) / busy,
        seconds_for_a_millisecond=asked / 1000 / busy,
    )
