"""Optional sections of the standings: seat bias and spread by cell."""

from collections.abc import Sequence
from itertools import product

from msgspec import Struct

from arena.ratings import point_distributions, seat_bias
from arena.ratings.cell import Cell
from arena.ratings.confidence import TWO_SIDED_Z
from arena.ratings.overall import Roster, round_figure
from arena.ratings.results import SeatedGames


class Effect(Struct, frozen=True):
    """An effect on placement."""

    effect: float
    margin: float | None
    """Half the width of the 95 % interval; None with too few blocks."""

    def is_sure(self, errors: float = TWO_SIDED_Z) -> bool:
        """Whether the effect is so many standard errors away from 0."""
        return self.margin is not None and abs(self.effect) > self.margin * errors / TWO_SIDED_Z


class NeighbourEffect(Effect, frozen=True):
    """The effect on a bot of another that sits on its left."""

    bot: str
    left: str
    games: int


class CellBias(Struct, frozen=True):
    """The effects of the seats, and of the neighbours on the left, in a cell."""

    cell: Cell
    games: int
    seats: tuple[Effect, ...]
    """Mean placement in each seat less a half."""
    neighbours: tuple[NeighbourEffect, ...]


class BotDistribution(Struct, frozen=True):
    """The distribution of a bot's points in a game around the mean of its table."""

    bot: str
    games: int
    mean: float
    deviation: float
    quantiles: tuple[float, ...]
    """At 5, 25, 50, 75 and 95 %."""
    placements: tuple[float, ...]
    """Games at each rank, from the first; a tie of two counts half for either rank."""


class CellSpread(Struct, frozen=True):
    """The distributions of points and placements in a cell."""

    cell: Cell
    luck: float | None
    """The share of the variance of points, bots aside, that comes from the cards."""
    bots: tuple[BotDistribution, ...]


def cell_bias(roster: Roster, seatings: SeatedGames) -> CellBias:
    """Measure the effects of seats and neighbours in a cell."""
    seats = seat_bias.seat_effects(seatings)
    beside = seat_bias.neighbour_effects(seatings, len(roster.bots))
    return CellBias(
        cell=seatings.cell,
        games=seats.games,
        seats=tuple(
            Effect(round_figure(effect), round_figure(margin) if seats.has_interval else None)
            for effect, margin in zip(seats.effect, seats.margin, strict=True)
        ),
        neighbours=tuple(
            NeighbourEffect(
                round_figure(beside.effect[pair]),
                round_figure(beside.margin[pair]) if beside.has_interval[pair] else None,
                roster.bots[pair[0]],
                roster.bots[pair[1]],
                int(beside.games[pair]),
            )
            for pair in product(range(len(roster.bots)), repeat=2)
            if beside.games[pair]
        ),
    )


def cell_spread(roster: Roster, seatings: SeatedGames, order: Sequence[str]) -> CellSpread:
    """Measure the distributions in a cell, with the bots in this order."""
    return describe_spread(
        roster,
        seatings.cell,
        point_distributions.measure_distributions(seatings, len(roster.bots)),
        order,
    )


def describe_spread(
    roster: Roster,
    cell: Cell,
    distribution: point_distributions.PointDistribution,
    order: Sequence[str],
) -> CellSpread:
    """Round the distributions of a cell, with the bots that have played in this order."""
    chosen = [roster.bots.index(name) for name in order]
    return CellSpread(
        cell=cell,
        luck=None if distribution.luck is None else round_figure(distribution.luck),
        bots=tuple(
            BotDistribution(
                bot=roster.bots[bot],
                games=int(distribution.games[bot]),
                mean=round_figure(distribution.mean[bot]),
                deviation=round_figure(distribution.deviation[bot]),
                quantiles=tuple(round_figure(value) for value in distribution.quantiles[bot]),
                placements=tuple(round_figure(value) for value in distribution.placements[bot]),
            )
            for bot in chosen
            if distribution.games[bot]
        ),
    )
