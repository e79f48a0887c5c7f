"""Adaptive tables: games are spent where the order is still open."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.ratings import points
from arena.ratings.results import Floats, Ints, Results

Table = tuple[int, ...]

FLOOR = 0.2
"""Every bot has at least this share of the mean number of visits, however settled its rank is."""
TOP, TOP_WEIGHT = 3, 2.0
"""Who is at the top matters more."""
ROPE = 0.12
"""Differences that do not matter, in deviations of a block: half a point of mu, as that of a block
is a bit over 4 points of mu."""
DRAWS = 2
"""How often each pair of neighbours is tried with others who are drawn."""
PROMISING = 100
"""So many candidates are looked at closely: those about whose pairs there is most doubt."""
PRIOR = 0.1
"""Blocks that the belief is worth that all bots are equal: who has not played is uncertain."""


def choose(  # noqa: PLR0913, PLR0917 (the signature that the plan calls)
    results: Results,
    bots: int,
    seats: int,
    count: int,
    visits: Sequence[Table],
    seed: bytes,
) -> list[Table]:
    """The next tables, so many of them, each the numbers of its bots in rising order.

    `visits` are the tables so far, each as often as it was visited; the results are theirs. A visit
    is taken to have as many blocks as they had on average. Ties are drawn by the seed.
    """
    search = Search(results, bots, seats, visits, seed)
    return [search.next() for _ in range(count)]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Tables that may be chosen, as ranks in the order of the bots; a row is a table."""

    ranks: Ints
    pairs: Ints
    """The pairs of neighbours one or both of whom sit there; a pair is the rank of its better."""
    counted: Floats
    """1 for each of these pairs, 0 where there is none or it stands there twice."""


