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

    A place is a bot's position in the list of the table, which does not depend on the seating.
    """

    cell: Cell
    bot_indices: Ints
    """The bot at each place, as its number among the run's bots."""
    games: Ints
    """How many games each block has; one dimension."""
    points: Floats
    """Points over all games; one with a fault counts one less than the worst score of the table."""
    placement: Floats
    """Placement points over all games: the share of the others beaten, a tie counts half."""
    wins: Floats
    """Games won; bots that tie for the first rank share it."""
    faults: Ints
    """Faults over all games."""
    decisions: Ints
    cpu: Ints
    """Microseconds of CPU time over all decisions."""
    number: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """The number of each block among those of its table, or empty; one dimension."""
    excused: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """The number of the bot of each excuse in this cell; its length is not that of the others."""

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self.bot_indices)

    def select_blocks(self, chosen: NDArray[np.bool_]) -> "Results":
        """Return only the blocks that this mask selects."""
        by_block = {one.name for one in fields(self)} - {"cell", "excused"}
        if not len(self.number):
            by_block.remove("number")
        return replace(self, **{name: getattr(self, name)[chosen] for name in by_block})


@dataclass(frozen=True, eq=False)
class SeatedGames:
    """The games of one cell one by one; a row is a game, a column a seat."""

    cell: Cell
    block: Ints
    """The number of its block, rising from 0, in the order of `Results`; one dimension."""
    bot_indices: Ints
    """The bot in each seat, as its number among the run's bots."""
    points: Floats
    placement: Floats


RankBy = Literal["score", "placement"]
"""What ranks the places of a block: points, or placement points, which ignore margins."""


def block_ranks(results: Results, by: RankBy = "score") -> Ints:
    """Return the rank of each place in each block; 1 is best, and ties share the better rank.

    The other measure breaks ties; places that are equal in both have tied.
    """
    return rank_places(results.points, results.placement, by)


def rank_places(points: Floats, placement: Floats, by: RankBy) -> Ints:
    """Return the ranks from the two measures, which have a row for every block."""
    # Sums of thirds differ in their last digits with the order of adding.
    first, second = points, np.round(placement, 6)
    if by == "placement":
        first, second = second, first
    ahead = column_is_ahead(first) | (column_is_equal(first) & column_is_ahead(second))
    return np.asarray(1 + np.sum(ahead, axis=2, dtype=np.int64))


def column_is_ahead(measure: Floats) -> np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]:
    """Return for each block whether the place of the column has more than that of the row."""
    return np.asarray(measure[:, None, :] > measure[:, :, None])


def column_is_equal(measure: Floats) -> np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]:
    """Return for each block whether the places of row and column have the same."""
    return np.asarray(measure[:, None, :] == measure[:, :, None])


def tie_rate(ranks: Ints) -> float:
    """Return the share of ties among neighbours in the standings of blocks."""
    blocks, seats = ranks.shape
    if not blocks or seats < 2:
        return 0.0
    return float(np.mean(np.diff(np.sort(ranks, axis=1), axis=1) == 0))
