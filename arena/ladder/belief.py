"""Belief: how strong contenders are taken to be, in each cell and overall, and how sure that is.

It begins with the ratings and goes on as they would. Cells tell nothing about each other, as with
ratings: whoever chose opponents in one cell by what happened in others would have the strong meet
only the strong there, and ratings that do not know it would not tell them from the weak.
"""

from collections.abc import Sequence
from math import fsum

from arena.ratings.propagation import MU, SIGMA

PRIOR = 1.0 / (SIGMA * SIGMA)
"""How precisely a strength is known before anything is seen."""


class Belief:
    """What is believed about contenders, by their numbers; all strengths are counted from 25."""

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = weights
        """What each cell contributes to the overall strength; their sum is 1."""
        self.precision: list[list[float]] = []
        """Of each contender in each cell."""
        self.shift: list[list[float]] = []
        """Precision times strength."""
        self.strength: list[float] = []
        """Of each contender, the weighted mean over cells."""
        self.variance: list[float] = []
        """That of the mean."""

    def enter(self, mu: Sequence[float], sigma: Sequence[float], blocks: Sequence[int]) -> None:
        """Add a contender with its ratings."""
        played = [many > 0 for many in blocks]
        seen = [1.0 / (one * one) if yes else PRIOR for one, yes in zip(sigma, played, strict=True)]
        means = [one - MU if yes else 0.0 for one, yes in zip(mu, played, strict=True)]
        self.precision.append(seen)
        self.shift.append([pi * mean for pi, mean in zip(seen, means, strict=True)])
        weights = self.weights
        self.strength.append(fsum(w * mean for w, mean in zip(weights, means, strict=True)))
        self.variance.append(fsum(w * w / pi for w, pi in zip(weights, seen, strict=True)))

    def tell(self, bot: int, cell: int, pi: float, tau: float) -> None:
        """Take in a message about a contender in a cell."""
        precision, shift = self.precision[bot], self.shift[bot]
        before, mean = precision[cell], shift[cell] / precision[cell]
        precision[cell] = after = before + pi
        shift[cell] += tau
        weight = self.weights[cell]
        self.strength[bot] += weight * (shift[cell] / after - mean)
        self.variance[bot] += weight * weight * (1.0 / after - 1.0 / before)

    def within(self, bot: int, cell: int) -> tuple[float, float]:
        """The strength in a cell, and its variance."""
        precision = self.precision[bot][cell]
        return self.shift[bot][cell] / precision, 1.0 / precision

    def drop(self, bot: int, more: float) -> float:
        """How much smaller the variance overall is once so much more is known about a cell.

        It is the one that is known least.
        """
        least = min(self.precision[bot])
        return more / (least * (least + more) * len(self.weights) ** 2)
