"""A sequential probability ratio test between two bots.

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
from arena.ratings.points import t_quantile
from arena.ratings.results import Floats

MARGIN = 0.1
"""What counts as a difference, in deviations of a bot's score in a game."""
ERROR_RATE = 0.05
"""How often equal bots may be told apart, and bots that differ by the margin may not be."""
MIN_TEST_BLOCKS, MIN_CELL_BLOCKS = 10, 4
"""Blocks before the first verdict, in all and in each cell."""
PRIOR_BLOCKS = 2.0
"""Blocks that the expected variance is worth beside the observed one."""

SprtVerdict = Literal["better", "worse", "no difference", "undecided"]


@dataclass(frozen=True, eq=False)
class CellSample:
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
        return t_quantile(len(self.differences)) * self.error

    @property
    def expected_variance(self) -> float:
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
        return (seen + PRIOR_BLOCKS * self.expected_variance) / (count - 1 + PRIOR_BLOCKS)

    def log_ratio(self, effect: float) -> float:
        """The log likelihood ratio of such an effect, in units, against none."""
        points = effect * self.unit
        count = len(self.differences)
        return count * points * (2 * self.mean - points) / (2 * self.variance)


@dataclass
class OneSidedTest:
    """One of the two tests; once it has ended, it stays so."""

    effect: float
    log_ratio: float = 0.0
    """As it was at the last look."""
    has_effect: bool | None = None
    """Whether the effect is there, once that is plain."""


@dataclass
class SequentialTest:
    """A comparison that goes on, over one cell or several.

    Cells count in units of their own, and with their own variance; the margin is the same in all of
    them. Equal bots are told apart in about `WRONG` of all trials, either way, so each side has
    half of it.
    """

    margin: float = MARGIN
    better: OneSidedTest = field(init=False)
    worse: OneSidedTest = field(init=False)
    upper_bound: float = math.log((1 - ERROR_RATE) / (ERROR_RATE / 2))
    lower_bound: float = math.log(ERROR_RATE / (1 - ERROR_RATE / 2))

    def __post_init__(self) -> None:
        self.better, self.worse = OneSidedTest(self.margin), OneSidedTest(-self.margin)

    def update(self, samples: Sequence[CellSample]) -> SprtVerdict:
        """What is plain by now; look as often as you like."""
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
        """What was plain at the last look."""
        if self.better.has_effect:
            return "better"
        if self.worse.has_effect:
            return "worse"
        both = self.better.has_effect is False and self.worse.has_effect is False
        return "no difference" if both else "undecided"


def mean_difference(samples: Sequence[CellSample]) -> tuple[float, float]:
    """The mean difference over all cells in units, and half the width of its 95 % interval."""
    known = [sample for sample in samples if len(sample.differences)]
    if not known:
        return 0.0, 0.0
    mean = float(np.mean([sample.mean / sample.unit for sample in known]))
    squares = sum((sample.reach / sample.unit) ** 2 for sample in known)
    return mean, math.sqrt(squares) / len(known)
