"""TrueSkill over all blocks of a cell at once, by expectation propagation: order does not matter.

A block is one rating match between the bots of its table. What it says about each of them is a
message, the parameters of a Gaussian; a bot's rating is the prior times the messages of all its
blocks. A sweep renews the messages block by block: take the block's own messages out of the
ratings, rate the block as if it came last, and see what it says now. Sweeps go on until nothing
moves, and then no block was the first or the last.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from trueskill import Rating as Skill
from trueskill import TrueSkill

from arena.ratings import compiled, standing
from arena.ratings.covariance import joint, spread
from arena.ratings.results import Floats, Ints, Results

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
CLOSE = 1e-4
"""Sweeps end when no centred mu moves by as much."""
SWEEPS = 50
JUMP = 4
"""After so many sweeps at the latest all is moved to where further sweeps would lead."""
RARE, FREQUENT = 1e-3, 0.99
"""Limits of the draw probability: what was never seen may happen, and what always was may not."""
SLOW = 0.0015
"""Seconds that the package takes for a block, about, for each of its seats."""
MANY = 400
"""From so many blocks on it pays to load or make compiled code."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rating:
    """How strong the bots of a run are in one cell; an array has one entry for each bot."""

    mu: Floats
    """Centred: the mean of the anchors that played, or else of all that played, is 25."""
    sigma: Floats
    """The errors: that of a difference is the root of two squares, as nearly as can be."""
    covariance: Floats
    """A row and a column for each bot: the errors of all differences exactly."""
    played: Flags
    """Whether it has a block here; who has none shows the prior, which says nothing."""
    blocks: Ints
    """How many it has."""
    sweeps: int
    draw: float
    """The draw probability that was assumed: how often neighbours in a standing tied."""


def rate(
    results: Results,
    bots: int,
    by: standing.By = "score",
    anchors: Sequence[int] = (),
    *,
    many: int | None = None,
) -> Rating:
    """Rates the bots of a cell by the standings of all its blocks.

    From `many` blocks on, or `MANY`, it is done by compiled code where there is any.
    """
    ranks = standing.ranks(results, by)
    draw = min(max(standing.tie_rate(ranks), RARE), FREQUENT)
    blocks = np.bincount(results.who.ravel(), minlength=bots).astype(np.int64)
    played = blocks > 0
    # Only who has played is reckoned with, which takes the cube of their number.
    who = (np.cumsum(played) - 1)[results.who]
    everybody = np.ones(int(played.sum()), np.bool_)
    anchored = np.isin(np.flatnonzero(played), anchors)
    fast = (
        compiled.sweeps(who, ranks, draw, BETA)
        if len(who) >= (MANY if many is None else many)
        else None
    )
    found = fit(
        fast or packaged(who, ranks, draw),
        who,
        everybody,
        anchored if anchored.any() else everybody,
    )
    mu, sigma, covariance = np.full(bots, MU), np.full(bots, SIGMA), SIGMA**2 * np.eye(bots)
    mu[played], sigma[played] = found.mu, found.sigma
    covariance[np.ix_(played, played)] = found.covariance
    return Rating(mu, sigma, covariance, played, blocks, found.sweeps, draw)


@dataclass(frozen=True, eq=False)
class Fit:
    """What all blocks together say, as in `Rating`."""

    mu: Floats
    sigma: Floats
    covariance: Floats
    sweeps: int


def fit(sweep: compiled.Flat, who: Ints, played: Flags, centre: Flags) -> Fit:
    """Sweeps until nothing moves, and puts the mean over `centre` at 25.

    Sweeps alone would take forever to tell groups apart that hardly met. What all blocks say
    together tells where such sweeps would end, and now and then all messages are moved there.
    """
    bots = len(played)
    messages = np.zeros((*who.shape, 2))
    ratings = total(messages, who, bots)
    told, sweeps, open_ = SIGMA**-2 * np.eye(bots), 0, len(who) > 0
    while open_ and sweeps < SWEEPS:
        before = centred(ratings, played)
        sweep(messages, ratings)
        sweeps += 1
        # Adding up anew keeps rounding from creeping in over a million updates.
        ratings = total(messages, who, bots)
        open_ = far(before, centred(ratings, played))
        if not open_ or sweeps % JUMP == 0:
            end, told = together(sweep, messages, ratings)
            if far(centred(ratings, played), end - end[played].mean()):
                messages[:, :, 1] += messages[:, :, 0] * (end - mean(ratings))[who]
                ratings, open_ = total(messages, who, bots), True
    covariance: Floats = np.asarray(np.linalg.inv(told), dtype=np.float64)
    sigma = np.full(bots, SIGMA)
    sigma[played] = spread(covariance[np.ix_(played, played)])
    return Fit(MU + centred(ratings, centre) * played, sigma, covariance, sweeps)


