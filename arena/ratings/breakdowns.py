"""Optional sections of the standings: interval audit, seat bias and spread by cell."""

from collections.abc import Sequence
from itertools import product

from msgspec import Struct

from arena.ratings import bootstrap, distributions, seat_bias
from arena.ratings.cell import Cell
from arena.ratings.confidence import TWO_SIDED_Z
from arena.ratings.overall import Roster, round_figure
from arena.ratings.results import Results, SeatedGames


class IntervalAudit(Struct, frozen=True):
    """Whether the intervals of a cell are honest."""

    cell: Cell
    ratio: float | None
    """Errors found by resampling over errors stated."""
    alarm: bool
    sentence: str


class Effect(Struct, frozen=True):
    """What something does to placement."""

    effect: float
    margin: float | None
    """To each side, at 95 %; None where there are too few blocks to tell."""

    def is_sure(self, errors: float = TWO_SIDED_Z) -> bool:
        """Whether it is so many standard errors away from nothing."""
        return self.margin is not None and abs(self.effect) > self.margin * errors / TWO_SIDED_Z


class NeighbourEffect(Effect, frozen=True):
    """What it does to a bot that another sits on its left."""

    bot: str
    left: str
    games: int


class CellBias(Struct, frozen=True):
    """What the seat, and who sits on the left, is worth in a cell."""

    cell: Cell
    games: int
    seats: tuple[Effect, ...]
    """Mean placement in each seat less a half."""
    neighbours: tuple[NeighbourEffect, ...]


class BotDistribution(Struct, frozen=True):
    """How a bot's points in a game scatter around the mean of its table."""

    bot: str
    games: int
    mean: float
    deviation: float
    quantiles: tuple[float, ...]
    """At 5, 25, 50, 75 and 95 %."""
    placements: tuple[float, ...]
    """Games at each rank, from the first; who ties with one other has half of either rank."""


class CellSpread(Struct, frozen=True):
    """How points and placements scatter in a cell."""

    cell: Cell
    luck: float | None
    """The share of the cards in what is left to chance in a game's points."""
    bots: tuple[BotDistribution, ...]


def audit_cell(roster: Roster, results: Results) -> IntervalAudit:
    """The audit of a cell."""
    found = bootstrap.audit(results, len(roster.bots), roster.standing)
    ratio = None if found.ratio is None else round_figure(found.ratio)
    return IntervalAudit(results.cell, ratio, found.alarm, found.sentence)


def cell_bias(roster: Roster, seatings: SeatedGames) -> CellBias:
    """What seats and neighbours do in a cell."""
    seats = seat_bias.seat_effects(seatings)
    beside = seat_bias.neighbour_effects(seatings, len(roster.bots))
    return CellBias(
        cell=seatings.cell,
        games=seats.games,
        seats=tuple(
            Effect(round_figure(effect), round_figure(reach) if seats.has_interval else None)
            for effect, reach in zip(seats.effect, seats.margin, strict=True)
        ),
        neighbours=tuple(
            NeighbourEffect(
                round_figure(beside.effect[spot]),
                round_figure(beside.margin[spot]) if beside.has_interval[spot] else None,
                roster.bots[spot[0]],
                roster.bots[spot[1]],
                int(beside.games[spot]),
            )
            for spot in product(range(len(roster.bots)), repeat=2)
            if beside.games[spot]
        ),
    )


def cell_spread(roster: Roster, seatings: SeatedGames, order: Sequence[str]) -> CellSpread:
    """How points scatter in a cell, for those who played there in this order."""
    return describe_spread(
        roster, seatings.cell, distributions.measure_points(seatings, len(roster.bots)), order
    )


def describe_spread(
    roster: Roster, cell: Cell, found: distributions.PointDistribution, order: Sequence[str]
) -> CellSpread:
    """What was measured in a cell, for those who played there in this order."""
    places = [roster.bots.index(name) for name in order]
    return CellSpread(
        cell=cell,
        luck=None if found.luck is None else round_figure(found.luck),
        bots=tuple(
            BotDistribution(
                bot=roster.bots[bot],
                games=int(found.games[bot]),
                mean=round_figure(found.mean[bot]),
                deviation=round_figure(found.deviation[bot]),
                quantiles=tuple(round_figure(value) for value in found.quantiles[bot]),
                placements=tuple(round_figure(value) for value in found.placements[bot]),
            )
            for bot in places
            if found.games[bot]
        ),
    )
