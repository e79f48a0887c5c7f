"""Synthetic bots: strengths that are known, what their blocks come to, and ratings from these."""

from math import sqrt

import numpy as np
from numpy.random import Generator

from arena.ladder.matchmaking import Match
from arena.ratings import compiled
from arena.ratings.propagation import BETA, RARE, SIGMA, total
from arena.ratings.results import Floats, Ints

VARIED = SIGMA / 4
"""By how much a bot's strengths differ between cells, as a deviation."""
SWEEPS = 2
"""How often all blocks are swept over after a night; as ratings are carried on, few will do."""


class Population:
    """Bots as the ratings take them to be before they have played, and as noisy."""

    def __init__(self, bots: int, cells: int, chance: Generator) -> None:
        common = chance.normal(0.0, sqrt(SIGMA**2 - VARIED**2), (bots, 1))
        strength = common + chance.normal(0.0, VARIED, (bots, cells))
        self.overall: Floats = strength.mean(axis=1)
        """The mean over cells."""
        self.strength: list[list[float]] = strength.tolist()
        """Of each bot in each cell."""

    def block(self, match: Match, chance: Generator) -> list[int]:
        """The ranks that a block ends in."""
        luck = (BETA * chance.standard_normal(len(match.table))).tolist()
        performance = [
            self.strength[bot][match.cell] + more
            for bot, more in zip(match.table, luck, strict=True)
        ]
        best = sorted(performance, reverse=True)
        return [best.index(one) + 1 for one in performance]


class Ratings:
    """The ratings of one cell, from all its blocks."""

    def __init__(self, bots: int, seats: int) -> None:
        self.bots = bots
        self.who, self.ranks = np.zeros((2, 0, seats), np.int64)
        self.messages = np.zeros((0, seats, 2))
        self.ratings = total(self.messages, self.who, bots)

    def add(self, who: Ints, ranks: Ints) -> None:
        """Rate anew with the blocks of another night."""
        self.who, self.ranks = np.concatenate([self.who, who]), np.concatenate([self.ranks, ranks])
        self.messages = np.concatenate([self.messages, np.zeros((*who.shape, 2))])
        # Without compiled code it takes as long as it takes.
        flat = compiled.sweeps(self.who, self.ranks, RARE, BETA)
        flat = flat or compiled.Flat(self.who, self.ranks, RARE, BETA)
        for _ in range(SWEEPS):
            flat(self.messages, self.ratings)
            self.ratings = total(self.messages, self.who, self.bots)

    @property
    def mu(self) -> Floats:
        """Of each bot."""
        return np.asarray(self.ratings[:, 1] / self.ratings[:, 0])

    @property
    def sigma(self) -> Floats:
        """Of each bot."""
        return np.asarray(self.ratings[:, 0] ** -0.5)
