"""A sequential probability ratio test between two bots.

Two tests run at the same time on the block differences, B less A: whether B is better by a margin
rather than equal, and whether it is worse by the same margin. Each computes a log likelihood ratio
and ends when it leaves its bounds. If both end with "equal", there is no difference that matters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from arena.ratings.cell import Cell
from arena.ratings.points import t_quantile
from arena.ratings.results import Floats

MARGIN = 0.1
"""The smallest difference that matters, in deviations of a bot's score in a game."""
ERROR_RATE = 0.05
"""How often a verdict may be wrong, for equal bots and for bots that differ by the margin."""
MIN_TEST_BLOCKS, MIN_CELL_BLOCKS = 10, 4
"""Blocks before the first verdict, in total and in each cell."""
PRIOR_BLOCKS = 2.0
"""The weight of the expected variance relative to the observed one, in blocks."""

SprtVerdict = Literal["better", "worse", "no difference", "undecided"]


@dataclass(frozen=True, eq=False)
class CellSample:
    """The results of two bots against each other in one cell."""

    cell: Cell
    differences: Floats
    """For each block, the points of B in a game and a seat less those of A."""
    unit: float
    """The deviation of a bot's score in a game from the mean of its table, in points; above 0."""
    games: int
    """Games in a block."""

    @property
    def mean(self) -> float:
        """The points of B in a game less those of A."""
        return float(self.differences.mean()) if len(self.differences) else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean; 0 if it is not known."""
        count = len(self.differences)
        return float(self.differences.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0

    @property
    def half_width(self) -> float:
        """Half the width of the mean's 95 % interval for a number of blocks fixed in advance."""
        return t_quantile(len(self.differences)) * self.error

    @property
    def expected_variance(self) -> float:
        """The variance of a block's difference if all scores in it were independent."""
        seats = self.cell.seats
        fewer, more = seats // 2, seats - seats // 2
        return self.unit**2 * seats / (seats - 1) * (1 / fewer + 1 / more) / self.games

    @property
    def variance(self) -> float:
        """The variance of a block's difference: the observed one and a little of the expected one.

        A few blocks may be equal by chance, and bots that play alike have no variance at all;
        neither may end a test at once.
        """
        count = len(self.differences)
        squares = float(((self.differences - self.mean) ** 2).sum())
        return (squares + PRIOR_BLOCKS * self.expected_variance) / (count - 1 + PRIOR_BLOCKS)

    def log_ratio(self, effect: float) -> float:
        """Return the log likelihood ratio of an effect, in units, against no effect."""
        points = effect * self.unit
        count = len(self.differences)
        return count * points * (2 * self.mean - points) / (2 * self.variance)


@dataclass
class OneSidedTest:
    """One of the two tests; its result does not change once it has ended."""

    effect: float
    log_ratio: float = 0.0
    """The ratio at the last update."""
    has_effect: bool | None = None
    """The result, once the test has ended."""


@dataclass
class SequentialTest:
    """A running comparison over one cell or several.

    Each cell has its own unit and variance; the margin is the same in all of them. The verdict on
    equal bots is wrong in about `ERROR_RATE` of all trials, so each side has half of that.
    """

    margin: float = MARGIN
    better: OneSidedTest = field(init=False)
    worse: OneSidedTest = field(init=False)
    upper_bound: float = math.log((1 - ERROR_RATE) / (ERROR_RATE / 2))
    lower_bound: float = math.log(ERROR_RATE / (1 - ERROR_RATE / 2))

    def __post_init__(self) -> None:
        self.better, self.worse = OneSidedTest(self.margin), OneSidedTest(-self.margin)

    def update(self, samples: Sequence[CellSample]) -> SprtVerdict:
        """Update the tests with all results so far, as often as wanted, and return the verdict."""
        counts = [len(sample.differences) for sample in samples]
        early = sum(counts) < MIN_TEST_BLOCKS or min(counts) < MIN_CELL_BLOCKS
        for side in (self.better, self.worse):
            side.log_ratio = sum(sample.log_ratio(side.effect) for sample in samples)
            if (
                not early
                and side.has_effect is None
                and not self.lower_bound < side.log_ratio < self.upper_bound
            ):
                side.has_effect = side.log_ratio > 0
        return self.verdict

    @property
    def verdict(self) -> SprtVerdict:
        """The verdict at the last update."""
        if self.better.has_effect:
            return "better"
        if self.worse.has_effect:
            return "worse"
        both = self.better.has_effect is False and self.worse.has_effect is False
        return "no difference" if both else "undecided"


def mean_difference(samples: Sequence[CellSample]) -> tuple[float, float]:
    """Return the mean difference over all cells in units, and half the width of its interval."""
    known = [sample for sample in samples if len(sample.differences)]
    if not known:
        return 0.0, 0.0
    mean = float(np.mean([sample.mean / sample.unit for sample in known]))
    squares = sum((sample.half_width / sample.unit) ** 2 for sample in known)
    return mean, math.sqrt(squares) / len(known)
