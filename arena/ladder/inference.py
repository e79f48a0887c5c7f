"""Inference: what the standing of one block says about its bots, at once and on every machine.

The model is TrueSkill's. What is looked up in tables was rounded before, and all else is plain
arithmetic, so that no two machines differ in a last digit and with it in whom they seat.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from arena.ratings.propagation import BETA

Message = tuple[float, float]
"""What is said about a strength: a precision, and precision times mean."""

NOISE = BETA * BETA
ROUNDS = 2
"""How often messages go down and up a standing."""
TIED = 0.05 * NOISE
"""How exactly equal performances are in a tie, as a variance."""
NOTHING = 1e-12
"""A precision that says nothing."""

STEPS = 16
"""Entries of a table for each deviation."""
FAR = 8
"""The tables end so many deviations out."""
DIGITS = 9
"""Few enough that all machines agree on them."""


def _above(x: float) -> float:
    """How the mean of a standard normal variable moves if it is above -x."""
    density = math.exp(-0.5 * x * x) / math.sqrt(0.5 * math.pi)
    return round(density / math.erfc(-x / math.sqrt(2)), DIGITS)


def _loss(z: float) -> float:
    """What a standard normal variable is above z on average, counting 0 where it is below."""
    density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    return round(density - 0.5 * z * math.erfc(z / math.sqrt(2)), DIGITS)


ABOVE = tuple(_above(step / STEPS - FAR) for step in range(2 * FAR * STEPS + 2))
LOSS = tuple(_loss(step / STEPS) for step in range(FAR * STEPS + 2))


def loss(z: float) -> float:
    """What a standard normal variable is above z ≥ 0 on average, counting 0 where it is below."""
    at = z * STEPS
    step = int(at)
    if step >= FAR * STEPS:
        return 0.0
    low = LOSS[step]
    return low + (at - step) * (LOSS[step + 1] - low)


def won(x: float) -> tuple[float, float]:
    """Of a standard normal variable above -x: how its mean moves, and its variance."""
    if x >= FAR:
        return 0.0, 1.0
    if x < -FAR:
        z = -x
        excess = 1.0 / (z + 2.0 / (z + 3.0 / (z + 4.0 / (z + 5.0 / z))))
        return z + excess, 1.0 - excess * (z + excess)
    at = (x + FAR) * STEPS
    step = int(at)
    part = at - step
    left, right = ABOVE[step], ABOVE[step + 1]
    x0 = step / STEPS - FAR
    # A cubic through both entries with the slopes that the function has there.
    slope0 = -left * (left + x0) / STEPS
    slope1 = -right * (right + x0 + 1 / STEPS) / STEPS
    rise = right - left
    bend = 3 * rise - 2 * slope0 - slope1
    twist = slope0 + slope1 - 2 * rise
    v = left + part * (slope0 + part * (bend + part * twist))
    return v, 1.0 - v * (v + x)


def told(known: Sequence[tuple[float, float]], ranks: Sequence[int]) -> list[Message]:
    """What a block that ended in these ranks says about each place.

    `known` is what is known about them so far: a mean and a variance for each.
    """
    seats = len(ranks)
    standing = sorted(range(seats), key=ranks.__getitem__)
    prior_pi = [1.0 / (known[place][1] + NOISE) for place in standing]
    prior_tau = [known[place][0] * pi for place, pi in zip(standing, prior_pi, strict=True)]
    tied = [ranks[one] == ranks[other] for one, other in pairwise(standing)]
    below_pi, below_tau = [0.0] * seats, [0.0] * seats
    above_pi, above_tau = [0.0] * seats, [0.0] * seats
    last = seats - 1
    way = [*range(last), *range(last - 2, 0, -1)]
    for at in way * (ROUNDS - 1) + [*range(last), *range(last - 2, -1, -1)]:
        pi_u, tau_u = prior_pi[at] + above_pi[at], prior_tau[at] + above_tau[at]
        pi_l, tau_l = prior_pi[at + 1] + below_pi[at + 1], prior_tau[at + 1] + below_tau[at + 1]
        mean_u, mean_l = tau_u / pi_u, tau_l / pi_l
        if tied[at]:
            pi, mean = 1.0 / TIED, 0.0
        else:
            variance, apart = 1.0 / pi_u + 1.0 / pi_l, mean_u - mean_l
            root = math.sqrt(variance)
            v, left = won(apart / root)
            left = max(left, NOTHING)
            pi = (1.0 - left) / (left * variance)
            mean = apart + root * v / (1.0 - left) if pi > NOTHING else 0.0
        pi = max(pi, NOTHING)
        below_pi[at] = precision = pi * pi_l / (pi + pi_l)
        below_tau[at] = precision * (mean + mean_l)
        above_pi[at + 1] = precision = pi * pi_u / (pi + pi_u)
        above_tau[at + 1] = precision * (mean_u - mean)
    found = [(0.0, 0.0)] * seats
    for at, place in enumerate(standing):
        pi, tau = below_pi[at] + above_pi[at], below_tau[at] + above_tau[at]
        shrink = 1.0 / (1.0 + NOISE * pi)
        found[place] = (shrink * pi, shrink * tau)
    return found


def expected(seats: int, blocks: int, variance: float) -> float:
    """About how precisely blocks tell how strong each bot of their table is.

    `variance` is that of what is known about them, on average; the numbers fit what `told` says
    about bots of equal strength.
    """
    return blocks * (seats - 1) / ((seats + 1.2) * NOISE + 2.15 * variance)
