"""TrueSkill ratings from all blocks of a cell, by expectation propagation.

A block is one rating match between the bots of its table. Its information about each of them is a
message, the parameters of a Gaussian; a bot's rating is the prior times the messages of all its
blocks. A sweep updates the messages block by block: it takes the block's own messages out of the
ratings and rates the block as if it came last. Sweeps are repeated until nothing moves, so that
the order of the blocks does not matter.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from trueskill import Rating as Skill
from trueskill import TrueSkill

from arena.ratings import trueskill_numba
from arena.ratings.results import Floats, Ints, RankBy, Results, block_ranks, tie_rate

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
TOLERANCE = 1e-4
"""Sweeps end when no centred mu moves by as much."""
MAX_SWEEPS = 50
JUMP_INTERVAL = 4
"""After so many sweeps all messages are moved to where further sweeps would lead."""
MIN_DRAW, MAX_DRAW = 1e-3, 0.99
"""Limits of the draw probability, which is estimated and must not be 0 or 1."""
SECONDS_PER_SEAT = 0.0015
"""Seconds that the package takes for a block and seat, roughly."""
MIN_KERNEL_BLOCKS = 400
"""From so many blocks on it pays to load or compile the kernel."""
BLOCKS_IN_MEMORY = 20_000
"""How many blocks are held in memory as matrices."""
PAIR_MATRIX = np.array([[1.0, -1.0], [-1.0, 1.0]])

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CellRating:
    """The ratings of the bots of a run in one cell; an array has one entry for each bot."""

    mu: Floats
    """Centred: the mean of the anchors that played, or else of all that played, is 25."""
    sigma: Floats
    """The errors; the sum of two squares is close to the variance of the difference."""
    covariance: Floats
    """A row and a column for each bot; it gives the exact errors of all differences."""
    has_played: Bools
    """Whether it has a block here; the others have the prior, which means nothing."""
    blocks: Ints
    """The number of its blocks."""
    sweeps: int
    draw: float
    """The draw probability used: how often neighbours in the standings of blocks tied."""


def rate_cell(
    results: Results,
    bot_count: int,
    by: RankBy = "score",
    anchors: Sequence[int] = (),
    *,
    min_compiled: int | None = None,
) -> CellRating:
    """Rate the bots of a cell by the standings of all its blocks.

    From `min_compiled` blocks on the compiled kernel is used, if numba is installed.
    """
    ranks = block_ranks(results, by)
    draw = min(max(tie_rate(ranks), MIN_DRAW), MAX_DRAW)
    blocks = np.bincount(results.bot_indices.ravel(), minlength=bot_count).astype(np.int64)
    played = blocks > 0
    # Bots that have not played are left out, since the time grows with the cube of the number.
    bot_indices = (np.cumsum(played) - 1)[results.bot_indices]
    everybody = np.ones(int(played.sum()), np.bool_)
    anchored = np.isin(np.flatnonzero(played), anchors)
    compiled = (
        trueskill_numba.make_sweeper(bot_indices, ranks, draw, BETA)
        if len(bot_indices) >= (MIN_KERNEL_BLOCKS if min_compiled is None else min_compiled)
        else None
    )
    swept = run_sweeps(
        compiled or PackageSweeper(bot_indices, ranks, draw),
        bot_indices,
        everybody,
        anchored if anchored.any() else everybody,
    )
    mu, sigma, covariance = (
        np.full(bot_count, MU),
        np.full(bot_count, SIGMA),
        SIGMA**2 * np.eye(bot_count),
    )
    mu[played], sigma[played] = swept.mu, swept.sigma
    covariance[np.ix_(played, played)] = swept.covariance
    return CellRating(mu, sigma, covariance, played, blocks, swept.sweeps, draw)


@dataclass(frozen=True, eq=False)
class SweepResult:
    """The ratings from all blocks, as in `CellRating`."""

    mu: Floats
    sigma: Floats
    covariance: Floats
    sweeps: int


def run_sweeps(
    sweeper: trueskill_numba.Sweeper, bot_indices: Ints, played: Bools, centre: Bools
) -> SweepResult:
    """Sweep until nothing moves, and put the mean over `centre` at 25.

    Sweeps alone would take too long to separate groups that hardly met. The joint solution of all
    blocks shows where sweeps would end, and from time to time all messages are moved there.
    """
    bot_count = len(played)
    messages = np.zeros((*bot_indices.shape, 2))
    ratings = sum_messages(messages, bot_indices, bot_count)
    precision, sweeps, is_moving = SIGMA**-2 * np.eye(bot_count), 0, len(bot_indices) > 0
    while is_moving and sweeps < MAX_SWEEPS:
        before = centred_mus(ratings, played)
        sweeper(messages, ratings)
        sweeps += 1
        # Summing up again avoids the rounding errors of a million updates.
        ratings = sum_messages(messages, bot_indices, bot_count)
        is_moving = has_moved(before, centred_mus(ratings, played))
        if not is_moving or sweeps % JUMP_INTERVAL == 0:
            end, precision = solve_jointly(sweeper, messages, ratings)
            if has_moved(centred_mus(ratings, played), end - end[played].mean()):
                messages[:, :, 1] += messages[:, :, 0] * (end - means_of(ratings))[bot_indices]
                ratings, is_moving = sum_messages(messages, bot_indices, bot_count), True
    covariance: Floats = np.asarray(np.linalg.inv(precision), dtype=np.float64)
    sigma = np.full(bot_count, SIGMA)
    sigma[played] = fit_sigmas(covariance[np.ix_(played, played)])
    return SweepResult(MU + centred_mus(ratings, centre) * played, sigma, covariance, sweeps)


def solve_jointly(
    sweeper: trueskill_numba.Sweeper, messages: Floats, ratings: Floats
) -> tuple[Floats, Floats]:
    """Solve for the mus of all bots at once; return them and their matrix of precision."""
    precision, shift = joint_precision(
        sweeper.standings[:, :, 1],
        sweeper.difference_messages(messages, ratings),
        len(ratings),
        BETA,
    )
    precision += SIGMA**-2 * np.eye(len(ratings))
    return np.asarray(np.linalg.solve(precision, shift + MU * SIGMA**-2)), precision


def joint_precision(
    bot_indices: Ints, differences: Floats, bot_count: int, beta: float
) -> tuple[Floats, Floats]:
    """Return the matrix of precision from all blocks together, and the matrix times the means.

    `bot_indices` has the bots of each block from the best to the worst, and `differences` the
    messages about the difference in performance between each of them and the next.
    """
    precision, means = np.zeros(bot_count * bot_count), np.zeros(bot_count)
    for start in range(0, len(bot_indices), BLOCKS_IN_MEMORY):
        batch = slice(start, start + BLOCKS_IN_MEMORY)
        table, message = bot_indices[batch], differences[batch]
        blocks, seats = table.shape
        performance, shift = np.zeros((blocks, seats, seats)), np.zeros((blocks, seats, 1))
        for rank in range(seats - 1):
            pair = slice(rank, rank + 2)
            performance[:, pair, pair] += message[:, rank, 0, None, None] * PAIR_MATRIX
            shift[:, pair, 0] += message[:, rank, 1, None] * PAIR_MATRIX[0]
        # Performances are skills with noise, so less is known about skills.
        noise = np.eye(seats) + beta**2 * performance
        skill = np.linalg.solve(noise, np.concatenate([performance, shift], axis=2))
        places = table[:, :, None] * bot_count + table[:, None, :]
        precision += np.bincount(places.ravel(), skill[:, :, :-1].ravel(), bot_count * bot_count)
        means += np.bincount(table.ravel(), skill[:, :, -1].ravel(), bot_count)
    return precision.reshape(bot_count, bot_count), means


def fit_sigmas(covariance: Floats) -> Floats:
    """Fit a sigma for each bot, so that two of them give the error of a difference.

    The sum of the two squares approximates the variance of the difference. Relative deviations are
    minimised by least squares, so that a bot with few games does not affect the others.
    """
    own = np.diag(covariance)
    if len(own) < 2:
        return np.asarray(np.sqrt(own))
    diagonal = np.eye(len(own), dtype=np.bool_)
    pairs = np.where(diagonal, np.inf, own[:, None] + own[None, :] - 2 * covariance)
    precision = 1 / pairs
    weights = precision * precision
    weights[diagonal] = weights.sum(axis=1)
    squares = solve_least_squares(weights, precision.sum(axis=1))
    # The square of a bot that met all others, which met only this bot, would be about 0.
    return np.asarray(np.sqrt(np.maximum(squares, 0.01 * pairs.min(axis=1))), dtype=np.float64)


def solve_least_squares(weights: Floats, sums: Floats) -> Floats:
    """Solve least squares; two bots can share their variance in any way, and get equal shares."""
    if len(sums) > 2:
        try:
            # Twenty times as fast as lstsq, which takes a second for 800 bots.
            return np.asarray(np.linalg.solve(weights, sums), dtype=np.float64)
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.lstsq(weights, sums, rcond=None)[0], dtype=np.float64)


def has_moved(one: Floats, other: Floats) -> bool:
    """Whether any mu differs by the tolerance."""
    return bool(np.max(np.abs(one - other)) >= TOLERANCE)


def estimate_seconds(blocks: int, seats: int) -> float | None:
    """Estimate how long the package takes to rate so many blocks; None with compiled code."""
    if blocks < MIN_KERNEL_BLOCKS or trueskill_numba.load_kernel():
        return None
    return SECONDS_PER_SEAT * blocks * seats


def sum_messages(messages: Floats, bot_indices: Ints, bot_count: int) -> Floats:
    """Add messages to the prior: the precision of each bot, and precision times mean."""
    prior = (SIGMA**-2, MU * SIGMA**-2)
    return np.stack(
        [
            prior[part] + np.bincount(bot_indices.ravel(), messages[:, :, part].ravel(), bot_count)
            for part in (0, 1)
        ],
        axis=1,
    )


def means_of(ratings: Floats) -> Floats:
    """Return the mus of ratings."""
    return np.asarray(ratings[:, 1] / ratings[:, 0])


def centred_mus(ratings: Floats, centre: Bools) -> Floats:
    """Return the mus less their mean, since their level depends on the prior and settles late."""
    mu = means_of(ratings)
    return np.asarray(mu - mu[centre].mean()) if centre.any() else np.zeros_like(mu)


class PackageSweeper(trueskill_numba.Sweeper):
    """Sweeps over blocks with the `trueskill` package."""

    def __init__(self, bot_indices: Ints, ranks: Ints, draw: float) -> None:
        super().__init__(bot_indices, ranks, draw, BETA)
        normal = NormalDist()
        # The package's own functions have 7 digits, which is not enough for narrow ties.
        backend = (lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), normal.pdf, normal.inv_cdf)
        self.package = TrueSkill(MU, SIGMA, BETA, 0.0, draw, backend)
        self.tables = list(zip(bot_indices.tolist(), ranks.tolist(), strict=True))

    def __call__(self, messages: Floats, ratings: Floats) -> None:
        """Update messages and ratings in place."""
        for message, (table, ranks) in zip(messages, self.tables, strict=True):
            without = ratings[table] - message
            message[:] = self.rate_block(without, ranks)
            ratings[table] = without + message

    def rate_block(self, without: Floats, ranks: Sequence[int]) -> Floats:
        """Return the messages of a block, given the ratings without them."""
        skills = [(Skill(tau / pi, pi**-0.5),) for pi, tau in without.tolist()]
        try:
            rated = self.package.rate(skills, ranks)
        except FloatingPointError:
            # The package raises this where a result was almost impossible, or almost certain.
            return trueskill_numba.block_messages(
                without, ranks, self.package.draw_probability, BETA
            )
        after = np.array([(skill.pi, skill.tau) for (skill,) in rated])
        return np.asarray(after - without)
