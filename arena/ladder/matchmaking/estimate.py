"""Estimates of each bot's strength by cell and overall, updated by the result of a block.

The model is TrueSkill's. Functions that differ between machines in the last
digit are replaced by tables of rounded values; the rest is plain arithmetic. So all machines choose
the same tables.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from math import fsum

from arena.ratings.trueskill import BETA, MU, SIGMA

PRIOR_PRECISION = 1.0 / (SIGMA * SIGMA)
"""The precision of a strength before the first block."""


class StrengthEstimates:
    """Gaussian estimates of the strengths of contenders, as differences from 25."""

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = weights
        """What each cell contributes to the overall strength; their sum is 1."""
        self.precision: list[list[float]] = []
        """The precision of the strength of each contender in each cell."""
        self.precision_mean: list[list[float]] = []
        """Precision times strength."""
        self.overall_mean: list[float] = []
        """For each contender the weighted mean of its strengths over cells."""
        self.overall_variance: list[float] = []
        """The variance of that mean."""

    def add_bot(self, mu: Sequence[float], sigma: Sequence[float], blocks: Sequence[int]) -> None:
        """Add a contender with its ratings."""
        has_played = [count > 0 for count in blocks]
        precisions = [
            1.0 / (error * error) if played else PRIOR_PRECISION
            for error, played in zip(sigma, has_played, strict=True)
        ]
        means = [
            rating - MU if played else 0.0 for rating, played in zip(mu, has_played, strict=True)
        ]
        self.precision.append(precisions)
        self.precision_mean.append([pi * mean for pi, mean in zip(precisions, means, strict=True)])
        weights = self.weights
        self.overall_mean.append(fsum(w * mean for w, mean in zip(weights, means, strict=True)))
        self.overall_variance.append(
            fsum(w * w / pi for w, pi in zip(weights, precisions, strict=True))
        )

    def apply_message(self, bot: int, cell: int, pi: float, tau: float) -> None:
        """Update the estimate of a contender in a cell with a message."""
        precisions, precision_means = self.precision[bot], self.precision_mean[bot]
        before, mean = precisions[cell], precision_means[cell] / precisions[cell]
        precisions[cell] = after = before + pi
        precision_means[cell] += tau
        weight = self.weights[cell]
        self.overall_mean[bot] += weight * (precision_means[cell] / after - mean)
        self.overall_variance[bot] += weight * weight * (1.0 / after - 1.0 / before)

    def in_cell(self, bot: int, cell: int) -> tuple[float, float]:
        """The mean and the variance of the strength in a cell."""
        precision = self.precision[bot][cell]
        return self.precision_mean[bot][cell] / precision, 1.0 / precision

    def variance_reduction(self, bot: int, precision_gain: float) -> float:
        """The reduction of the overall variance by a precision gain in the least known cell."""
        least = min(self.precision[bot])
        return precision_gain / (least * (least + precision_gain) * len(self.weights) ** 2)


GaussianMessage = tuple[float, float]
"""A message about a strength: its precision, and precision times mean."""

PERFORMANCE_VARIANCE = BETA * BETA
MESSAGE_PASSES = 2
"""How often messages are passed down and up the ranking of a block."""
TIE_VARIANCE = 0.05 * PERFORMANCE_VARIANCE
"""The variance of the difference between tied performances."""
MIN_PRECISION = 1e-12
"""The precision of a message without information."""

TABLE_STEPS = 16
"""Entries of a table for each standard deviation."""
TABLE_RANGE = 8
"""The tables end so many standard deviations from the mean."""
TABLE_DIGITS = 9
"""Digits to which entries are rounded, so few that all machines agree on them."""


def _mean_shift(x: float) -> float:
    """The mean of a standard normal variable, given that it is above -x."""
    density = math.exp(-0.5 * x * x) / math.sqrt(0.5 * math.pi)
    return round(density / math.erfc(-x / math.sqrt(2)), TABLE_DIGITS)


def _normal_loss(z: float) -> float:
    """The expected excess of a standard normal variable over z, with 0 where it is below."""
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
    """Look up the expected excess of a standard normal variable over z ≥ 0."""
    position = z * TABLE_STEPS
    step = int(position)
    if step >= TABLE_RANGE * TABLE_STEPS:
        return 0.0
    lower = LOSS_TABLE[step]
    return lower + (position - step) * (LOSS_TABLE[step + 1] - lower)


def truncated_moments(x: float) -> tuple[float, float]:
    """The mean and the variance of a standard normal variable that is above -x."""
    if x >= TABLE_RANGE:
        return 0.0, 1.0
    if x < -TABLE_RANGE:
        z = -x
        excess = 1.0 / (z + 2.0 / (z + 3.0 / (z + 4.0 / (z + 5.0 / z))))
        return z + excess, 1.0 - excess * (z + excess)
    position = (x + TABLE_RANGE) * TABLE_STEPS
    step = int(position)
    fraction = position - step
    left, right = MEAN_SHIFT_TABLE[step], MEAN_SHIFT_TABLE[step + 1]
    x0 = step / TABLE_STEPS - TABLE_RANGE
    # Cubic Hermite interpolation between both entries.
    slope0 = -left * (left + x0) / TABLE_STEPS
    slope1 = -right * (right + x0 + 1 / TABLE_STEPS) / TABLE_STEPS
    rise = right - left
    quadratic = 3 * rise - 2 * slope0 - slope1
    cubic = slope0 + slope1 - 2 * rise
    mean = left + fraction * (slope0 + fraction * (quadratic + fraction * cubic))
    return mean, 1.0 - mean * (mean + x)


def block_messages(
    estimates: Sequence[tuple[float, float]], ranks: Sequence[int]
) -> list[GaussianMessage]:
    """The messages of a block with these ranks about the strength of the bot at each place.

    `estimates` are the mean and the variance of each strength before the block.
    """
    seats = len(ranks)
    ranking = sorted(range(seats), key=ranks.__getitem__)
    prior_pi = [1.0 / (estimates[place][1] + PERFORMANCE_VARIANCE) for place in ranking]
    prior_tau = [estimates[place][0] * pi for place, pi in zip(ranking, prior_pi, strict=True)]
    tied = [ranks[one] == ranks[other] for one, other in pairwise(ranking)]
    below_pi, below_tau = [0.0] * seats, [0.0] * seats
    above_pi, above_tau = [0.0] * seats, [0.0] * seats
    last = seats - 1
    down_and_up = [*range(last), *range(last - 2, 0, -1)]
    for at in down_and_up * (MESSAGE_PASSES - 1) + [*range(last), *range(last - 2, -1, -1)]:
        pi_u, tau_u = prior_pi[at] + above_pi[at], prior_tau[at] + above_tau[at]
        pi_l, tau_l = prior_pi[at + 1] + below_pi[at + 1], prior_tau[at + 1] + below_tau[at + 1]
        mean_u, mean_l = tau_u / pi_u, tau_l / pi_l
        if tied[at]:
            pi, mean = 1.0 / TIE_VARIANCE, 0.0
        else:
            variance, gap = 1.0 / pi_u + 1.0 / pi_l, mean_u - mean_l
            deviation = math.sqrt(variance)
            shift, share = truncated_moments(gap / deviation)
            share = max(share, MIN_PRECISION)  # the share of the variance that is left
            pi = (1.0 - share) / (share * variance)
            mean = gap + deviation * shift / (1.0 - share) if pi > MIN_PRECISION else 0.0
        pi = max(pi, MIN_PRECISION)
        below_pi[at] = precision = pi * pi_l / (pi + pi_l)
        below_tau[at] = precision * (mean + mean_l)
        above_pi[at + 1] = precision = pi * pi_u / (pi + pi_u)
        above_tau[at + 1] = precision * (mean_u - mean)
    messages = [(0.0, 0.0)] * seats
    for at, place in enumerate(ranking):
        pi, tau = below_pi[at] + above_pi[at], below_tau[at] + above_tau[at]
        shrink = 1.0 / (1.0 + PERFORMANCE_VARIANCE * pi)
        messages[place] = (shrink * pi, shrink * tau)
    return messages


def expected_precision(seats: int, blocks: int, variance: float) -> float:
    """Approximate the precision that blocks add to the estimate of each bot at their table.

    `variance` is the mean variance of the estimates so far. The constants are fitted to
    `block_messages` for bots of equal strength.
    """
    return blocks * (seats - 1) / ((seats + 1.2) * PERFORMANCE_VARIANCE + 2.15 * variance)
