"""All figures of a cell, and their mean over several cells, each of which counts the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.points import Points, fit
from arena.ratings.propagation import Rating, rate
from arena.ratings.results import Cell, Floats, Results
from arena.ratings.standing import By
from arena.ratings.tally import Tally, tally

DIGITS = 4
"""Of a published figure."""


@dataclass(frozen=True)
class Roster:
    """Who is rated, and how."""

    name: str
    """The run's."""
    bots: tuple[str, ...]
    """All of the run; results number them in this order."""
    standing: By = "score"
    anchors: tuple[str, ...] = ()
    """Those whose mean is 25."""


@dataclass(frozen=True, eq=False)
class Rated:
    """One cell with all its figures."""

    cell: Cell
    results: Results
    rating: Rating
    points: Points
    tally: Tally


@dataclass(frozen=True, eq=False)
class Mean:
    """The mean over cells of what bots reach in each of them."""

    complete: NDArray[np.bool_]
    """Who has played in all cells; the figures of others mean nothing."""
    mu: Floats
    """Rounded, so that whatever follows from it follows from what is published."""
    sigma: Floats
    covariance: Floats
    """Of mu, from which errors of differences are more exact than from sigma."""
    theta: Floats
    """Points."""
    theta_covariance: Floats
    known: NDArray[np.bool_]
    """Whose points have an error."""

    @property
    def order(self) -> list[int]:
        """Those who played in all cells, the best first; equal ones as they are numbered."""
        return self.among(range(len(self.complete)))

    def among(self, bots: Iterable[int]) -> list[int]:
        """The same, of some bots."""
        there = [bot for bot in bots if self.complete[bot]]
        return sorted(there, key=lambda bot: (-self.mu[bot], bot))

    def of(self, bots: Sequence[int]) -> tuple[Floats, Floats]:
        """Mu and covariance of some bots, in this order."""
        return self.mu[bots], self.covariance[np.ix_(bots, bots)]

    def points_of(self, bots: Sequence[int]) -> tuple[Floats, Floats]:
        """Their points, likewise."""
        return self.theta[bots], self.theta_covariance[np.ix_(bots, bots)]


def rate_cells(roster: Roster, results: Mapping[Cell, Results]) -> list[Rated]:
    """All figures of every cell in which something was played, by variant and size."""
    bots = roster.bots
    anchors = [bots.index(anchor) for anchor in roster.anchors if anchor in bots]
    return [
        Rated(
            cell,
            found,
            rate(found, len(bots), roster.standing, anchors),
            fit(found, len(bots)),
            tally(found, len(bots)),
        )
        for cell, found in sorted(results.items())
        if found.blocks
    ]


def average(cells: Sequence[Rated], bots: int) -> Mean:
    """The mean over cells; they are independent, so that errors shrink with their number."""
    if not cells:
        nothing, square = np.zeros(bots), np.zeros((bots, bots))
        nobody = np.zeros(bots, np.bool_)
        return Mean(nobody, nothing, nothing, square, nothing, square, nobody)
    count = len(cells)
    mu: Floats = np.mean([one.rating.mu for one in cells], axis=0)
    return Mean(
        complete=np.all([one.rating.played for one in cells], axis=0),
        mu=np.round(mu, DIGITS),
        sigma=np.sqrt(np.sum([one.rating.sigma**2 for one in cells], axis=0)) / count,
        covariance=total(one.rating.covariance for one in cells) / count**2,
        theta=np.mean([one.points.theta for one in cells], axis=0),
        theta_covariance=total(one.points.covariance for one in cells) / count**2,
        known=np.all([one.points.known for one in cells], axis=0),
    )


def total(squares: Iterator[Floats]) -> Floats:
    """The sum of matrices, without a copy of them all."""
    found = next(squares).copy()
    for one in squares:
        found += one
    return found


def figure(value: float) -> float:
    """A figure as it is published; there is no −0."""
    return round(float(value), DIGITS) + 0.0
