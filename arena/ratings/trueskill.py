"""TrueSkill ratings from all blocks of a cell, by expectation propagation.

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

from arena.ratings import results as ratings_results
from arena.ratings import trueskill_numba
from arena.ratings.results import Floats, Ints, Results

BLOCKS_IN_MEMORY = 20_000
"""How many blocks are held in memory as matrices."""
PAIR_MATRIX = np.array([[1.0, -1.0], [-1.0, 1.0]])


def joint_precision(
    who: Ints, differences: Floats, bots: int, beta: float
) -> tuple[Floats, Floats]:
    """What all blocks together say about the bots: a matrix of precision, and it times the means.

    `who` has the bots of each block from the best to the worst, and `differences` what the block
    says about the difference in performance between each of them and the next.
    """
    precision, means = np.zeros(bots * bots), np.zeros(bots)
    for start in range(0, len(who), BLOCKS_IN_MEMORY):
        table, told = (
            who[start : start + BLOCKS_IN_MEMORY],
            differences[start : start + BLOCKS_IN_MEMORY],
        )
        blocks, seats = table.shape
        performance, shift = np.zeros((blocks, seats, seats)), np.zeros((blocks, seats, 1))
        for rank in range(seats - 1):
            pair = slice(rank, rank + 2)
            performance[:, pair, pair] += told[:, rank, 0, None, None] * PAIR_MATRIX
            shift[:, pair, 0] += told[:, rank, 1, None] * PAIR_MATRIX[0]
        # Performances are skills with noise: what is known about skills is less.
        noise = np.eye(seats) + beta**2 * performance
        skill = np.linalg.solve(noise, np.concatenate([performance, shift], axis=2))
        places = table[:, :, None] * bots + table[:, None, :]
        precision += np.bincount(places.ravel(), skill[:, :, :-1].ravel(), bots * bots)
        means += np.bincount(table.ravel(), skill[:, :, -1].ravel(), bots)
    return precision.reshape(bots, bots), means


def fit_sigmas(covariance: Floats) -> Floats:
    """A sigma for each bot, of which two make the error of a difference as nearly as can be.

    The variance of a difference is to be the sum of two squares. The squares that come nearest
    to that, measured in per cent, are found by least squares, so that somebody who has hardly
    played does not spoil it for the others.
    """
    own = np.diag(covariance)
    if len(own) < 2:
        return np.asarray(np.sqrt(own))
    itself = np.eye(len(own), dtype=np.bool_)
    pairs = np.where(itself, np.inf, own[:, None] + own[None, :] - 2 * covariance)
    told = 1 / pairs
    weights = told * told
    weights[itself] = weights.sum(axis=1)
    squares = solve_least_squares(weights, told.sum(axis=1))
    # A bot that met everybody, where nobody met anybody else, comes out with about none.
    return np.asarray(np.sqrt(np.maximum(squares, 0.01 * pairs.min(axis=1))), dtype=np.float64)


def solve_least_squares(weights: Floats, sums: Floats) -> Floats:
    """Least squares; two bots alone can share their variance in any way, and get the same."""
    if len(sums) > 2:
        try:
            # Twenty times as fast as the other way, which takes a second for 800 bots.
            return np.asarray(np.linalg.solve(weights, sums), dtype=np.float64)
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.lstsq(weights, sums, rcond=None)[0], dtype=np.float64)


MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
TOLERANCE = 1e-4
"""Sweeps end when no centred mu moves by as much."""
MAX_SWEEPS = 50
JUMP_INTERVAL = 4
"""After so many sweeps at the latest all is moved to where further sweeps would lead."""
MIN_DRAW, MAX_DRAW = 1e-3, 0.99
"""Limits of the draw probability: what was never seen may happen, and what always was may not."""
SECONDS_PER_SEAT = 0.0015
"""Seconds that the package takes for a block, about, for each of its seats."""
MIN_COMPILED_BLOCKS = 400
"""From so many blocks on it pays to load or make compiled code."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CellRating:
    """How strong the bots of a run are in one cell; an array has one entry for each bot."""

    mu: Floats
    """Centred: the mean of the anchors that played, or else of all that played, is 25."""
    sigma: Floats
    """The errors: that of a difference is the root of two squares, as nearly as can be."""
    covariance: Floats
    """A row and a column for each bot: the errors of all differences exactly."""
    played: Bools
    """Whether it has a block here; who has none shows the prior, which says nothing."""
    blocks: Ints
    """How many it has."""
    sweeps: int
    draw: float
    """The draw probability that was assumed: how often neighbours in a standing tied."""


def rate(
    results: Results,
    bots: int,
    by: ratings_results.RankBy = "score",
    anchors: Sequence[int] = (),
    *,
    min_compiled: int | None = None,
) -> CellRating:
    """Rates the bots of a cell by the standings of all its blocks.

    From `many` blocks on, or `MANY`, it is done by compiled code where there is any.
    """
    ranks = ratings_results.block_ranks(results, by)
    draw = min(max(ratings_results.tie_rate(ranks), MIN_DRAW), MAX_DRAW)
    blocks = np.bincount(results.who.ravel(), minlength=bots).astype(np.int64)
    played = blocks > 0
    # Only who has played is reckoned with, which takes the cube of their number.
    who = (np.cumsum(played) - 1)[results.who]
    everybody = np.ones(int(played.sum()), np.bool_)
    anchored = np.isin(np.flatnonzero(played), anchors)
    fast = (
        trueskill_numba.make_sweeper(who, ranks, draw, BETA)
        if len(who) >= (MIN_COMPILED_BLOCKS if min_compiled is None else min_compiled)
        else None
    )
    found = run_sweeps(
        fast or make_package_sweeper(who, ranks, draw),
        who,
        everybody,
        anchored if anchored.any() else everybody,
    )
    mu, sigma, covariance = np.full(bots, MU), np.full(bots, SIGMA), SIGMA**2 * np.eye(bots)
    mu[played], sigma[played] = found.mu, found.sigma
    covariance[np.ix_(played, played)] = found.covariance
    return CellRating(mu, sigma, covariance, played, blocks, found.sweeps, draw)


