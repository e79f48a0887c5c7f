"""All figures of a cell for each bot, and their weighted mean over cells.

Cells differ in how far they set bots apart: the less luck a game has, the wider its ratings are
spread. In the overall rating a cell is weighted by one over its spread, so that none of them
decides the order alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from arena.ratings.cell import Cell
from arena.ratings.points import Points, fit
from arena.ratings.results import Floats, Ints, RankBy, Results
from arena.ratings.trueskill import SIGMA, CellRating, rate


@dataclass(frozen=True, eq=False)
class BotTotals:
    """One value for each bot of the run; shares are 0 for who has not played."""

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


def count_totals(results: Results, bots: int) -> BotTotals:
    """Count what so many bots did in the blocks of a cell."""
    who = results.who.ravel()

    def total(values: Ints | Floats) -> Floats:
        found: Floats = np.bincount(who, values.ravel(), bots).astype(np.float64)
        return found

    def count(values: Ints) -> Ints:
        return np.rint(total(values)).astype(np.int64)

    games = count(np.broadcast_to(results.games[:, None], results.who.shape))
    played = np.maximum(games, 1)
    return BotTotals(
        blocks=np.bincount(who, minlength=bots).astype(np.int64),
        games=games,
        placement=total(results.placement) / played,
        wins=total(results.wins) / played,
        faults=count(results.faults),
        excuses=np.bincount(results.excused, minlength=bots).astype(np.int64),
        decisions=count(results.decisions),
        cpu=count(results.cpu),
    )


DIGITS = 4
"""Of a published figure."""
MIN_KNOWN_BLOCKS = 3
"""Blocks of a bot in a cell from which on it counts as known there."""
KNOWN_SHARE = 0.95
"""A cell that is new on a ladder counts once this share of the bots is known there."""
MIN_SPREAD = SIGMA / 4
"""The least spread that a cell is taken to have, so that one of pure luck gets no huge weight."""


@dataclass(frozen=True)
class Roster:
    """Who is rated, and how."""

    name: str
    """The run's."""
    bots: tuple[str, ...]
    """All of the run; results number them in this order."""
    standing: RankBy = "score"
    anchors: tuple[str, ...] = ()
    """Those whose mean is 25."""


@dataclass(frozen=True, eq=False)
class RatedCell:
    """One cell with all its figures."""

    cell: Cell
    results: Results
    rating: CellRating
    points: Points
    totals: BotTotals


@dataclass(frozen=True, eq=False)
class OverallRatings:
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
        return self.order_of(range(len(self.complete)))

    def order_of(self, bots: Iterable[int]) -> list[int]:
        """The same, of some bots."""
        there = [bot for bot in bots if self.complete[bot]]
        return sorted(there, key=lambda bot: (-self.mu[bot], bot))

    def ratings_of(self, bots: Sequence[int]) -> tuple[Floats, Floats]:
        """Mu and covariance of some bots, in this order."""
        return self.mu[bots], self.covariance[np.ix_(bots, bots)]

    def points_of(self, bots: Sequence[int]) -> tuple[Floats, Floats]:
        """Their points, likewise."""
        return self.theta[bots], self.theta_covariance[np.ix_(bots, bots)]


def rate_cells(roster: Roster, results: Mapping[Cell, Results]) -> list[RatedCell]:
    """All figures of every cell in which something was played, by variant and size."""
    bots = roster.bots
    anchors = [bots.index(anchor) for anchor in roster.anchors if anchor in bots]
    return [
        RatedCell(
            cell,
            found,
            rate(found, len(bots), roster.standing, anchors),
            fit(found, len(bots)),
            count_totals(found, len(bots)),
        )
        for cell, found in sorted(results.items())
        if found.blocks
    ]


def strength_spread(rating: CellRating) -> float:
    """How far apart the bots of a cell are, as a standard deviation of their true strengths.

    What is not known of their strengths is added to what the ratings show: without any games that
    makes the prior's 25/3. The prior also counts as one bot more, for the sake of small fields.
    """
    bots = int(rating.played.sum())
    if bots < 2:
        return SIGMA
    mu = rating.mu[rating.played]
    covariance = rating.covariance[np.ix_(rating.played, rating.played)]
    shown = float(np.square(mu - mu.mean()).sum())
    unknown = float(np.trace(covariance) - covariance.sum() / bots)
    return max(MIN_SPREAD, sqrt((shown + unknown + SIGMA**2) / bots))