class Search:
    """What is known about the order, what the tables chosen so far will add, and what is left."""

    def __init__(
        self, results: Results, bots: int, seats: int, visits: Sequence[Table], seed: bytes
    ) -> None:
        self.seats = seats
        self.chance = np.random.PCG64(int.from_bytes(seed))
        self.played = np.zeros(bots, np.int64)
        self.met = np.zeros((bots, bots), np.int64)
        for table in visits:
            self.visit(table)
        self.length = max(1.0, results.blocks / max(1, len(visits)))
        known = points.information(results.who, bots)
        said = np.bincount(
            results.who.ravel(),
            points.centre(results.points / np.maximum(results.games, 1)[:, None]).ravel(),
            bots,
        )
        inverse = np.linalg.inv(known + PRIOR * np.eye(bots))
        theta = inverse @ said
        self.order = np.argsort(-theta, kind="stable")
        self.inverse = inverse[np.ix_(self.order, self.order)]
        noise = deviation(results, theta)
        self.gaps = -np.diff(theta[self.order]) / noise
        self.before = self.variances()
        self.weight = np.where(np.arange(bots - 1) < TOP, TOP_WEIGHT, 1.0)
        self.weight[self.gaps + 1.96 * np.sqrt(self.before) <= ROPE] = 0.0
        self.candidates = self.propose()

    def visit(self, table: Sequence[int] | Ints) -> None:
        """Count a visit."""
        self.played[list(table)] += 1
        self.met[np.ix_(list(table), list(table))] += 1

    def next(self) -> Table:
        """The next table: one for whoever starves, or else the one that settles most."""
        mean = (self.played.sum() + self.seats) / len(self.played)
        chosen = None if self.played.min() < FLOOR * mean else self.settle()
        table = self.feed() if chosen is None else self.order[chosen]
        self.visit(table)
        self.learn(np.argsort(self.order)[table])
        return tuple(sorted(int(bot) for bot in table))

    def feed(self) -> Ints:
        """A table of those who have played and met each other least."""
        drawn = np.argsort(self.chance.random_raw(len(self.played)), kind="stable")
        ahead = (self.seats - 1) * (self.played - self.played.min())
        table = [int(drawn[np.argmin(self.played[drawn])])]
        while len(table) < self.seats:
            cost = self.met[table].sum(axis=0) + ahead
            cost[table] = np.iinfo(np.int64).max
            table.append(int(drawn[np.argmin(cost[drawn])]))
        return np.array(table)

    def settle(self) -> Ints | None:
        """The table, by ranks, after which the order is likeliest to be right; None if all are."""
        pairs = self.candidates.pairs
        doubt = self.weight[pairs] * self.doubt(self.variances()[pairs], pairs)
        most = np.round((doubt * self.candidates.counted).sum(axis=1), 12)
        promising = np.argsort(-most, kind="stable")[:PROMISING]
        gains = np.round(self.gains(promising), 12)
        best = int(np.argmax(gains))
        return self.candidates.ranks[promising[best]] if gains[best] > 0 else None

    def variances(self) -> Floats:
        """Of the difference of each two neighbours, in block variances."""
        own = np.diag(self.inverse)
        found: Floats = own[:-1] + own[1:] - 2 * np.diag(self.inverse, 1)
        return found

    def learn(self, ranks: Ints) -> None:
        """Reckon with what a visit to a table will tell, whatever comes out."""
        contrasts = self.inverse[:, ranks] @ basis(self.seats)
        self.inverse -= contrasts @ np.linalg.solve(self.innovation(ranks), contrasts.T)

    def innovation(self, ranks: Ints) -> Floats:
        """The variance of what visits to tables will say, each a row of ranks."""
        contrasts = basis(self.seats)
        within = self.inverse[ranks[..., :, None], ranks[..., None, :]]
        found: Floats = contrasts.T @ within @ contrasts
        return found + np.eye(self.seats - 1) / self.length

    def gains(self, these: Ints) -> Floats:
        """How many mistakes in the order, by weight, each of these candidates will spare."""
        ranks, pairs = self.candidates.ranks[these], self.candidates.pairs[these]
        upper = self.inverse[pairs[:, :, None], ranks[:, None, :]]
        lower = self.inverse[pairs[:, :, None] + 1, ranks[:, None, :]]
        contrasts = (upper - lower) @ basis(self.seats)
        solved = np.linalg.solve(self.innovation(ranks), contrasts.transpose(0, 2, 1))
        drop = np.einsum("tpc,tcp->tp", contrasts, solved)
        now = self.variances()
        doubt = self.doubt(now[pairs], pairs) - self.doubt(now[pairs] - drop, pairs)
        found: Floats = (doubt * self.weight[pairs] * self.candidates.counted[these]).sum(axis=1)
        return found

    def doubt(self, variance: Floats, pairs: Ints) -> Floats:
        """The chance that a pair will stand the wrong way round, once its variance is so small.

        Until then the difference will move, by as much as is uncertain now and no longer then; so
        it is taken to be as large as it will be on average.
        """
        left = np.maximum(variance, 1e-12)
        apart = np.sqrt(self.gaps[pairs] ** 2 + np.maximum(self.before[pairs] - left, 0.0))
        return tail(apart / np.sqrt(left))

    def propose(self) -> Candidates:
        """Every run of neighbours, and every pair of neighbours with others who are drawn."""
        bots = len(self.order)
        windows = np.arange(bots - self.seats + 1)[:, None] + np.arange(self.seats)
        first = np.repeat(np.arange(bots - 1), DRAWS)
        drawn = self.chance.random_raw(len(first) * bots).reshape(len(first), bots) >> 1
        drawn[np.arange(len(first)), first] = drawn[np.arange(len(first)), first + 1] = 2**64 - 1
        others = np.argsort(drawn, axis=1, kind="stable")[:, : self.seats - 2]
        mixed = np.concatenate([first[:, None], first[:, None] + 1, others], axis=1)
        ranks = np.sort(np.concatenate([windows, mixed]), axis=1).astype(np.int64)
        new = np.diff(ranks, axis=1, prepend=-9) != 1  # the better neighbour does not sit there
        pairs = np.concatenate([ranks, ranks - 1], axis=1)
        counted = np.concatenate([ranks < bots - 1, new & (ranks > 0)], axis=1)
        return Candidates(ranks, np.clip(pairs, 0, bots - 2), counted.astype(np.float64))


def basis(seats: int) -> Floats:
    """Contrasts between the bots of a table, each of length 1 and at right angles to all others."""
    steps = np.arange(1, seats)
    below = np.tril(np.ones((seats - 1, seats)))
    below[steps - 1, steps] = -steps
    found: Floats = (below / np.sqrt(steps * (steps + 1))[:, None]).T
    return found


def deviation(results: Results, theta: Floats) -> float:
    """How far a bot's points a game in a block are off what its table makes one expect."""
    if not results.blocks:
        return 1.0
    seen = points.centre(results.points / np.maximum(results.games, 1)[:, None])
    left = seen - points.centre(theta[results.who])
    free = results.who.size - results.blocks - len(theta) + 1
    return float(np.sqrt((left**2).sum() / max(1, free))) or 1.0


def tail(z: Floats) -> Floats:
    """The chance of a standard normal variable to be below -z, for z ≥ 0; good to seven digits."""
    t = 1 / (1 + 0.2316419 * z)
    series = t * (
        0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    found: Floats = series * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    return found
