"""Choose adaptive tables: those whose games are most informative about undecided ranks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.ratings import points
from arena.ratings.results import Floats, Ints, Results

Table = tuple[int, ...]

MIN_VISIT_SHARE = 0.2
"""Every bot has at least this share of the mean number of visits, however certain its rank is."""
TOP_PLACES, TOP_WEIGHT = 3, 2.0
"""The order of the first places counts more."""
ROPE = 0.12
"""Differences that do not matter, in deviations of a block: half a point of mu, since the deviation
of a block is a bit over 4 points of mu."""
TABLES_PER_PAIR = 2
"""How many candidate tables each pair of neighbours gets with other bots that are drawn."""
SHORTLIST_SIZE = 100
"""How many candidates are evaluated in full: those with the most uncertain pairs."""
PRIOR_BLOCKS = 0.1
"""Blocks that the prior counts as, by which all bots are equal and new bots are uncertain."""


def choose_tables(  # noqa: PLR0913, PLR0917 (the signature that the plan calls)
    results: Results,
    bots: int,
    seats: int,
    count: int,
    visits: Sequence[Table],
    seed: bytes,
) -> list[Table]:
    """Choose the next tables, each as the numbers of its bots in rising order.

    `visits` are the tables so far, each as often as it was visited; `results` are their results. A
    new visit is assumed to have as many blocks as an earlier one had on average. Ties are drawn by
    the seed.
    """
    search = TableSearch(results, bots, seats, visits, seed)
    return [search.next_table() for _ in range(count)]


@dataclass(frozen=True, eq=False)
class CandidateTables:
    """Tables that may be chosen, one a row, as ranks in the order of the bots."""

    ranks: Ints
    pairs: Ints
    """The pairs of neighbours of which a bot sits there; a pair is the rank of its better bot."""
    pair_weights: Floats
    """1 for each of these pairs, 0 where there is none or it is listed twice."""


class TableSearch:
    """The estimated order, its uncertainty after the tables chosen so far, and the candidates."""

    def __init__(
        self, results: Results, bots: int, seats: int, visits: Sequence[Table], seed: bytes
    ) -> None:
        self.seats = seats
        self.rng = np.random.PCG64(int.from_bytes(seed))
        self.visit_counts = np.zeros(bots, np.int64)
        self.meeting_counts = np.zeros((bots, bots), np.int64)
        for table in visits:
            self.count_visit(table)
        self.blocks_per_visit = max(1.0, results.blocks / max(1, len(visits)))
        information = points.information_matrix(results.bot_indices, bots)
        sums = np.bincount(
            results.bot_indices.ravel(),
            points.centre_rows(results.points / np.maximum(results.games, 1)[:, None]).ravel(),
            bots,
        )
        inverse = np.linalg.inv(information + PRIOR_BLOCKS * np.eye(bots))
        estimate = inverse @ sums
        self.order = np.argsort(-estimate, kind="stable")
        self.covariance = inverse[np.ix_(self.order, self.order)]
        noise = residual_deviation(results, estimate)
        self.gaps = -np.diff(estimate[self.order]) / noise
        self.initial_variances = self.gap_variances()
        self.pair_weights = np.where(np.arange(bots - 1) < TOP_PLACES, TOP_WEIGHT, 1.0)
        self.pair_weights[self.gaps + 1.96 * np.sqrt(self.initial_variances) <= ROPE] = 0.0
        self.candidates = self.find_candidates()

    def count_visit(self, table: Sequence[int] | Ints) -> None:
        """Count a visit to a table."""
        self.visit_counts[list(table)] += 1
        self.meeting_counts[np.ix_(list(table), list(table))] += 1

    def next_table(self) -> Table:
        """Choose the next table: for a bot with too few visits, else the most informative one."""
        mean = (self.visit_counts.sum() + self.seats) / len(self.visit_counts)
        chosen = (
            None
            if self.visit_counts.min() < MIN_VISIT_SHARE * mean
            else self.most_informative_table()
        )
        table = self.balancing_table() if chosen is None else self.order[chosen]
        self.count_visit(table)
        self.update_covariance(np.argsort(self.order)[table])
        return tuple(sorted(int(bot) for bot in table))

    def balancing_table(self) -> Ints:
        """A table of bots that have played and met each other least."""
        drawn = np.argsort(self.rng.random_raw(len(self.visit_counts)), kind="stable")
        ahead = (self.seats - 1) * (self.visit_counts - self.visit_counts.min())
        table = [int(drawn[np.argmin(self.visit_counts[drawn])])]
        while len(table) < self.seats:
            cost = self.meeting_counts[table].sum(axis=0) + ahead
            cost[table] = np.iinfo(np.int64).max
            table.append(int(drawn[np.argmin(cost[drawn])]))
        return np.array(table)

    def most_informative_table(self) -> Ints | None:
        """The table, by ranks, that most improves the order; None if no table improves it."""
        pairs = self.candidates.pairs
        doubt = self.pair_weights[pairs] * self.error_probability(
            self.gap_variances()[pairs], pairs
        )
        most = np.round((doubt * self.candidates.pair_weights).sum(axis=1), 12)
        promising = np.argsort(-most, kind="stable")[:SHORTLIST_SIZE]
        gains = np.round(self.expected_gains(promising), 12)
        best = int(np.argmax(gains))
        return self.candidates.ranks[promising[best]] if gains[best] > 0 else None

    def gap_variances(self) -> Floats:
        """The variance of the difference of each two neighbours, in block variances."""
        own = np.diag(self.covariance)
        variances: Floats = own[:-1] + own[1:] - 2 * np.diag(self.covariance, 1)
        return variances

    def update_covariance(self, ranks: Ints) -> None:
        """Reduce the uncertainty by that of a visit to a table, whatever its result."""
        contrasts = self.covariance[:, ranks] @ contrast_basis(self.seats)
        self.covariance -= contrasts @ np.linalg.solve(self.innovation(ranks), contrasts.T)

    def innovation(self, ranks: Ints) -> Floats:
        """The variance of the results of visits to tables, each a row of ranks."""
        contrasts = contrast_basis(self.seats)
        within = self.covariance[ranks[..., :, None], ranks[..., None, :]]
        variance: Floats = contrasts.T @ within @ contrasts
        return variance + np.eye(self.seats - 1) / self.blocks_per_visit

    def expected_gains(self, indices: Ints) -> Floats:
        """The expected number of errors in the order, by weight, that each candidate avoids."""
        ranks, pairs = self.candidates.ranks[indices], self.candidates.pairs[indices]
        upper = self.covariance[pairs[:, :, None], ranks[:, None, :]]
        lower = self.covariance[pairs[:, :, None] + 1, ranks[:, None, :]]
        contrasts = (upper - lower) @ contrast_basis(self.seats)
        solved = np.linalg.solve(self.innovation(ranks), contrasts.transpose(0, 2, 1))
        drop = np.einsum("tpc,tcp->tp", contrasts, solved)
        now = self.gap_variances()
        doubt = self.error_probability(now[pairs], pairs) - self.error_probability(
            now[pairs] - drop, pairs
        )
        gains: Floats = (
            doubt * self.pair_weights[pairs] * self.candidates.pair_weights[indices]
        ).sum(axis=1)
        return gains

    def error_probability(self, variance: Floats, pairs: Ints) -> Floats:
        """The probability that a pair is in the wrong order, once its variance is this small.

        Until then the difference moves, by the variance that is removed; the mean square of the
        difference at that time is used.
        """
        variance = np.maximum(variance, 1e-12)
        removed = np.maximum(self.initial_variances[pairs] - variance, 0.0)
        difference = np.sqrt(self.gaps[pairs] ** 2 + removed)
        return normal_tail(difference / np.sqrt(variance))

    def find_candidates(self) -> CandidateTables:
        """Every run of neighbours, and every pair of neighbours with other bots that are drawn."""
        bots = len(self.order)
        windows = np.arange(bots - self.seats + 1)[:, None] + np.arange(self.seats)
        first = np.repeat(np.arange(bots - 1), TABLES_PER_PAIR)
        drawn = self.rng.random_raw(len(first) * bots).reshape(len(first), bots) >> 1
        drawn[np.arange(len(first)), first] = drawn[np.arange(len(first)), first + 1] = 2**64 - 1
        others = np.argsort(drawn, axis=1, kind="stable")[:, : self.seats - 2]
        mixed = np.concatenate([first[:, None], first[:, None] + 1, others], axis=1)
        ranks = np.sort(np.concatenate([windows, mixed]), axis=1).astype(np.int64)
        is_first = (
            np.diff(ranks, axis=1, prepend=-9) != 1
        )  # the better neighbour is not at the table
        pairs = np.concatenate([ranks, ranks - 1], axis=1)
        counted = np.concatenate([ranks < bots - 1, is_first & (ranks > 0)], axis=1)
        return CandidateTables(ranks, np.clip(pairs, 0, bots - 2), counted.astype(np.float64))


def contrast_basis(seats: int) -> Floats:
    """An orthonormal basis of the contrasts between the bots of a table."""
    steps = np.arange(1, seats)
    below = np.tril(np.ones((seats - 1, seats)))
    below[steps - 1, steps] = -steps
    basis: Floats = (below / np.sqrt(steps * (steps + 1))[:, None]).T
    return basis


def residual_deviation(results: Results, estimate: Floats) -> float:
    """The deviation of a bot's points a game in a block from what is expected at its table."""
    if not results.blocks:
        return 1.0
    observed = points.centre_rows(results.points / np.maximum(results.games, 1)[:, None])
    residuals = observed - points.centre_rows(estimate[results.bot_indices])
    degrees_of_freedom = results.bot_indices.size - results.blocks - len(estimate) + 1
    return float(np.sqrt((residuals**2).sum() / max(1, degrees_of_freedom))) or 1.0


def normal_tail(z: Floats) -> Floats:
    """The probability that a standard normal variable is below -z, for z ≥ 0, to seven digits."""
    t = 1 / (1 + 0.2316419 * z)
    series = t * (
        0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    tail: Floats = series * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    return tail
