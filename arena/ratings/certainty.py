"""How sure an order is: chances, rank intervals, tiers, and when to stop playing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from arena.ratings.results import Floats

SURE = 0.975
"""One side of a 95 % interval: the chance from which on a bot counts as better than another."""
WIDTH = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors."""
LOOKS = 10
"""How often at most the rule may be asked in one run; more looks find more order by chance."""
LEAST = 30
"""How many blocks a cell needs before the rule may be asked."""

State = Literal["settled", "tied", "open"]


def errors(sigma: Floats) -> Floats:
    """The standard errors of all differences, from a sigma for each bot or from a covariance."""
    if sigma.ndim == 1:
        return np.asarray(np.hypot(sigma[:, None], sigma[None, :]))
    own = np.diag(sigma)
    return np.asarray(np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * sigma, 0.0)))


def better(mu: Floats, sigma: Floats) -> Floats:
    """The chance that the bot of a row is better than that of a column; 0.5 for itself.

    `sigma` has an error for each bot, or it is the covariance of all, which is more exact.
    """
    gap, error = mu[:, None] - mu[None, :], np.maximum(errors(sigma), 1e-12)
    chance = [0.5 * math.erfc(-z / math.sqrt(2)) for z in (gap / error).ravel().tolist()]
    return np.array(chance, dtype=np.float64).reshape(gap.shape)


def ranked(mu: Floats) -> list[int]:
    """The bots from the best to the worst; equal ones as they are numbered."""
    return [int(bot) for bot in np.argsort(-mu, kind="stable")]


def intervals(better: Floats) -> list[tuple[int, int]]:
    """The best and the worst rank that each bot may in truth have."""
    sure = better >= SURE
    behind, ahead = sure.sum(axis=0), sure.sum(axis=1)
    return [(1 + int(lost), len(sure) - int(won)) for lost, won in zip(behind, ahead, strict=True)]


def tiers(order: Sequence[int], better: Floats) -> list[list[int]]:
    """The order cut wherever a bot is surely better than the next."""
    groups: list[list[int]] = []
    for bot in order:
        if not groups or better[groups[-1][-1], bot] >= SURE:
            groups.append([])
        groups[-1].append(bot)
    return groups


@dataclass(frozen=True)
class Pair:
    """Two bots that are next to each other in the order."""

    ahead: int
    behind: int
    chance: float
    """That the first is better."""
    state: State


@dataclass(frozen=True)
class Verdict:
    """What is known about an order, pair of neighbours by pair."""

    order: tuple[int, ...]
    pairs: tuple[Pair, ...]
    confidence: float
    """At least so sure is the whole order, but for ties, if nobody had looked before."""

    @property
    def settled(self) -> tuple[Pair, ...]:
        """Who is better is certain, for all of these together."""
        return self.having("settled")

    @property
    def tied(self) -> tuple[Pair, ...]:
        """These differ by so little that it does not matter."""
        return self.having("tied")

    @property
    def open(self) -> tuple[Pair, ...]:
        """These need more games."""
        return self.having("open")

    @property
    def done(self) -> bool:
        """Whether nothing is open, so that playing can stop."""
        return not self.open

    def having(self, state: State) -> tuple[Pair, ...]:
        """The pairs in this state."""
        return tuple(pair for pair in self.pairs if pair.state == state)


def certify(
    mu: Floats,
    sigma: Floats,
    *,
    confidence: float = 0.95,
    rope: float = 0.5,
    chances: Floats | None = None,
) -> Verdict:
    """What is settled, tied or open in the order of these ratings, looked at ten times at most.

    Neighbours are tied if the 95 % interval of their difference lies within the rope. The doubts
    about all others are added up, the smallest first: those are settled that come to no more than
    may be wrong at one of ten looks. Half of what may be wrong, the share for a single look, would
    order two equal bots in a sixth of all runs that look ten times.

    Doubts come from the ratings, or from `chances` by a measure that tells bots apart sooner, such
    as their points. The order is that of the ratings, so that what both do not agree on is open.
    Only half as much may be wrong then: such a measure is rather too sure after few blocks.
    """
    order = ranked(mu)
    allowed = (1 - confidence) / LOOKS
    error = errors(sigma)
    if chances is None:
        chances = better(mu, sigma)
    else:
        allowed /= 2
    states: list[State] = []
    doubts = []
    for place, (ahead, behind) in enumerate(pairwise(order)):
        widest = mu[ahead] - mu[behind] + WIDTH * error[ahead, behind]
        states.append("tied" if widest <= rope else "open")
        if states[-1] == "open":
            doubts.append((float(chances[behind, ahead]), place))
    spent = 0.0
    for doubt, place in sorted(doubts):
        spent += doubt
        if spent <= allowed:
            states[place] = "settled"
    pairs = tuple(
        Pair(ahead, behind, float(chances[ahead, behind]), state)
        for (ahead, behind), state in zip(pairwise(order), states, strict=True)
    )
    return Verdict(tuple(order), pairs, max(0.0, 1 - spent))
