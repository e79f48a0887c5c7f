"""The standing of a block: who came first, second, third over all its games."""

from typing import Literal

import numpy as np

from arena.ratings.results import Floats, Ints, Results

By = Literal["score", "placement"]
"""What decides: the points, or the placement points for those who value games over margins."""


def ranks(results: Results, by: By = "score") -> Ints:
    """The rank of each place in each block: 1 is best, and equal places share the better rank.

    The other measure breaks ties; who is still equal then has tied.
    """
    return ranked(results.points, results.placement, by)


def ranked(points: Floats, placement: Floats, by: By) -> Ints:
    """The same from the two measures alone, each with a row for every block."""
    # Sums of thirds differ in their last digits with the order they were added in.
    first, second = points, np.round(placement, 6)
    if by == "placement":
        first, second = second, first
    ahead = beats(first) | (same(first) & beats(second))
    return np.asarray(1 + np.sum(ahead, axis=2, dtype=np.int64))


def beats(measure: Floats) -> np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]:
    """For each block, by row a place and by column another: whether the other has more."""
    return np.asarray(measure[:, None, :] > measure[:, :, None])


def same(measure: Floats) -> np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]:
    """For each block, by row a place and by column another: whether they have the same."""
    return np.asarray(measure[:, None, :] == measure[:, :, None])


def tie_rate(ranks: Ints) -> float:
    """The share of ties among those who are next to each other in the standings of blocks."""
    blocks, seats = ranks.shape
    if not blocks or seats < 2:
        return 0.0
    return float(np.mean(np.diff(np.sort(ranks, axis=1), axis=1) == 0))