def together(sweep: compiled.Flat, messages: Floats, ratings: Floats) -> tuple[Floats, Floats]:
    """The mus that what all blocks say leads to, taken together, and their matrix of precision."""
    told, shift = joint(
        sweep.standings[:, :, 1], sweep.differences(messages, ratings), len(ratings), BETA
    )
    told += SIGMA**-2 * np.eye(len(ratings))
    return np.asarray(np.linalg.solve(told, shift + MU * SIGMA**-2)), told


def far(one: Floats, other: Floats) -> bool:
    """Whether any mu differs too much."""
    return bool(np.max(np.abs(one - other)) >= CLOSE)


def seconds(blocks: int, seats: int) -> float | None:
    """About how long the package takes to rate so many; None where it need not."""
    if blocks < MANY or compiled.kernel():
        return None
    return SLOW * blocks * seats


def settle(
    sweep: compiled.Flat, who: Ints, played: Flags, centre: Flags
) -> tuple[Floats, Floats, int]:
    """Mu, sigma and the number of sweeps only."""
    found = fit(sweep, who, played, centre)
    return found.mu, found.sigma, found.sweeps


def total(messages: Floats, who: Ints, bots: int) -> Floats:
    """The ratings that these messages and the prior make: precision, and precision times mean."""
    prior = (SIGMA**-2, MU * SIGMA**-2)
    return np.stack(
        [
            prior[part] + np.bincount(who.ravel(), messages[:, :, part].ravel(), bots)
            for part in (0, 1)
        ],
        axis=1,
    )


def mean(ratings: Floats) -> Floats:
    """The mus of ratings."""
    return np.asarray(ratings[:, 1] / ratings[:, 0])


def centred(ratings: Floats, centre: Flags) -> Floats:
    """The mus around a mean of theirs, because their level hangs on the prior and settles late."""
    mu = mean(ratings)
    return np.asarray(mu - mu[centre].mean()) if centre.any() else np.zeros_like(mu)


class Packaged(compiled.Flat):
    """Sweeps by the `trueskill` package."""

    def __init__(self, who: Ints, ranks: Ints, draw: float) -> None:
        super().__init__(who, ranks, draw, BETA)
        normal = NormalDist()
        # The package's own functions are good to 7 digits, which makes a narrow tie very rough.
        backend = (lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), normal.pdf, normal.inv_cdf)
        self.package = TrueSkill(MU, SIGMA, BETA, 0.0, draw, backend)
        self.tables = list(zip(who.tolist(), ranks.tolist(), strict=True))

    def __call__(self, messages: Floats, ratings: Floats) -> None:
        """Renews messages and ratings in place."""
        for said, (table, ranks) in zip(messages, self.tables, strict=True):
            without = ratings[table] - said
            said[:] = self.step(without, ranks)
            ratings[table] = without + said

    def step(self, without: Floats, ranks: Sequence[int]) -> Floats:
        """What a block says about its bots, given what all others say about them."""
        skills = [(Skill(tau / pi, pi**-0.5),) for pi, tau in without.tolist()]
        try:
            rated = self.package.rate(skills, ranks)
        except FloatingPointError:
            # It gives up where a result was next to impossible, or sure from the beginning.
            return compiled.block(without, ranks, self.package.draw_probability, BETA)
        after = np.array([(skill.pi, skill.tau) for (skill,) in rated])
        return np.asarray(after - without)


def packaged(who: Ints, ranks: Ints, draw: float) -> Packaged:
    """Sweeps by the `trueskill` package."""
    return Packaged(who, ranks, draw)
