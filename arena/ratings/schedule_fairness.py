"""Fairness counts: how evenly bots share deals, tables, seats and neighbours."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.ratings.cell import Cell
from arena.ratings.points import pseudo_inverse
from arena.ratings.results import Floats, Ints, SeatedGames

Aspect = Literal["deals", "pairs", "seats", "neighbours"]


class Balance(Struct, frozen=True):
    """The least and the largest of some counts."""

    what: Aspect
    least: int
    most: int
    balanced: bool
    """Whether all counts are equal; those of seats and neighbours relative to games played."""


class Fairness(Struct, frozen=True):
    """How evenly the blocks of a cell treat its bots."""

    variant: str
    seats: int
    bots: int
    """How many bots have played."""
    blocks: int
    games: int
    balances: tuple[Balance, ...]
    """`deals`: how many each bot plays; `pairs`: how many any two play at one table; `seats`: games
    of each bot in each seat; `neighbours`: games of each bot with each other one to its left."""
    efficiency: float
    """The information of the tables on the order, relative to perfectly even tables."""

    @property
    def balanced(self) -> bool:
        """Whether it is fair in all aspects."""
        return all(balance.balanced for balance in self.balances)

    def balance_of(self, what: Aspect) -> Balance:
        """Return the balance of one aspect."""
        return next(balance for balance in self.balances if balance.what == what)


class FairnessCounts:
    """Counts of one cell; their size does not depend on the number of blocks."""

    def __init__(self, cell: Cell, bot_count: int) -> None:
        self.cell = cell
        self.blocks = 0
        self.games = 0
        self.deals_together = [[0] * bot_count for _ in range(bot_count)]
        """Deals that two bots have played at one table; the deals of each are on the diagonal."""
        self.games_together = [[0] * bot_count for _ in range(bot_count)]
        """The same for games."""
        self.seats = [[0] * cell.seats for _ in range(bot_count)]
        """Games of each bot in each seat."""
        self.left_neighbours = [[0] * bot_count for _ in range(bot_count)]
        """Games with the second bot on the left of the first, in the next seat clockwise."""

    def add(self, table: Sequence[int], seatings: Sequence[Sequence[int]], times: int = 1) -> None:
        """Count a block with the bot at each place and its seatings, or several equal ones."""
        games = times * len(seatings)
        self.blocks += times
        self.games += games
        for one in table:
            deals, together = self.deals_together[one], self.games_together[one]
            for other in table:
                deals[other] += times
                together[other] += games
        seats, left = self.seats, self.left_neighbours
        for seating in seatings:
            before = table[seating[-1]]
            for seat, place in enumerate(seating):
                bot = table[place]
                seats[bot][seat] += times
                left[before][bot] += times
                before = bot

    def summarize(self) -> Fairness:
        """Summarize the counts."""
        pairs = np.array(self.deals_together, dtype=np.int64)
        played = np.flatnonzero(np.diag(pairs))
        within = np.ix_(played, played)
        others = ~np.eye(len(played), dtype=bool)
        met = pairs[within][others]
        together = np.array(self.games_together, dtype=np.int64)[within][others]
        left = np.array(self.left_neighbours, dtype=np.int64)[within][others][together > 0]
        seats = np.array(self.seats, dtype=np.int64)[played]
        totals = seats.sum(axis=1, keepdims=True)
        deals = np.diag(pairs)[played]
        evenly = left * (self.cell.seats - 1) == together[together > 0]
        return Fairness(
            variant=self.cell.variant,
            seats=self.cell.seats,
            bots=len(played),
            blocks=self.blocks,
            games=self.games,
            balances=(
                measure_balance("deals", deals, all_equal(deals)),
                measure_balance("pairs", met, all_equal(met)),
                measure_balance("seats", seats, bool((seats * self.cell.seats == totals).all())),
                measure_balance("neighbours", left, bool(evenly.all())),
            ),
            efficiency=information_efficiency(pairs, self.cell.seats),
        )


def measure_fairness(seatings: SeatedGames, bot_count: int) -> Fairness:
    """Measure the fairness of the games of a cell."""
    counts = FairnessCounts(seatings.cell, bot_count)
    size, seats = bot_count, seatings.cell.seats
    bot_indices, block = seatings.bot_indices, seatings.block
    counts.games = len(bot_indices)
    counts.blocks = int(block.max(initial=-1)) + 1
    first = np.searchsorted(block, np.arange(counts.blocks))
    counts.deals_together = count_pairs(bot_indices[first], size)
    counts.games_together = count_pairs(bot_indices, size)
    counts.seats = count_places(bot_indices * seats + np.arange(seats), size, seats)
    counts.left_neighbours = count_places(
        bot_indices * size + np.roll(bot_indices, -1, axis=1), size, size
    )
    return counts.summarize()


def count_pairs(tables: Ints, bot_count: int) -> list[list[int]]:
    """Count the tables with any two bots; those of each bot are on the diagonal."""
    seats = range(tables.shape[1])
    counts = np.zeros(bot_count * bot_count, np.int64)
    for one in seats:  # a single call would need memory for all pairs of all tables
        for other in seats:
            counts += np.bincount(
                tables[:, one] * bot_count + tables[:, other], minlength=bot_count * bot_count
            )
    matrix: list[list[int]] = counts.reshape(bot_count, bot_count).tolist()
    return matrix


def count_places(places: Ints, rows: int, columns: int) -> list[list[int]]:
    """Count how often each entry of a matrix occurs, with entries numbered row by row."""
    counts = np.bincount(places.ravel(), minlength=rows * columns)
    matrix: list[list[int]] = counts.reshape(rows, columns).tolist()
    return matrix


def measure_balance(what: Aspect, counts: NDArray[np.int64], balanced: bool) -> Balance:  # noqa: FBT001 (a fact, not a switch)
    """Return the range of some counts."""
    if not counts.size:
        return Balance(what, 0, 0, balanced=True)
    return Balance(what, int(counts.min()), int(counts.max()), balanced)


def all_equal(counts: Ints) -> bool:
    """Whether all counts are equal."""
    return not counts.size or bool((counts == counts.flat[0]).all())


def information_efficiency(pairs: Ints, seats: int) -> float:
    """Return the information on differences between bots relative to perfectly even tables.

    `pairs` has on its diagonal how many deals each bot has played. The efficiency is the harmonic
    mean of the eigenvalues of the information matrix over their mean: 1 if all pairs meet equally
    often, and 0 if some bots never meet, not even through others.
    """
    played = np.flatnonzero(np.diag(pairs))
    if len(played) < 2:
        return 1.0
    met: Floats = pairs[np.ix_(played, played)].astype(np.float64)
    information = np.diag(np.diag(met)) - met / seats
    inverse, rank = pseudo_inverse(information)
    if rank < len(played) - 1:
        return 0.0
    return min(1.0, float(rank**2 / np.trace(inverse) / np.trace(information)))


def count_shared_deals(seeds: Iterable[int]) -> int:
    """Count the blocks whose deal an earlier one has too; this takes eight bytes for each."""
    array = np.fromiter(seeds, dtype=np.int64)
    return len(array) - len(np.unique(array))
