"""A sequential test of two bots: play on until it is plain whether one of them is better.

Two tests run side by side on the block differences, B less A: whether B is better by a margin
rather than equal, and whether it is worse by as much. Each adds up a log likelihood ratio and ends
where that leaves its bounds. If both end in favour of "equal", there is no difference that matters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from arena.ratings.cell import Cell
from arena.ratings.points import reach
from arena.ratings.results import Floats

MARGIN = 0.1
"""What counts as a difference, in deviations of a bot's score in a game."""
WRONG = 0.05
"""How often equal bots may be told apart, and bots that differ by the margin may not be."""
LEAST, LEAST_EACH = 10, 4
"""Blocks before the first verdict, in all and in each cell."""
PRIOR = 2.0
"""Blocks that the expected variance is worth beside the observed one."""

Verdict = Literal["better", "worse", "no difference", "undecided"]


@dataclass(frozen=True, eq=False)
class Sample:
    """What two bots have played in one cell."""

    cell: Cell
    differences: Floats
    """Of each block: the points of B in a game and a seat, less those of A."""
    unit: float
    """The deviation of a bot's score in a game from the mean of its table, in points; above 0."""
    games: int
    """In a block."""

    @property
    def mean(self) -> float:
        """How many points more B makes in a game."""
        return float(self.differences.mean()) if len(self.differences) else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean; 0 where it is not known."""
        count = len(self.differences)
        return float(self.differences.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0

    @property
    def reach(self) -> float:
        """Half the width of the mean's 95 % interval, as if the end had been fixed before."""
        return reach(len(self.differences)) * self.error

    @property
    def expected(self) -> float:
        """The variance of a block's difference if all scores in it were independent."""
        seats = self.cell.seats
        fewer, more = seats // 2, seats - seats // 2
        return self.unit**2 * seats / (seats - 1) * (1 / fewer + 1 / more) / self.games

    @property
    def variance(self) -> float:
        """Of a block's difference: as it is seen, and a little as it is expected.

        A few blocks may look alike by chance, and bots that play alike have no variance at all;
        neither is to end a test at once.
        """
        count = len(self.differences)
        seen = float(((self.differences - self.mean) ** 2).sum())
        return (seen + PRIOR * self.expected) / (count - 1 + PRIOR)

    def ratio(self, effect: float) -> float:
        """The log likelihood ratio of such an effect, in units, against none."""
        points = effect * self.unit
        count = len(self.differences)
        return count * points * (2 * self.mean - points) / (2 * self.variance)


@dataclass
class Side:
    """One of the two tests; once it has ended, it stays so."""

    effect: float
    ratio: float = 0.0
    """As it was at the last look."""
    ended: bool | None = None
    """Whether the effect is there, once that is plain."""


@dataclass
class Trial:
    """A comparison that goes on, over one cell or several.

    Cells count in units of their own, and with their own variance; the margin is the same in all of
    them. Equal bots are told apart in about `WRONG` of all trials, either way, so each side has
    half of it.
    """

    margin: float = MARGIN
    better: Side = field(init=False)
    worse: Side = field(init=False)
    upper: float = math.log((1 - WRONG) / (WRONG / 2))
    lower: float = math.log(WRONG / (1 - WRONG / 2))

    def __post_init__(self) -> None:
        self.better, self.worse = Side(self.margin), Side(-self.margin)

    def look(self, samples: Sequence[Sample]) -> Verdict:
        """What is plain by now; look as often as you like."""
        counts = [len(sample.differences) for sample in samples]
        early = sum(counts) < LEAST or min(counts) < LEAST_EACH
        for side in (self.better, self.worse):
            side.ratio = sum(sample.ratio(side.effect) for sample in samples)
            if not early and side.ended is None and not self.lower < side.ratio < self.upper:
                side.ended = side.ratio > 0
        return self.verdict

    @property
    def verdict(self) -> Verdict:
        """What was plain at the last look."""
        if self.better.ended:
            return "better"
        if self.worse.ended:
            return "worse"
        both = self.better.ended is False and self.worse.ended is False
        return "no difference" if both else "undecided"


def overall(samples: Sequence[Sample]) -> tuple[float, float]:
    """The mean difference over all cells in units, and half the width of its 95 % interval."""
    known = [sample for sample in samples if len(sample.differences)]
    if not known:
        return 0.0, 0.0
    mean = float(np.mean([sample.mean / sample.unit for sample in known]))
    squares = sum((sample.reach / sample.unit) ** 2 for sample in known)
    return mean, math.sqrt(squares) / len(known)
