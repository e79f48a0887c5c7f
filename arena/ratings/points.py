"""Points a game relative to the table, corrected for opponents, by least squares."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.results import Floats, Ints, Results


@dataclass(frozen=True, eq=False)
class PointEstimates:
    """Points a game, one value for each bot of the run.

    They sum to 0 over bots that met, directly or through others; values of bots that never did
    cannot be compared.
    """

    estimate: Floats
    """0 for bots that have not played."""
    covariance: Floats
    """The errors for each pair of bots; blocks are independent, games of one block need not be."""
    has_played: NDArray[np.bool_]
    has_error: NDArray[np.bool_]
    """Whether there are enough blocks to estimate an error; the covariance of others is 0."""

    @property
    def error(self) -> Floats:
        """The standard error of each bot's points."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))


def fit_points(results: Results, bot_count: int) -> PointEstimates:
    """Fit the points of each bot by least squares over blocks, with errors clustered by block.

    A block measures how far each of its bots is above the mean of its table, in points a game. The
    errors assume no more than that blocks are independent: the residuals of a block may be
    correlated and of any size. They are scaled by observations over degrees of freedom, which is
    B/(B−1) for a single table.
    """
    bot_indices = results.bot_indices
    played = np.bincount(bot_indices.ravel(), minlength=bot_count)
    centred = centre_rows(results.points / np.maximum(results.games, 1)[:, None])
    inverse, rank = pseudo_inverse(information_matrix(bot_indices, bot_count))
    estimate = inverse @ np.bincount(bot_indices.ravel(), centred.ravel(), bot_count)
    degrees_of_freedom = centred.size - len(centred) - rank
    if degrees_of_freedom <= 0:
        nothing = np.zeros((bot_count, bot_count))
        return PointEstimates(estimate, nothing, played > 0, np.zeros(bot_count, np.bool_))
    residuals = centred - centre_rows(estimate[bot_indices])
    meat = (1 + rank / degrees_of_freedom) * outer_products(bot_indices, residuals, bot_count)
    known = played > 1  # a bot's only block fits it exactly and leaves no residual
    covariance = np.where(np.outer(known, known), inverse @ meat @ inverse, 0.0)
    return PointEstimates(estimate, covariance, played > 0, known)


def centre_rows(values: Floats) -> Floats:
    """Subtract from each row its mean."""
    means: Floats = values.mean(axis=1, keepdims=True)
    return values - means


def information_matrix(bot_indices: Ints, bot_count: int) -> Floats:
    """Return the information on differences between bots: the sum of I − 11ᵀ/n over tables."""
    seats = bot_indices.shape[1]
    blocks = np.bincount(bot_indices.ravel(), minlength=bot_count).astype(np.float64)
    pairs = outer_products(bot_indices, np.ones(bot_indices.shape), bot_count)
    return np.asarray(np.diag(blocks) - pairs / max(seats, 1))


def outer_products(bot_indices: Ints, values: Floats, bot_count: int) -> Floats:
    """Return the sum over rows of v vᵀ, where v has the row's values at its bots."""
    total = np.zeros((bot_count, bot_count))
    for one in range(bot_indices.shape[1]):
        for other in range(one + 1):
            pairs = np.bincount(
                bot_indices[:, one] * bot_count + bot_indices[:, other],
                values[:, one] * values[:, other],
                bot_count * bot_count,
            ).reshape(bot_count, bot_count)
            total += pairs if one == other else pairs + pairs.T
    return total


def pseudo_inverse(matrix: Floats) -> tuple[Floats, int]:
    """Return the pseudo-inverse of an information matrix of tables, and its rank.

    Tables hold no information on the level of bots that met, directly or through others. With some
    added for each such group the matrix can be inverted, in a tenth of the time of a decomposition
    into eigenvalues.
    """
    group = connected_groups(matrix != 0)
    size = np.bincount(group)
    level = (group[:, None] == group) / size[group] if len(group) else np.zeros_like(matrix)
    scale = max(float(np.trace(matrix)) / max(len(matrix), 1), 1.0)
    inverse: Floats = np.linalg.inv(matrix + scale * level) - level / scale
    return inverse, len(group) - len(size)


def connected_groups(met: NDArray[np.bool_]) -> Ints:
    """Return for each bot the number of its group of bots that met, directly or through others."""
    near = met | np.eye(len(met), dtype=np.bool_)
    first = np.arange(len(met))
    while True:
        lowest = np.where(near, first, len(met)).min(axis=1, initial=len(met))
        lowest = lowest[lowest]
        if np.array_equal(lowest, first):
            return np.asarray(np.unique(first, return_inverse=True)[1], np.int64)
        first = lowest


def t_quantile(clusters: int) -> float:
    """Return how many standard errors half a 95 % interval has, with so many clusters.

    This is Student's quantile for one degree of freedom less; 0 with a single cluster.
    """
    degrees_of_freedom = clusters - 1
    if degrees_of_freedom < 1:
        return 0.0
    if degrees_of_freedom <= len(T_QUANTILES):
        return T_QUANTILES[degrees_of_freedom - 1]
    normal = 1.959964
    first = (normal**3 + normal) / 4
    second = (5 * normal**5 + 16 * normal**3 + 3 * normal) / 96
    third = (3 * normal**7 + 19 * normal**5 + 17 * normal**3 - 15 * normal) / 384
    return (
        normal
        + first / degrees_of_freedom
        + second / degrees_of_freedom**2
        + third / degrees_of_freedom**3
    )


T_QUANTILES = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
"""Student's quantile for 1, 2, 3 … degrees of freedom, where the series is not exact enough."""
