"""Confidence in an order: chances, rank intervals, tiers, and when to stop playing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from arena.ratings.results import Floats, Ints

TWO_SIDED_Z = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors; a bot that is so far above another counts
as better: the chance is 97.5 %."""
MAX_LOOKS = 10
"""How often the stopping rule is checked in a run; more looks settle more pairs by chance."""
MIN_RANKED_BLOCKS = 30
"""How many blocks a cell needs before the rule is checked."""

MIN_ERROR = 1e-12
"""Avoids a division by 0."""

PairState = Literal["settled", "tied", "open"]


def difference_errors(sigma: Floats) -> Floats:
    """Return the standard errors of all differences, from sigmas or from a covariance."""
    if sigma.ndim == 1:
        return np.asarray(np.hypot(sigma[:, None], sigma[None, :]))
    own = np.diag(sigma)
    return np.asarray(np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * sigma, 0.0)))


def pair_errors(sigma: Floats, one: Ints, other: Ints) -> Floats:
    """Return the standard errors of the differences between some bots and as many others."""
    if sigma.ndim == 1:
        return np.asarray(np.hypot(sigma[one], sigma[other]))
    own = np.diag(sigma)
    return np.asarray(np.sqrt(np.maximum(own[one] + own[other] - 2 * sigma[one, other], 0.0)))


def z_scores(mu: Floats, sigma: Floats) -> Floats:
    """Return by how many standard errors the bot of a row is above that of a column.

    `sigma` has an error for each bot, or it is the covariance of all, which is more exact.
    """
    gap = mu[:, None] - mu[None, :]
    return np.asarray(gap / np.maximum(difference_errors(sigma), MIN_ERROR))


def better_chances(mu: Floats, sigma: Floats) -> Floats:
    """Return the chance that the bot of a row is better than that of a column; 0.5 for itself."""
    return normal_cdf(z_scores(mu, sigma))


def normal_cdf(z: Floats) -> Floats:
    """Return the chance of being better for so many standard errors."""
    chances = [0.5 * math.erfc(-gap / math.sqrt(2)) for gap in z.ravel().tolist()]
    return np.array(chances, dtype=np.float64).reshape(z.shape)


def best_first(mu: Floats) -> list[int]:
    """Return the bots from the best to the worst; equal ones in the order of their numbers."""
    return [int(bot) for bot in np.argsort(-mu, kind="stable")]


def rank_intervals(z: Floats) -> list[tuple[int, int]]:
    """Return the best and the worst rank that each bot may in truth have."""
    sure = z >= TWO_SIDED_Z
    behind, ahead = sure.sum(axis=0), sure.sum(axis=1)
    return [(1 + int(lost), len(sure) - int(won)) for lost, won in zip(behind, ahead, strict=True)]


def group_tiers(order: Sequence[int], z: Floats) -> list[list[int]]:
    """Cut the order wherever a bot is surely better than the next."""
    groups: list[list[int]] = []
    for bot in order:
        if not groups or z[groups[-1][-1], bot] >= TWO_SIDED_Z:
            groups.append([])
        groups[-1].append(bot)
    return groups


@dataclass(frozen=True)
class NeighbourPair:
    """Two bots that are next to each other in the order."""

    ahead: int
    behind: int
    chance: float
    """The chance that the first is better."""
    state: PairState


@dataclass(frozen=True)
class OrderVerdict:
    """How certain an order is, for each pair of neighbours."""

    order: tuple[int, ...]
    pairs: tuple[NeighbourPair, ...]
    confidence: float
    """A lower bound for the chance that the whole order, apart from ties, is right, at one look."""

    @property
    def open_pairs(self) -> tuple[NeighbourPair, ...]:
        """The pairs that need more games."""
        return self.pairs_in_state("open")

    @property
    def is_done(self) -> bool:
        """Whether no pair is open, so that playing can stop."""
        return not self.open_pairs

    def pairs_in_state(self, state: PairState) -> tuple[NeighbourPair, ...]:
        """Return the pairs in this state."""
        return tuple(pair for pair in self.pairs if pair.state == state)


def judge_order(
    mu: Floats,
    sigma: Floats,
    *,
    confidence: float = 0.95,
    rope: float = 0.5,
    chances: Floats | None = None,
) -> OrderVerdict:
    """Judge each pair of neighbours as settled, tied or open, for ten looks at the most.

    Neighbours are tied if the 95 % interval of their difference lies within the rope. The error
    probabilities of all others are added up, the smallest first; a pair is settled while the sum
    is at most a tenth of what may be wrong. With half of it, which is right for a single look, two
    equal bots would be put into an order in a sixth of all runs with ten looks.

    The probabilities come from the ratings, or from the `chances` of a measure that separates bots
    sooner, such as points. The order is that of the ratings, so a pair on which both disagree is
    open. Then only half as much may be wrong, since such a measure is too sure after few blocks.
    """
    order = best_first(mu)
    allowed = (1 - confidence) / MAX_LOOKS / (1 if chances is None else 2)
    higher, lower = np.array(order[:-1], np.int64), np.array(order[1:], np.int64)
    gap, error = mu[higher] - mu[lower], pair_errors(sigma, higher, lower)
    if chances is None:
        z = gap / np.maximum(error, MIN_ERROR)
        chance, doubt = normal_cdf(z), normal_cdf(-z)
    else:
        chance, doubt = chances[higher, lower], chances[lower, higher]
    states: list[PairState] = [
        "tied" if widest <= rope else "open" for widest in (gap + TWO_SIDED_Z * error).tolist()
    ]
    doubts = [
        (probability, index)
        for index, (probability, state) in enumerate(zip(doubt.tolist(), states, strict=True))
        if state == "open"
    ]
    total = 0.0
    for probability, index in sorted(doubts):
        total += probability
        if total <= allowed:
            states[index] = "settled"
    pairs = tuple(
        NeighbourPair(ahead, behind, sure, state)
        for (ahead, behind), sure, state in zip(
            pairwise(order), chance.tolist(), states, strict=True
        )
    )
    return OrderVerdict(tuple(order), pairs, max(0.0, 1 - total))
