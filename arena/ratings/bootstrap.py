"""Bootstrap audit: compare stated rating errors with those of resampled blocks."""

import math
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from msgspec import Struct

from arena.ratings import trueskill, trueskill_numba
from arena.ratings.cell import Cell
from arena.ratings.overall import round_figure
from arena.ratings.results import Floats, Ints, RankBy, Results, block_ranks, tie_rate
from arena.text import plural

TRUSTED_RATIO = (0.8, 1.25)
"""Range of the errors found over those stated; outside of it the intervals are wrong."""
MIN_AUDIT_BLOCKS = 60
"""With fewer blocks neither estimate of the errors is reliable."""
MIN_BLOCKS_PER_BOT = 10
"""A bot with fewer blocks in the mean replicate is left out, since its prior would dominate."""


@dataclass(frozen=True)
class ResamplingEffort:
    """How much is resampled."""

    replicates: int
    blocks: int
    """In each replicate at most; the ratio does not depend on it."""


NUMBA_EFFORT = ResamplingEffort(400, 400)
PYTHON_EFFORT = ResamplingEffort(20, 100)


class IntervalAudit(Struct, frozen=True):
    """Whether the stated intervals of a cell agree with resampling."""

    cell: Cell
    ratio: float | None
    """Errors found by resampling over errors stated; None with too few blocks."""
    alarm: bool
    """Whether the intervals are not to be trusted."""
    sentence: str
    """The result in words."""


def audit_intervals(
    results: Results, bot_count: int, by: RankBy = "score", effort: ResamplingEffort | None = None
) -> IntervalAudit:
    """Compare the stated errors with the scatter of ratings of resampled blocks.

    The results are the seed of the resampling, so that the same blocks give the same audit.
    Ratings are centred on all bots instead of the anchors, whose error would be added to all.
    """
    blocks = results.blocks
    effort = effort or (NUMBA_EFFORT if trueskill_numba.load_kernel() else PYTHON_EFFORT)
    size = min(blocks, max(effort.blocks, 2 * MIN_BLOCKS_PER_BOT * bot_count // results.cell.seats))
    expected = np.bincount(results.bot_indices.ravel(), minlength=bot_count) * (
        size / max(blocks, 1)
    )
    rated = np.flatnonzero(expected >= MIN_BLOCKS_PER_BOT)
    if blocks < MIN_AUDIT_BLOCKS or len(rated) < 2:
        few = plural(blocks, "block")
        text = f"{few} are too few to audit the intervals; {MIN_AUDIT_BLOCKS} are needed"
        if blocks >= MIN_AUDIT_BLOCKS:
            text = f"fewer than two bots have played enough of the {few} to audit the intervals"
        return IntervalAudit(results.cell, None, alarm=False, sentence=f"{text}.")
    replicates = max(2, effort.replicates * effort.blocks // max(size, effort.blocks))
    mu, sigma = rate_resamples(results, bot_count, by, size, replicates)
    mu, sigma = mu[:, rated], sigma[:, rated]
    mu -= mu.mean(axis=1, keepdims=True)
    observed = float(mu.var(axis=0, ddof=1).mean()) * blocks / (blocks - 1)
    stated = float((sigma**2).mean()) * (len(rated) - 1) / len(rated)
    ratio = math.sqrt(observed / stated)
    return IntervalAudit(
        results.cell,
        round_figure(ratio),
        alarm=not TRUSTED_RATIO[0] <= ratio <= TRUSTED_RATIO[1],
        sentence=describe_ratio(ratio, replicates),
    )


def rate_resamples(
    results: Results, bot_count: int, by: RankBy, size: int, replicates: int
) -> tuple[Floats, Floats]:
    """Return mu and sigma of every bot; a row is a replicate with `size` blocks."""
    ranks = block_ranks(results, by)
    draw = min(max(tie_rate(ranks), trueskill.MIN_DRAW), trueskill.MAX_DRAW)
    rng = np.random.default_rng(derive_seed(results.bot_indices, ranks))
    mu, sigma = np.empty((replicates, bot_count)), np.empty((replicates, bot_count))
    everybody = np.ones(bot_count, np.bool_)
    for replicate in range(replicates):
        chosen = np.sort(rng.integers(results.blocks, size=size))
        bot_indices, order = results.bot_indices[chosen], ranks[chosen]
        sweeper = trueskill_numba.make_sweeper(
            bot_indices, order, draw, trueskill.BETA
        ) or trueskill.PackageSweeper(bot_indices, order, draw)
        swept = trueskill.run_sweeps(sweeper, bot_indices, everybody, everybody)
        mu[replicate], sigma[replicate] = swept.mu, swept.sigma
    return mu, sigma


def derive_seed(*arrays: Ints) -> int:
    """Return a number that depends on every entry."""
    hashed = sha256()
    for array in arrays:
        hashed.update(np.ascontiguousarray(array, "<i8").tobytes())
    return int.from_bytes(hashed.digest()[:8])


def describe_ratio(ratio: float, replicates: int) -> str:
    """Describe the result in a sentence."""
    low, high = TRUSTED_RATIO
    sentence = f"Resampling blocks {replicates} times finds errors {ratio:.2f} times those stated"
    if ratio > high:
        return f"{sentence}: the intervals are too narrow, do not trust them (alarm above {high})."
    if ratio < low:
        return f"{sentence}: the intervals are wider than need be (alarm below {low})."
    return f"{sentence}: the intervals can be trusted (alarm below {low} and above {high})."
