"""The results of the blocks of a cell as arrays, and the ranks within each block."""

from dataclasses import dataclass, field, fields, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena.ratings.cell import Cell

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Results:
    """Whole blocks of one cell in the order of their keys; a row is a block, a column a place.

    A place is one at the table, before anybody is seated: each bot of the table has one.
    """

    cell: Cell
    who: Ints
    """The bot at each place, as its number among the run's bots."""
    games: Ints
    """How many games each block has; the only array with one dimension."""
    points: Floats
    """Points over all games; one with a fault counts one less than the worst score of the table."""
    placement: Floats
    """Placement points over all games: the share of the others beaten, a tie counts half."""
    wins: Floats
    """Games won; who ties for the first rank shares it."""
    faults: Ints
    """Faults over all games."""
    decisions: Ints
    cpu: Ints
    """Microseconds of CPU time over all decisions."""
    number: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """The number of each block among those of its table, if it is known; one dimension."""
    excused: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """The bot of each excuse in this cell, as its number; one dimension, and no row a block."""

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.who)

    def where(self, chosen: NDArray[np.bool_]) -> "Results":
        """Only those blocks for which this is true."""
        by_block = {each.name for each in fields(self)} - {"cell", "excused"}
        if not len(self.number):
            by_block.remove("number")
        return replace(self, **{name: getattr(self, name)[chosen] for name in by_block})


@dataclass(frozen=True, eq=False)
class SeatedGames:
    """The games of one cell one by one; a row is a game, a column a seat."""

    cell: Cell
    block: Ints
    """The number of its block, rising from 0, in the order of `Results`; one dimension."""
    who: Ints
    """The bot in each seat, as its number among the run's bots."""
    points: Floats
    placement: Floats


RankBy = Literal["score", "placement"]
"""What decides: the points, or the placement points for those who value games over margins."""


def block_ranks(results: Results, by: RankBy = "score") -> Ints:
    """The rank of each place in each block: 1 is best, and equal places share the better rank.

    The other measure breaks ties; who is still equal then has tied.
    """
    return rank_places(results.points, results.placement, by)


def rank_places(points: Floats, placement: Floats, by: RankBy) -> Ints:
    """The same from the two measures alone, each with a row for every block."""
    # Sums of thirds differ in their last digits with the order they were added in.
    first, second = points, np.round(placement, 6)
    if by == "placement":
        first, second = second, first
    ahead = beats(first) | (ties(first) & beats(second))
    return np.asarray(1 + np.sum(ahead, axis=2, dtype=np.int64))


def beats(measure: Floats) -> np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]:
    """For each block, by row a place and by column another: whether the other has more."""
    return np.asarray(measure[:, None, :] > measure[:, :, None])


def ties(measure: Floats) -> np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]:
    """For each block, by row a place and by column another: whether they have the same."""
    return np.asarray(measure[:, None, :] == measure[:, :, None])


def tie_rate(ranks: Ints) -> float:
    """The share of ties among those who are next to each other in the standings of blocks."""
    blocks, seats = ranks.shape
    if not blocks or seats < 2:
        return 0.0
    return float(np.mean(np.diff(np.sort(ranks, axis=1), axis=1) == 0))