def cell_weights(ratings: Sequence[CellRating]) -> Floats:
    """What each cell contributes to the overall rating: one over its spread; their sum is 1."""
    found = 1 / np.array([strength_spread(one) for one in ratings])
    return np.asarray(found / found.sum())


def counting_indices(
    blocks: Sequence[Ints],
    bots: Sequence[int],
    already_counting: Set[int] = frozenset(),
    absent: Set[int] = frozenset(),
) -> Set[int]:
    """The cells, by their places, that the overall rating of a ladder's bots is made of.

    `blocks` has those of each bot for each cell. Cells that counted `before` do so for ever. Others
    join once nearly all bots are known there and none is missing there that has a rank without it,
    but for those that are `absent`. Bots with too few blocks to be known everywhere are not waited
    for, unless most are such. As long as no cell counts, the one with most bots does, with all
    others in which the same bots have played.
    """
    known = np.array(blocks)[:, bots] if len(blocks) else np.zeros((0, len(bots)), np.int64)
    total = known.sum(axis=0)
    settled = total >= MIN_KNOWN_BLOCKS * len(known)
    if 2 * settled.sum() < (total > 0).sum():
        settled = total > 0
    enough = ceil(KNOWN_SHARE * settled.sum())
    there = np.array([bool(already_counting) and bot not in absent for bot in bots], np.bool_)
    ranked = there & (known[sorted(already_counting)] > 0).all(axis=0)
    found = {
        cell
        for cell, each in enumerate(known)
        if settled.any()
        and (each[settled] >= MIN_KNOWN_BLOCKS).sum() >= enough
        and (each[ranked] > 0).all()
    } | already_counting
    if found or not len(known):
        return found
    played = known > 0
    most = int(played.sum(axis=1).argmax())
    return {cell for cell, each in enumerate(played) if each[played[most]].all()}


def counted_cells(
    cells: Sequence[RatedCell], bots: Sequence[int], counted: Set[Cell]
) -> Sequence[RatedCell]:
    """Those of some cells that count; if none does yet, those that would by now."""
    found = [one for one in cells if one.cell in counted]
    if found:
        return found
    some = counting_indices([one.rating.blocks for one in cells], bots)
    return [one for place, one in enumerate(cells) if place in some]


def average(cells: Sequence[RatedCell], bots: int) -> OverallRatings:
    """The mean over cells, weighted; they are independent, so that errors shrink with their number.

    Points, which are no ratings, have a plain mean.
    """
    if not cells:
        nothing, square = np.zeros(bots), np.zeros((bots, bots))
        nobody = np.zeros(bots, np.bool_)
        return OverallRatings(nobody, nothing, nothing, square, nothing, square, nobody)
    count = len(cells)
    ratings = [one.rating for one in cells]
    mu, sigma = combine_ratings(ratings)
    return OverallRatings(
        complete=np.all([one.played for one in ratings], axis=0),
        mu=np.round(mu, DIGITS),
        sigma=sigma,
        covariance=sum_matrices(
            weight**2 * one.covariance
            for weight, one in zip(cell_weights(ratings), ratings, strict=True)
        ),
        theta=np.mean([one.points.theta for one in cells], axis=0),
        theta_covariance=sum_matrices(one.points.covariance for one in cells) / count**2,
        known=np.all([one.points.known for one in cells], axis=0),
    )


def combine_ratings(ratings: Sequence[CellRating]) -> tuple[Floats, Floats]:
    """The overall mu of each bot, and its sigma."""
    share = cell_weights(ratings)[:, None]
    mu: Floats = (share * [one.mu for one in ratings]).sum(axis=0)
    sigma: Floats = np.sqrt(np.square(share * [one.sigma for one in ratings]).sum(axis=0))
    return mu, sigma


def sum_matrices(squares: Iterator[Floats]) -> Floats:
    """The sum of matrices, without a copy of them all."""
    found = next(squares).copy()
    for one in squares:
        found += one
    return found


def round_figure(value: float) -> float:
    """A figure as it is published; there is no −0."""
    return round(float(value), DIGITS) + 0.0
