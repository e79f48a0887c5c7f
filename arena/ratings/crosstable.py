"""The crosstable: every bot against every other, and whether the ratings explain what happened."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.ratings.certainty import better
from arena.ratings.overall import Mean, Rated, Roster, average, figure, rate_cells
from arena.ratings.propagation import BETA
from arena.ratings.results import Cell, Floats, Results
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


def cross(roster: Roster, cells: Sequence[Rated]) -> Crosstable:
    """The same, of cells that are rated already."""
    mean = average(cells, len(roster.bots))
    order = mean.order + np.flatnonzero(~mean.complete).tolist()
    pairs = list(pair_up(roster, cells, mean, order))
    place = {roster.bots[bot]: rank for rank, bot in enumerate(order)}
    return Crosstable(
        name=roster.name,
        standing=roster.standing,
        cells=tuple(one.cell for one in cells),
        blocks=sum(one.results.blocks for one in cells),
        games=sum(int(one.results.games.sum()) for one in cells),
        bots=tuple(place),
        ranked=int(mean.complete.sum()),
        pairs=tuple(pairs),
        odd=tuple(pair for pair in pairs if pair.odd and place[pair.row] < place[pair.column]),
    )


def pair_up(
    roster: Roster, cells: Sequence[Rated], mean: Mean, order: Sequence[int]
) -> Iterator[Pair]:
    """All pairs, row by row."""
    size = len(roster.bots)
    met, ahead, expected, variance = np.zeros((4, size, size))
    for one in cells:
        together, first = meetings(one.results, size, roster.standing)
        chance = predict(one.rating.mu)
        met += together
        ahead += first
        expected += together * chance
        variance += together * chance * (1 - chance)
    many = np.maximum(met, 1)
    errors = np.sqrt(np.maximum(variance, FEWEST))
    chances = better(mean.mu, mean.covariance)
    for row in order:
        for column in order:
            spot = row, column
            if row == column:
                continue
            pair = Pair(
                row=roster.bots[row],
                column=roster.bots[column],
                blocks=round(float(met[spot])),
                better=figure(chances[spot]) if mean.complete[[row, column]].all() else None,
            )
            if met[spot]:
                pair = replace(
                    pair,
                    ahead=figure(ahead[spot] / many[spot]),
                    expected=figure(expected[spot] / many[spot]),
                    z=figure((ahead[spot] - expected[spot]) / errors[spot]),
                )
            yield pair


def meetings(results: Results, bots: int, by: By) -> tuple[Floats, Floats]:
    """In how many blocks each two met, and in how many the row finished ahead; a tie is half."""
    standing = ranks(results, by)
    met, ahead = np.zeros((2, bots, bots))
    for one in range(results.cell.seats):
        for other in range(results.cell.seats):
            if one == other:
                continue
            spots = results.who[:, one] * bots + results.who[:, other]
            gap = np.sign(standing[:, other] - standing[:, one])
            met += np.bincount(spots, minlength=bots * bots).reshape(bots, bots)
            ahead += np.bincount(spots, (gap + 1) / 2, bots * bots).reshape(bots, bots)
    return met, ahead


def predict(mu: Floats) -> Floats:
    """The share of blocks in which the bot of a row finishes ahead of that of a column."""
    return better(mu, np.full(len(mu), BETA))
