"""The crosstable: every bot against every other, and whether the ratings explain what happened."""

import math
from collections.abc import Iterator, Mapping, Sequence, Set

import numpy as np
from msgspec import Struct

from arena.ratings.cell import Cell
from arena.ratings.certainty import NEXT_TO_NONE, between, chances_of
from arena.ratings.overall import Rated, Roster, average, figure, rate_cells
from arena.ratings.propagation import BETA
from arena.ratings.results import Floats, Results
from arena.ratings.standing import By, ranks

ODD = 3.5
"""So many standard errors between what was expected and what happened are no chance."""
NOTABLE = 0.02
"""A smaller gap does not matter, however many blocks have made sure of it."""
FEWEST = 1.0
"""The least variance, in blocks: a single upset is no proof, however unlikely it was."""


class Pair(Struct, frozen=True, kw_only=True):
    """Two bots, seen by the one in the row."""

    row: str
    column: str
    blocks: int
    """In how many they met."""
    ahead: float | None = None
    """The share of these in which the row finished ahead; a tie counts half."""
    better: float | None = None
    """The chance that the row is the better bot, by the ratings."""
    expected: float | None = None
    """The share that the ratings expect it to finish ahead."""
    z: float | None = None
    """How many standard errors the share is above what is expected."""

    @property
    def odd(self) -> bool:
        """Whether one rating for each bot does not explain how these two fare."""
        if self.z is None or self.ahead is None or self.expected is None:
            return False
        return abs(self.z) > ODD and abs(self.ahead - self.expected) >= NOTABLE


class Crosstable(Struct, frozen=True, kw_only=True):
    """Every bot against every other."""

    name: str
    standing: By
    cells: tuple[Cell, ...]
    blocks: int
    games: int
    bots: tuple[str, ...]
    """By rank; those without one come last."""
    ranked: int
    """How many have a rank."""
    pairs: tuple[Pair, ...]
    """Row by row, and each from both sides."""
    odd: tuple[Pair, ...]
    """Pairs that the ratings do not explain, seen by the higher one: no single order holds them."""


def compare(roster: Roster, results: Mapping[Cell, Results]) -> Crosstable:
    """The crosstable of a run's bots over some of its cells, in which all blocks count the same."""
    return cross(roster, rate_cells(roster, results))


def cross(
    roster: Roster, cells: Sequence[Rated], *, only: Set[str] | None = None, met: bool = False
) -> Crosstable:
    """The same, of cells that are rated already; of some bots only, or of who has met only.

    All pairs of a thousand bots are a million.
    """
    found = Encounters(roster, cells, only)
    pairs = tuple(found.pairs(met=met))
    place = {roster.bots[bot]: rank for rank, bot in enumerate(found.order)}
    return Crosstable(
        name=roster.name,
        standing=roster.standing,
        cells=tuple(one.cell for one in cells),
        blocks=sum(one.results.blocks for one in cells),
        games=sum(int(one.results.games.sum()) for one in cells),
        bots=tuple(place),
        ranked=found.ranked,
        pairs=pairs,
        odd=tuple(pair for pair in pairs if pair.odd and place[pair.row] < place[pair.column]),
    )


class Encounters:
    """How often any two bots met in some cells and what came of it, as arrays."""

    def __init__(
        self, roster: Roster, cells: Sequence[Rated], only: Set[str] | None = None
    ) -> None:
        self.bots = roster.bots
        chosen = [bot for bot, name in enumerate(roster.bots) if only is None or name in only]
        mean = average(cells, len(roster.bots))
        ranked = mean.among(chosen)
        self.ranked = len(ranked)
        self.order = [*ranked, *(bot for bot in chosen if not mean.complete[bot])]
        """By rank; those without one come last. Arrays have a row and a column for each."""
        self.place = {roster.bots[bot]: place for place, bot in enumerate(self.order)}
        self.mu, self.covariance = mean.of(self.order)
        size = len(self.order)
        self.met, self.ahead, self.expected, self.variance = np.zeros((4, size, size))
        for one in cells:
            together, first = meetings(one.results, self.order, len(self.bots), roster.standing)
            mu = one.rating.mu[self.order]
            rows, columns = spots = np.nonzero(together)
            chance = chances_of((mu[rows] - mu[columns]) / (math.sqrt(2) * BETA))
            self.met += together
            self.ahead += first
            self.expected[spots] += together[spots] * chance
            self.variance[spots] += together[spots] * chance * (1 - chance)

    def pairs(self, *, met: bool = False) -> Iterator[Pair]:
        """All pairs, row by row; or those only that have met."""
        for row in range(len(self.order)):
            yield from self.row(row, np.flatnonzero(self.met[row]).tolist() if met else None)

    def row(self, row: int, columns: Sequence[int] | None = None) -> Iterator[Pair]:
        """A bot against all others, or against some; each is told by its place in the order."""
        others = range(len(self.order)) if columns is None else columns
        chosen = np.array([column for column in others if column != row], np.int64)
        errors = between(self.covariance, np.full(len(chosen), row), chosen)
        met = self.met[row, chosen]
        scale = np.sqrt(np.maximum(self.variance[row, chosen], FEWEST))
        above = (self.ahead[row, chosen] - self.expected[row, chosen]) / scale
        figures = (
            chosen,
            chances_of((self.mu[row] - self.mu[chosen]) / np.maximum(errors, NEXT_TO_NONE)),
            met,
            self.ahead[row, chosen] / np.maximum(met, 1),
            self.expected[row, chosen] / np.maximum(met, 1),
            above,
        )
        for column, better, blocks, ahead, expected, z in zip(
            *(values.tolist() for values in figures), strict=True
        ):
            yield Pair(
                row=self.bots[self.order[row]],
                column=self.bots[self.order[column]],
                blocks=round(blocks),
                better=figure(better) if max(row, column) < self.ranked else None,
                ahead=figure(ahead) if blocks else None,
                expected=figure(expected) if blocks else None,
                z=figure(z) if blocks else None,
            )


def meetings(results: Results, order: Sequence[int], bots: int, by: By) -> tuple[Floats, Floats]:
    """In how many blocks any two of some bots met, and in how many the row finished ahead.

    A tie is half.
    """
    size = len(order)
    place = np.full(bots, -1)
    place[order] = np.arange(size)
    who, standing = place[results.who], ranks(results, by)
    met, ahead = np.zeros((2, size * size))
    for one in range(results.cell.seats):
        there = (who >= 0) & (who[:, one] >= 0)[:, None]
        there[:, one] = False
        spots = (who[:, one, None] * size + who)[there]
        gap = np.sign(standing - standing[:, one, None])[there]
        met += np.bincount(spots, minlength=size * size)
        ahead += np.bincount(spots, (gap + 1) / 2, size * size)
    return met.reshape(size, size), ahead.reshape(size, size)
