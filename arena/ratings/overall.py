"""The figures of each bot in a cell, and their weighted mean over cells.

The less luck a game has, the wider its ratings are spread. The weight of a cell in the overall
rating is one over its spread, so that no cell decides the order alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from arena.ratings.cell import Cell
from arena.ratings.points import PointEstimates, fit_points
from arena.ratings.results import Floats, Ints, RankBy, Results
from arena.ratings.trueskill import SIGMA, CellRating, rate_cell

DIGITS = 4
"""Decimal places of a published figure."""
MIN_KNOWN_BLOCKS = 3
"""A bot with so many blocks in a cell counts as known there."""
KNOWN_SHARE = 0.95
"""A new cell of a ladder counts once this share of the bots is known there."""
MIN_SPREAD = SIGMA / 4
"""The lower bound of a spread, so that a cell of pure luck does not get a huge weight."""


@dataclass(frozen=True)
class Roster:
    """The bots that are rated, and how."""

    name: str
    """The name of the run."""
    bots: tuple[str, ...]
    """All bots of the run; results number them in this order."""
    standing: RankBy = "score"
    anchors: tuple[str, ...] = ()
    """The bots whose mean is 25."""


@dataclass(frozen=True, eq=False)
class BotTotals:
    """Totals in one cell, with a value for each bot of the run; shares are 0 without games."""

    blocks: Ints
    games: Ints
    placement: Floats
    """The share of the others beaten, over all games; a tie counts half."""
    wins: Floats
    """The share of games won."""
    faults: Ints
    excuses: Ints
    decisions: Ints
    cpu: Ints
    """Microseconds of CPU time over all decisions."""


@dataclass(frozen=True, eq=False)
class RatedCell:
    """A cell with its results, ratings, points and totals."""

    cell: Cell
    results: Results
    rating: CellRating
    points: PointEstimates
    totals: BotTotals


@dataclass(frozen=True, eq=False)
class OverallRatings:
    """The mean over cells of the ratings and points of each bot."""

    is_complete: NDArray[np.bool_]
    """Which bots have played in all cells; the figures of the others mean nothing."""
    mu: Floats
    """Rounded, so that the order agrees with the published figures."""
    sigma: Floats
    covariance: Floats
    """The covariance of mu; it gives more exact errors of differences than sigma."""
    points: Floats
    """Points a game."""
    points_covariance: Floats
    has_points_error: NDArray[np.bool_]
    """Which bots have an error of their points."""

    @property
    def order(self) -> list[int]:
        """The bots that have played in all cells, the best first; equal ones by number."""
        return self.sort_bots(range(len(self.is_complete)))

    def sort_bots(self, bots: Iterable[int]) -> list[int]:
        """Sort those of some bots that have played in all cells, the best first."""
        complete = [bot for bot in bots if self.is_complete[bot]]
        return sorted(complete, key=lambda bot: (-self.mu[bot], bot))

    def ratings_of(self, bots: Sequence[int]) -> tuple[Floats, Floats]:
        """Return mu and covariance of some bots, in this order."""
        return self.mu[bots], self.covariance[np.ix_(bots, bots)]

    def points_of(self, bots: Sequence[int]) -> tuple[Floats, Floats]:
        """Return points and covariance of some bots, in this order."""
        return self.points[bots], self.points_covariance[np.ix_(bots, bots)]


def rate_cells(roster: Roster, results: Mapping[Cell, Results]) -> list[RatedCell]:
    """Rate all cells that have blocks, sorted by variant and size."""
    bots = roster.bots
    anchors = [bots.index(anchor) for anchor in roster.anchors if anchor in bots]
    return [
        RatedCell(
            cell,
            own,
            rate_cell(own, len(bots), roster.standing, anchors),
            fit_points(own, len(bots)),
            count_totals(own, len(bots)),
        )
        for cell, own in sorted(results.items())
        if own.blocks
    ]


def count_totals(results: Results, bot_count: int) -> BotTotals:
    """Add up the results of a cell for each of so many bots."""
    bot_indices = results.bot_indices.ravel()

    def total(values: Ints | Floats) -> Floats:
        return np.asarray(np.bincount(bot_indices, values.ravel(), bot_count), np.float64)

    def count(values: Ints) -> Ints:
        return np.rint(total(values)).astype(np.int64)

    games = count(np.broadcast_to(results.games[:, None], results.bot_indices.shape))
    played = np.maximum(games, 1)
    return BotTotals(
        blocks=np.bincount(bot_indices, minlength=bot_count).astype(np.int64),
        games=games,
        placement=total(results.placement) / played,
        wins=total(results.wins) / played,
        faults=count(results.faults),
        excuses=np.bincount(results.excused, minlength=bot_count).astype(np.int64),
        decisions=count(results.decisions),
        cpu=count(results.cpu),
    )


def strength_spread(rating: CellRating) -> float:
    """Estimate the standard deviation of the true strengths of the bots of a cell.

    The variance of the ratings is added to that of their errors; without games the sum is that of
    the prior, 25/3. The prior also counts as one more bot, for cells with few bots.
    """
    bot_count = int(rating.has_played.sum())
    if bot_count < 2:
        return SIGMA
    mu = rating.mu[rating.has_played]
    covariance = rating.covariance[np.ix_(rating.has_played, rating.has_played)]
    rated = float(np.square(mu - mu.mean()).sum())
    unknown = float(np.trace(covariance) - covariance.sum() / bot_count)
    return max(MIN_SPREAD, sqrt((rated + unknown + SIGMA**2) / bot_count))


def cell_weights(ratings: Sequence[CellRating]) -> Floats:
    """Return the weight of each cell in the overall rating, one over its spread; the sum is 1."""
    weights = 1 / np.array([strength_spread(one) for one in ratings])
    return np.asarray(weights / weights.sum())


def counted_indices(
    blocks: Sequence[Ints],
    bots: Sequence[int],
    already_counting: Set[int] = frozenset(),
    absent: Set[int] = frozenset(),
) -> Set[int]:
    """Return the indices of the cells that count in the overall rating of a ladder.

    `blocks` has the number of blocks of each bot for each cell. Cells that are `already_counting`
    stay. A further cell counts once nearly all bots are known there, and every bot that has a rank
    in the cells so far has played there, apart from those that are `absent`. Bots with too few
    blocks to be known everywhere are ignored, unless most are such. While no cell counts, the cell
    with most bots does, with all others in which the same bots have played.
    """
    known = np.array(blocks)[:, bots] if len(blocks) else np.zeros((0, len(bots)), np.int64)
    total = known.sum(axis=0)
    settled = total >= MIN_KNOWN_BLOCKS * len(known)
    if 2 * settled.sum() < (total > 0).sum():
        settled = total > 0
    enough = ceil(KNOWN_SHARE * settled.sum())
    present = np.array([bool(already_counting) and bot not in absent for bot in bots], np.bool_)
    ranked = present & (known[sorted(already_counting)] > 0).all(axis=0)
    counting = {
        cell
        for cell, each in enumerate(known)
        if settled.any()
        and (each[settled] >= MIN_KNOWN_BLOCKS).sum() >= enough
        and (each[ranked] > 0).all()
    } | already_counting
    if counting or not len(known):
        return counting
    played = known > 0
    most = int(played.sum(axis=1).argmax())
    return {cell for cell, each in enumerate(played) if each[played[most]].all()}


def select_counted_cells(
    cells: Sequence[RatedCell], bots: Sequence[int], counted: Set[Cell]
) -> Sequence[RatedCell]:
    """Select the cells that count; if none does yet, those that would by now."""
    if counting := [one for one in cells if one.cell in counted]:
        return counting
    indices = counted_indices([one.rating.blocks for one in cells], bots)
    return [cells[index] for index in sorted(indices)]


def average_cells(cells: Sequence[RatedCell], bot_count: int) -> OverallRatings:
    """Return the weighted mean of ratings over cells, which are independent, and their errors.

    Points are not ratings and have a plain mean.
    """
    if not cells:
        zeros, square = np.zeros(bot_count), np.zeros((bot_count, bot_count))
        none = np.zeros(bot_count, np.bool_)
        return OverallRatings(none, zeros, zeros, square, zeros, square, none)
    count = len(cells)
    ratings = [one.rating for one in cells]
    mu, sigma = combine_ratings(ratings)
    return OverallRatings(
        is_complete=np.all([one.has_played for one in ratings], axis=0),
        mu=np.round(mu, DIGITS),
        sigma=sigma,
        covariance=sum_matrices(
            weight**2 * one.covariance
            for weight, one in zip(cell_weights(ratings), ratings, strict=True)
        ),
        points=np.mean([one.points.estimate for one in cells], axis=0),
        points_covariance=sum_matrices(one.points.covariance for one in cells) / count**2,
        has_points_error=np.all([one.points.has_error for one in cells], axis=0),
    )


def combine_ratings(ratings: Sequence[CellRating]) -> tuple[Floats, Floats]:
    """Return the overall mu and sigma of each bot."""
    share = cell_weights(ratings)[:, None]
    mu: Floats = (share * [one.mu for one in ratings]).sum(axis=0)
    sigma: Floats = np.sqrt(np.square(share * [one.sigma for one in ratings]).sum(axis=0))
    return mu, sigma


def sum_matrices(squares: Iterator[Floats]) -> Floats:
    """Add up matrices without holding all of them in memory."""
    total = next(squares).copy()
    for one in squares:
        total += one
    return total


def round_figure(value: float) -> float:
    """Round a figure for publication; −0 becomes 0."""
    return round(float(value), DIGITS) + 0.0