@dataclass(frozen=True, eq=False)
class SweepResult:
    """What all blocks together say, as in `Rating`."""

    mu: Floats
    sigma: Floats
    covariance: Floats
    sweeps: int


def run_sweeps(
    sweeper: trueskill_numba.Sweeper, who: Ints, played: Bools, centre: Bools
) -> SweepResult:
    """Sweeps until nothing moves, and puts the mean over `centre` at 25.

    Sweeps alone would take forever to tell groups apart that hardly met. What all blocks say
    together tells where such sweeps would end, and now and then all messages are moved there.
    """
    bots = len(played)
    messages = np.zeros((*who.shape, 2))
    ratings = sum_messages(messages, who, bots)
    told, sweeps, open_ = SIGMA**-2 * np.eye(bots), 0, len(who) > 0
    while open_ and sweeps < MAX_SWEEPS:
        before = centred_mus(ratings, played)
        sweeper(messages, ratings)
        sweeps += 1
        # Adding up anew keeps rounding from creeping in over a million updates.
        ratings = sum_messages(messages, who, bots)
        open_ = has_moved(before, centred_mus(ratings, played))
        if not open_ or sweeps % JUMP_INTERVAL == 0:
            end, told = solve_jointly(sweeper, messages, ratings)
            if has_moved(centred_mus(ratings, played), end - end[played].mean()):
                messages[:, :, 1] += messages[:, :, 0] * (end - mus(ratings))[who]
                ratings, open_ = sum_messages(messages, who, bots), True
    covariance: Floats = np.asarray(np.linalg.inv(told), dtype=np.float64)
    sigma = np.full(bots, SIGMA)
    sigma[played] = fit_sigmas(covariance[np.ix_(played, played)])
    return SweepResult(MU + centred_mus(ratings, centre) * played, sigma, covariance, sweeps)


def solve_jointly(
    sweeper: trueskill_numba.Sweeper, messages: Floats, ratings: Floats
) -> tuple[Floats, Floats]:
    """The mus that what all blocks say leads to, taken together, and their matrix of precision."""
    told, shift = joint_precision(
        sweeper.standings[:, :, 1],
        sweeper.difference_messages(messages, ratings),
        len(ratings),
        BETA,
    )
    told += SIGMA**-2 * np.eye(len(ratings))
    return np.asarray(np.linalg.solve(told, shift + MU * SIGMA**-2)), told


def has_moved(one: Floats, other: Floats) -> bool:
    """Whether any mu differs too much."""
    return bool(np.max(np.abs(one - other)) >= TOLERANCE)


def estimate_seconds(blocks: int, seats: int) -> float | None:
    """About how long the package takes to rate so many; None where it need not."""
    if blocks < MIN_COMPILED_BLOCKS or trueskill_numba.load_kernel():
        return None
    return SECONDS_PER_SEAT * blocks * seats


def fit_mu_sigma(
    sweeper: trueskill_numba.Sweeper, who: Ints, played: Bools, centre: Bools
) -> tuple[Floats, Floats, int]:
    """Mu, sigma and the number of sweeps only."""
    found = run_sweeps(sweeper, who, played, centre)
    return found.mu, found.sigma, found.sweeps


def sum_messages(messages: Floats, who: Ints, bots: int) -> Floats:
    """The ratings that these messages and the prior make: precision, and precision times mean."""
    prior = (SIGMA**-2, MU * SIGMA**-2)
    return np.stack(
        [
            prior[part] + np.bincount(who.ravel(), messages[:, :, part].ravel(), bots)
            for part in (0, 1)
        ],
        axis=1,
    )


def mus(ratings: Floats) -> Floats:
    """The mus of ratings."""
    return np.asarray(ratings[:, 1] / ratings[:, 0])


def centred_mus(ratings: Floats, centre: Bools) -> Floats:
    """The mus around a mean of theirs, because their level hangs on the prior and settles late."""
    mu = mus(ratings)
    return np.asarray(mu - mu[centre].mean()) if centre.any() else np.zeros_like(mu)


class PackageSweeper(trueskill_numba.Sweeper):
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
            said[:] = self.rate_block(without, ranks)
            ratings[table] = without + said

    def rate_block(self, without: Floats, ranks: Sequence[int]) -> Floats:
        """What a block says about its bots, given what all others say about them."""
        skills = [(Skill(tau / pi, pi**-0.5),) for pi, tau in without.tolist()]
        try:
            rated = self.package.rate(skills, ranks)
        except FloatingPointError:
            # It gives up where a result was next to impossible, or sure from the beginning.
            return trueskill_numba.block_messages(
                without, ranks, self.package.draw_probability, BETA
            )
        after = np.array([(skill.pi, skill.tau) for (skill,) in rated])
        return np.asarray(after - without)


def make_package_sweeper(who: Ints, ranks: Ints, draw: float) -> PackageSweeper:
    """Sweeps by the `trueskill` package."""
    return PackageSweeper(who, ranks, draw)
