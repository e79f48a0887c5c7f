"""Confidence in an order: chances, rank intervals, tiers, and when to stop playing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from arena.ratings.results import Floats, Ints

TWO_SIDED_Z = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors; a bot that is as far above another counts
as better: it is with a chance of 97.5 %."""
MAX_LOOKS = 10
"""How often at most the rule may be asked in one run; more looks find more order by chance."""
MIN_RANKED_BLOCKS = 30
"""How many blocks a cell needs before the rule may be asked."""

MIN_ERROR = 1e-12
"""The least standard error there is."""

PairState = Literal["settled", "tied", "open"]


def difference_errors(sigma: Floats) -> Floats:
    """The standard errors of all differences, from a sigma for each bot or from a covariance."""
    if sigma.ndim == 1:
        return np.asarray(np.hypot(sigma[:, None], sigma[None, :]))
    own = np.diag(sigma)
    return np.asarray(np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * sigma, 0.0)))


def pair_errors(sigma: Floats, one: Ints, other: Ints) -> Floats:
    """The standard errors of the differences between some bots and as many others."""
    if sigma.ndim == 1:
        return np.asarray(np.hypot(sigma[one], sigma[other]))
    own = np.diag(sigma)
    return np.asarray(np.sqrt(np.maximum(own[one] + own[other] - 2 * sigma[one, other], 0.0)))


def z_scores(mu: Floats, sigma: Floats) -> Floats:
    """By how many standard errors the bot of a row is above that of a column; 0 for itself.

    `sigma` has an error for each bot, or it is the covariance of all, which is more exact.
    """
    gap = mu[:, None] - mu[None, :]
    return np.asarray(gap / np.maximum(difference_errors(sigma), MIN_ERROR))


def better_chances(mu: Floats, sigma: Floats) -> Floats:
    """The chance that the bot of a row is better than that of a column; 0.5 for itself."""
    return normal_cdf(z_scores(mu, sigma))


def normal_cdf(z: Floats) -> Floats:
    """The chance to be better that is in so many standard errors."""
    found = [0.5 * math.erfc(-gap / math.sqrt(2)) for gap in z.ravel().tolist()]
    return np.array(found, dtype=np.float64).reshape(z.shape)


def best_first(mu: Floats) -> list[int]:
    """The bots from the best to the worst; equal ones as they are numbered."""
    return [int(bot) for bot in np.argsort(-mu, kind="stable")]


def rank_intervals(z: Floats) -> list[tuple[int, int]]:
    """The best and the worst rank that each bot may in truth have."""
    sure = z >= TWO_SIDED_Z
    behind, ahead = sure.sum(axis=0), sure.sum(axis=1)
    return [(1 + int(lost), len(sure) - int(won)) for lost, won in zip(behind, ahead, strict=True)]


def tiers(order: Sequence[int], z: Floats) -> list[list[int]]:
    """The order cut wherever a bot is surely better than the next."""
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
    """That the first is better."""
    state: PairState


@dataclass(frozen=True)
class OrderVerdict:
    """What is known about an order, pair of neighbours by pair."""

    order: tuple[int, ...]
    pairs: tuple[NeighbourPair, ...]
    confidence: float
    """At least so sure is the whole order, but for ties, if nobody had looked before."""

    @property
    def settled_pairs(self) -> tuple[NeighbourPair, ...]:
        """Who is better is certain, for all of these together."""
        return self.pairs_in_state("settled")

    @property
    def tied_pairs(self) -> tuple[NeighbourPair, ...]:
        """These differ by so little that it does not matter."""
        return self.pairs_in_state("tied")

    @property
    def open_pairs(self) -> tuple[NeighbourPair, ...]:
        """These need more games."""
        return self.pairs_in_state("open")

    @property
    def is_done(self) -> bool:
        """Whether nothing is open, so that playing can stop."""
        return not self.open_pairs

    def pairs_in_state(self, state: PairState) -> tuple[NeighbourPair, ...]:
        """The pairs in this state."""
        return tuple(pair for pair in self.pairs if pair.state == state)


def judge_order(
    mu: Floats,
    sigma: Floats,
    *,
    confidence: float = 0.95,
    rope: float = 0.5,
    chances: Floats | None = None,
) -> OrderVerdict:
    """What is settled, tied or open in the order of these ratings, looked at ten times at most.

    Neighbours are tied if the 95 % interval of their difference lies within the rope. The doubts
    about all others are added up, the smallest first: those are settled that come to no more than
    may be wrong at one of ten looks. Half of what may be wrong, the share for a single look, would
    order two equal bots in a sixth of all runs that look ten times.

    Doubts come from the ratings, or from `chances` by a measure that tells bots apart sooner, such
    as their points. The order is that of the ratings, so that what both do not agree on is open.
    Only half as much may be wrong then: such a measure is rather too sure after few blocks.
    """
    order = best_first(mu)
    allowed = (1 - confidence) / MAX_LOOKS / (1 if chances is None else 2)
    higher, lower = np.array(order[:-1], np.int64), np.array(order[1:], np.int64)
    gap, error = mu[higher] - mu[lower], pair_errors(sigma, higher, lower)
    if chances is None:
        far = gap / np.maximum(error, MIN_ERROR)
        chance, doubt = normal_cdf(far), normal_cdf(-far)
    else:
        chance, doubt = chances[higher, lower], chances[lower, higher]
    states: list[PairState] = [
        "tied" if widest <= rope else "open" for widest in (gap + TWO_SIDED_Z * error).tolist()
    ]
    doubts = [
        (each, place)
        for place, (each, state) in enumerate(zip(doubt.tolist(), states, strict=True))
        if state == "open"
    ]
    spent = 0.0
    for each, place in sorted(doubts):
        spent += each
        if spent <= allowed:
            states[place] = "settled"
    pairs = tuple(
        NeighbourPair(ahead, behind, sure, state)
        for (ahead, behind), sure, state in zip(
            pairwise(order), chance.tolist(), states, strict=True
        )
    )
    return OrderVerdict(tuple(order), pairs, max(0.0, 1 - spent))
