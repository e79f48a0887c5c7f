"""How the errors of ratings hang together.

Expectation propagation keeps an error for each bot as if the others were known, and nothing about
how errors go together. Where six bots of equal standing meet each other that makes every
difference look a tenth less certain than it is, and where two groups never met it makes up
certainty from nothing. The blocks know better: each says something about differences only, and what
they say adds up.
"""

import numpy as np

from arena.ratings.results import Floats, Ints

AT_ONCE = 20_000
"""How many blocks are held in memory as matrices."""
OPPOSITE = np.array([[1.0, -1.0], [-1.0, 1.0]])


def joint(who: Ints, differences: Floats, bots: int, beta: float) -> tuple[Floats, Floats]:
    """What all blocks together say about the bots: a matrix of precision, and it times the means.

    `who` has the bots of each block from the best to the worst, and `differences` what the block
    says about the difference in performance between each of them and the next.
    """
    precision, means = np.zeros(bots * bots), np.zeros(bots)
    for start in range(0, len(who), AT_ONCE):
        table, told = who[start : start + AT_ONCE], differences[start : start + AT_ONCE]
        blocks, seats = table.shape
        performance, shift = np.zeros((blocks, seats, seats)), np.zeros((blocks, seats, 1))
        for rank in range(seats - 1):
            pair = slice(rank, rank + 2)
            performance[:, pair, pair] += told[:, rank, 0, None, None] * OPPOSITE
            shift[:, pair, 0] += told[:, rank, 1, None] * OPPOSITE[0]
        # Performances are skills with noise: what is known about skills is less.
        noise = np.eye(seats) + beta**2 * performance
        skill = np.linalg.solve(noise, np.concatenate([performance, shift], axis=2))
        places = table[:, :, None] * bots + table[:, None, :]
        precision += np.bincount(places.ravel(), skill[:, :, :-1].ravel(), bots * bots)
        means += np.bincount(table.ravel(), skill[:, :, -1].ravel(), bots)
    return precision.reshape(bots, bots), means


def spread(covariance: Floats) -> Floats:
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
    squares = solved(weights, told.sum(axis=1))
    # A bot that met everybody, where nobody met anybody else, comes out with about none.
    return np.asarray(np.sqrt(np.maximum(squares, 0.01 * pairs.min(axis=1))), dtype=np.float64)


def solved(weights: Floats, sums: Floats) -> Floats:
    """Least squares; two bots alone can share their variance in any way, and get the same."""
    if len(sums) > 2:
        try:
            # Twenty times as fast as the other way, which takes a second for 800 bots.
            return np.asarray(np.linalg.solve(weights, sums), dtype=np.float64)
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.lstsq(weights, sums, rcond=None)[0], dtype=np.float64)
