"""Results: what the blocks of one cell came to, as arrays for those who do statistics."""

from dataclasses import dataclass, field, fields, replace

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
class Seatings:
    """The games of one cell one by one; a row is a game, a column a seat."""

    cell: Cell
    block: Ints
    """The number of its block, rising from 0, in the order of `Results`; one dimension."""
    who: Ints
    """The bot in each seat, as its number among the run's bots."""
    points: Floats
    placement: Floats
