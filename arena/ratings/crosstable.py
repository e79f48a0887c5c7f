"""The crosstable: results of each pair of bots against what the ratings expect."""

import math
from collections.abc import Iterator, Mapping, Sequence, Set

import numpy as np
from msgspec import Struct

from arena.ratings.cell import Cell
from arena.ratings.confidence import MIN_ERROR, normal_cdf, pair_errors
from arena.ratings.overall import RatedCell, Roster, average_cells, rate_cells, round_figure
from arena.ratings.results import Floats, RankBy, Results, block_ranks
from arena.ratings.trueskill import BETA

MIN_UNEXPECTED_Z = 3.5
"""A difference from the expected share of so many standard errors is not chance."""
MIN_UNEXPECTED_GAP = 0.02
"""A smaller difference does not matter, however certain it is."""
MIN_BLOCK_VARIANCE = 1.0
"""The lower bound of the variance, in blocks, so that a single unlikely result is no proof."""


class CrosstablePair(Struct, frozen=True, kw_only=True):
    """Two bots, with figures for the one in the row."""

    row: str
    column: str
    blocks: int
    """In how many blocks they met."""
    ahead: float | None = None
    """The share of these in which the row's bot finished ahead; a tie counts half."""
    better: float | None = None
    """The chance that the row's bot is better, by the ratings."""
    expected: float | None = None
    """The share that the ratings expect."""
    z: float | None = None
    """By how many standard errors the share is above the expected one."""

    @property
    def is_unexpected(self) -> bool:
        """Whether the ratings do not explain the results of these two."""
        if self.z is None or self.ahead is None or self.expected is None:
            return False
        return (
            abs(self.z) > MIN_UNEXPECTED_Z and abs(self.ahead - self.expected) >= MIN_UNEXPECTED_GAP
        )


class Crosstable(Struct, frozen=True, kw_only=True):
    """Every bot against every other."""

    name: str
    standing: RankBy
    cells: tuple[Cell, ...]
    blocks: int
    games: int
    bots: tuple[str, ...]
    """By rank; bots without a rank come last."""
    ranked: int
    """How many have a rank."""
    pairs: tuple[CrosstablePair, ...]
    """Row by row, each pair from both sides."""
    odd: tuple[CrosstablePair, ...]
    """Pairs that the ratings do not explain, in the row of the higher one."""


def rate_crosstable(roster: Roster, results: Mapping[Cell, Results]) -> Crosstable:
    """Rate some cells of a run and build the crosstable, in which all blocks count the same."""
    return build_crosstable(roster, rate_cells(roster, results))


def build_crosstable(
    roster: Roster,
    cells: Sequence[RatedCell],
    *,
    only: Set[str] | None = None,
    met_only: bool = False,
) -> Crosstable:
    """Build the crosstable of rated cells, with all bots or some, and all pairs or those that met.

    All pairs of a thousand bots are a million.
    """
    encounters = Encounters(roster, cells, only)
    pairs = tuple(encounters.pairs(met_only=met_only))
    place = encounters.place
    return Crosstable(
        name=roster.name,
        standing=roster.standing,
        cells=tuple(one.cell for one in cells),
        blocks=sum(one.results.blocks for one in cells),
        games=sum(int(one.results.games.sum()) for one in cells),
        bots=tuple(place),
        ranked=encounters.ranked_count,
        pairs=pairs,
        odd=tuple(
            pair for pair in pairs if pair.is_unexpected and place[pair.row] < place[pair.column]
        ),
    )


class Encounters:
    """How often any two bots met in some cells, and with which results, as arrays."""

    def __init__(
        self, roster: Roster, cells: Sequence[RatedCell], only: Set[str] | None = None
    ) -> None:
        self.bots = roster.bots
        chosen = [bot for bot, name in enumerate(roster.bots) if only is None or name in only]
        mean = average_cells(cells, len(roster.bots))
        ranked = mean.sort_bots(chosen)
        self.ranked_count = len(ranked)
        self.order = [*ranked, *(bot for bot in chosen if not mean.is_complete[bot])]
        """By rank, bots without a rank last; arrays have a row and a column for each."""
        self.place = {roster.bots[bot]: place for place, bot in enumerate(self.order)}
        self.mu, self.covariance = mean.ratings_of(self.order)
        size = len(self.order)
        self.met, self.ahead, self.expected, self.variance = np.zeros((4, size, size))
        for one in cells:
            together, first = count_meetings(
                one.results, self.order, len(self.bots), roster.standing
            )
            mu = one.rating.mu[self.order]
            rows, columns = pairs = np.nonzero(together)
            chance = normal_cdf((mu[rows] - mu[columns]) / (math.sqrt(2) * BETA))
            self.met += together
            self.ahead += first
            self.expected[pairs] += together[pairs] * chance
            self.variance[pairs] += together[pairs] * chance * (1 - chance)

    def pairs(self, *, met_only: bool = False) -> Iterator[CrosstablePair]:
        """Yield all pairs row by row, or only those that have met."""
        for row in range(len(self.order)):
            yield from self.row_pairs(
                row, np.flatnonzero(self.met[row]).tolist() if met_only else None
            )

    def row_pairs(self, row: int, columns: Sequence[int] | None = None) -> Iterator[CrosstablePair]:
        """Yield a bot against all others, or against some; `row` and `columns` index `order`."""
        others = range(len(self.order)) if columns is None else columns
        chosen = np.array([column for column in others if column != row], np.int64)
        errors = pair_errors(self.covariance, np.full(len(chosen), row), chosen)
        met = self.met[row, chosen]
        scale = np.sqrt(np.maximum(self.variance[row, chosen], MIN_BLOCK_VARIANCE))
        z_scores = (self.ahead[row, chosen] - self.expected[row, chosen]) / scale
        figures = (
            chosen,
            normal_cdf((self.mu[row] - self.mu[chosen]) / np.maximum(errors, MIN_ERROR)),
            met,
            self.ahead[row, chosen] / np.maximum(met, 1),
            self.expected[row, chosen] / np.maximum(met, 1),
            z_scores,
        )
        for column, better, blocks, ahead, expected, z in zip(
            *(values.tolist() for values in figures), strict=True
        ):
            yield CrosstablePair(
                row=self.bots[self.order[row]],
                column=self.bots[self.order[column]],
                blocks=round(blocks),
                better=round_figure(better) if max(row, column) < self.ranked_count else None,
                ahead=round_figure(ahead) if blocks else None,
                expected=round_figure(expected) if blocks else None,
                z=round_figure(z) if blocks else None,
            )


def count_meetings(
    results: Results, order: Sequence[int], bot_count: int, by: RankBy
) -> tuple[Floats, Floats]:
    """Count for each pair of some bots the blocks they met in, and those the row finished ahead in.

    A tie counts half.
    """
    size = len(order)
    place = np.full(bot_count, -1)
    place[order] = np.arange(size)
    bot_indices, standing = place[results.bot_indices], block_ranks(results, by)
    met, ahead = np.zeros((2, size * size))
    for one in range(results.cell.seats):
        chosen = (bot_indices >= 0) & (bot_indices[:, one] >= 0)[:, None]
        chosen[:, one] = False
        pairs = (bot_indices[:, one, None] * size + bot_indices)[chosen]
        gap = np.sign(standing - standing[:, one, None])[chosen]
        met += np.bincount(pairs, minlength=size * size)
        ahead += np.bincount(pairs, (gap + 1) / 2, size * size)
    return met.reshape(size, size), ahead.reshape(size, size)
