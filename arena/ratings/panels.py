"""Panels: what is told beside the standings when it is asked for, cell by cell."""

from collections.abc import Sequence
from itertools import product

from msgspec import Struct

from arena.ratings import audit, bias, spread
from arena.ratings.cell import Cell
from arena.ratings.certainty import WIDTH
from arena.ratings.overall import Roster, figure
from arena.ratings.results import Results, Seatings


class Audited(Struct, frozen=True):
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

    def sure(self, errors: float = WIDTH) -> bool:
        """Whether it is so many standard errors away from nothing."""
        return self.margin is not None and abs(self.effect) > self.margin * errors / WIDTH


class Beside(Effect, frozen=True):
    """What it does to a bot that another sits on its left."""

    bot: str
    left: str
    games: int


class Bias(Struct, frozen=True):
    """What the seat, and who sits on the left, is worth in a cell."""

    cell: Cell
    games: int
    seats: tuple[Effect, ...]
    """Mean placement in each seat less a half."""
    neighbours: tuple[Beside, ...]


class Distribution(Struct, frozen=True):
    """How a bot's points in a game scatter around the mean of its table."""

    bot: str
    games: int
    mean: float
    deviation: float
    quantiles: tuple[float, ...]
    """At 5, 25, 50, 75 and 95 %."""
    placements: tuple[float, ...]
    """Games at each rank, from the first; who ties with one other has half of either rank."""


class Spread(Struct, frozen=True):
    """How points and placements scatter in a cell."""

    cell: Cell
    luck: float | None
    """The share of the cards in what is left to chance in a game's points."""
    bots: tuple[Distribution, ...]


def audited(roster: Roster, results: Results) -> Audited:
    """The audit of a cell."""
    found = audit.audit(results, len(roster.bots), roster.standing)
    ratio = None if found.ratio is None else figure(found.ratio)
    return Audited(results.cell, ratio, found.alarm, found.sentence)


def biased(roster: Roster, seatings: Seatings) -> Bias:
    """What seats and neighbours do in a cell."""
    seats = bias.seat_bias(seatings)
    beside = bias.neighbour_bias(seatings, len(roster.bots))
    return Bias(
        cell=seatings.cell,
        games=seats.games,
        seats=tuple(
            Effect(figure(effect), figure(reach) if seats.known else None)
            for effect, reach in zip(seats.effect, seats.reach, strict=True)
        ),
        neighbours=tuple(
            Beside(
                figure(beside.effect[spot]),
                figure(beside.reach[spot]) if beside.known[spot] else None,
                roster.bots[spot[0]],
                roster.bots[spot[1]],
                int(beside.games[spot]),
            )
            for spot in product(range(len(roster.bots)), repeat=2)
            if beside.games[spot]
        ),
    )


def scattered(roster: Roster, seatings: Seatings, order: Sequence[str]) -> Spread:
    """How points scatter in a cell, for those who played there in this order."""
    return described(roster, seatings.cell, spread.measure(seatings, len(roster.bots)), order)


def described(roster: Roster, cell: Cell, found: spread.Spread, order: Sequence[str]) -> Spread:
    """What was measured in a cell, for those who played there in this order."""
    places = [roster.bots.index(name) for name in order]
    return Spread(
        cell=cell,
        luck=None if found.luck is None else figure(found.luck),
        bots=tuple(
            Distribution(
                bot=roster.bots[bot],
                games=int(found.games[bot]),
                mean=figure(found.mean[bot]),
                deviation=figure(found.deviation[bot]),
                quantiles=tuple(figure(value) for value in found.quantiles[bot]),
                placements=tuple(figure(value) for value in found.placements[bot]),
            )
            for bot in places
            if found.games[bot]
        ),
    )
