"""Estimates of each bot's strength by cell and overall, updated by the result of a block.

The model is TrueSkill's. What is looked up in tables was rounded before, and all else is plain
arithmetic, so that no two machines differ in a last digit and with it in whom they seat.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from math import fsum

from arena.ratings.trueskill import BETA, MU, SIGMA

PRIOR_PRECISION = 1.0 / (SIGMA * SIGMA)
"""How precisely a strength is known before anything is seen."""


class StrengthEstimates:
    """What is believed about contenders, by their numbers; all strengths are counted from 25."""

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = weights
        """What each cell contributes to the overall strength; their sum is 1."""
        self.precision: list[list[float]] = []
        """Of each contender in each cell."""
        self.precision_mean: list[list[float]] = []
        """Precision times strength."""
        self.overall_mean: list[float] = []
        """Of each contender, the weighted mean over cells."""
        self.overall_variance: list[float] = []
        """That of the mean."""

    def add_bot(self, mu: Sequence[float], sigma: Sequence[float], blocks: Sequence[int]) -> None:
        """Add a contender with its ratings."""
        played = [many > 0 for many in blocks]
        seen = [
            1.0 / (one * one) if yes else PRIOR_PRECISION
            for one, yes in zip(sigma, played, strict=True)
        ]
        means = [one - MU if yes else 0.0 for one, yes in zip(mu, played, strict=True)]
        self.precision.append(seen)
        self.precision_mean.append([pi * mean for pi, mean in zip(seen, means, strict=True)])
        weights = self.weights
        self.overall_mean.append(fsum(w * mean for w, mean in zip(weights, means, strict=True)))
        self.overall_variance.append(fsum(w * w / pi for w, pi in zip(weights, seen, strict=True)))

    def apply_message(self, bot: int, cell: int, pi: float, tau: float) -> None:
        """Take in a message about a contender in a cell."""
        precision, shift = self.precision[bot], self.precision_mean[bot]
        before, mean = precision[cell], shift[cell] / precision[cell]
        precision[cell] = after = before + pi
        shift[cell] += tau
        weight = self.weights[cell]
        self.overall_mean[bot] += weight * (shift[cell] / after - mean)
        self.overall_variance[bot] += weight * weight * (1.0 / after - 1.0 / before)

    def in_cell(self, bot: int, cell: int) -> tuple[float, float]:
        """The strength in a cell, and its variance."""
        precision = self.precision[bot][cell]
        return self.precision_mean[bot][cell] / precision, 1.0 / precision

    def variance_reduction(self, bot: int, precision_gain: float) -> float:
        """How much smaller the variance overall is once so much more is known about a cell.

        It is the one that is known least.
        """
        least = min(self.precision[bot])
        return precision_gain / (least * (least + precision_gain) * len(self.weights) ** 2)


GaussianMessage = tuple[float, float]
"""What is said about a strength: a precision, and precision times mean."""

PERFORMANCE_VARIANCE = BETA * BETA
MESSAGE_PASSES = 2
"""How often messages go down and up a standing."""
TIE_VARIANCE = 0.05 * PERFORMANCE_VARIANCE
"""How exactly equal performances are in a tie, as a variance."""
MIN_PRECISION = 1e-12
"""A precision that says nothing."""

TABLE_STEPS = 16
"""Entries of a table for each deviation."""
TABLE_RANGE = 8
"""The tables end so many deviations out."""
TABLE_DIGITS = 9
"""Few enough that all machines agree on them."""


def _mean_shift(x: float) -> float:
    """How the mean of a standard normal variable moves if it is above -x."""
    density = math.exp(-0.5 * x * x) / math.sqrt(0.5 * math.pi)
    return round(density / math.erfc(-x / math.sqrt(2)), TABLE_DIGITS)


def _normal_loss(z: float) -> float:
    """What a standard normal variable is above z on average, counting 0 where it is below."""
    density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    return round(density - 0.5 * z * math.erfc(z / math.sqrt(2)), TABLE_DIGITS)


MEAN_SHIFT_TABLE = tuple(
    _mean_shift(step / TABLE_STEPS - TABLE_RANGE)
    for step in range(2 * TABLE_RANGE * TABLE_STEPS + 2)
)
LOSS_TABLE = tuple(
    _normal_loss(step / TABLE_STEPS) for step in range(TABLE_RANGE * TABLE_STEPS + 2)
)


def normal_loss(z: float) -> float:
    """What a standard normal variable is above z ≥ 0 on average, counting 0 where it is below."""
    at = z * TABLE_STEPS
    step = int(at)
    if step >= TABLE_RANGE * TABLE_STEPS:
        return 0.0
    low = LOSS_TABLE[step]
    return low + (at - step) * (LOSS_TABLE[step + 1] - low)


def truncated_moments(x: float) -> tuple[float, float]:
    """Of a standard normal variable above -x: how its mean moves, and its variance."""
    if x >= TABLE_RANGE:
        return 0.0, 1.0
    if x < -TABLE_RANGE:
        z = -x
        excess = 1.0 / (z + 2.0 / (z + 3.0 / (z + 4.0 / (z + 5.0 / z))))
        return z + excess, 1.0 - excess * (z + excess)
    at = (x + TABLE_RANGE) * TABLE_STEPS
    step = int(at)
    part = at - step
    left, right = MEAN_SHIFT_TABLE[step], MEAN_SHIFT_TABLE[step + 1]
    x0 = step / TABLE_STEPS - TABLE_RANGE
    # A cubic through both entries with the slopes that the function has there.
    slope0 = -left * (left + x0) / TABLE_STEPS
    slope1 = -right * (right + x0 + 1 / TABLE_STEPS) / TABLE_STEPS
    rise = right - left
    bend = 3 * rise - 2 * slope0 - slope1
    twist = slope0 + slope1 - 2 * rise
    v = left + part * (slope0 + part * (bend + part * twist))
    return v, 1.0 - v * (v + x)


def block_messages(
    known: Sequence[tuple[float, float]], ranks: Sequence[int]
) -> list[GaussianMessage]:
    """What a block that ended in these ranks says about each place.

    `known` is what is known about them so far: a mean and a variance for each.
    """
    seats = len(ranks)
    standing = sorted(range(seats), key=ranks.__getitem__)
    prior_pi = [1.0 / (known[place][1] + PERFORMANCE_VARIANCE) for place in standing]
    prior_tau = [known[place][0] * pi for place, pi in zip(standing, prior_pi, strict=True)]
    tied = [ranks[one] == ranks[other] for one, other in pairwise(standing)]
    below_pi, below_tau = [0.0] * seats, [0.0] * seats
    above_pi, above_tau = [0.0] * seats, [0.0] * seats
    last = seats - 1
    way = [*range(last), *range(last - 2, 0, -1)]
    for at in way * (MESSAGE_PASSES - 1) + [*range(last), *range(last - 2, -1, -1)]:
        pi_u, tau_u = prior_pi[at] + above_pi[at], prior_tau[at] + above_tau[at]
        pi_l, tau_l = prior_pi[at + 1] + below_pi[at + 1], prior_tau[at + 1] + below_tau[at + 1]
        mean_u, mean_l = tau_u / pi_u, tau_l / pi_l
        if tied[at]:
            pi, mean = 1.0 / TIE_VARIANCE, 0.0
        else:
            variance, apart = 1.0 / pi_u + 1.0 / pi_l, mean_u - mean_l
            root = math.sqrt(variance)
            v, left = truncated_moments(apart / root)
            left = max(left, MIN_PRECISION)
            pi = (1.0 - left) / (left * variance)
            mean = apart + root * v / (1.0 - left) if pi > MIN_PRECISION else 0.0
        pi = max(pi, MIN_PRECISION)
        below_pi[at] = precision = pi * pi_l / (pi + pi_l)
        below_tau[at] = precision * (mean + mean_l)
        above_pi[at + 1] = precision = pi * pi_u / (pi + pi_u)
        above_tau[at + 1] = precision * (mean_u - mean)
    found = [(0.0, 0.0)] * seats
    for at, place in enumerate(standing):
        pi, tau = below_pi[at] + above_pi[at], below_tau[at] + above_tau[at]
        shrink = 1.0 / (1.0 + PERFORMANCE_VARIANCE * pi)
        found[place] = (shrink * pi, shrink * tau)
    return found


def expected_precision(seats: int, blocks: int, variance: float) -> float:
    """About how precisely blocks tell how strong each bot of their table is.

    `variance` is that of what is known about them, on average; the numbers fit what `told` says
    about bots of equal strength.
    """
    return blocks * (seats - 1) / ((seats + 1.2) * PERFORMANCE_VARIANCE + 2.15 * variance)
