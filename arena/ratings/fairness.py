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
    """How often something happened to those it happened to least and most."""

    what: Aspect
    least: int
    most: int
    balanced: bool
    """Whether nobody is better off; of seats and neighbours measured by how much each plays."""


class Fairness(Struct, frozen=True):
    """How fair the blocks of one cell are."""

    variant: str
    seats: int
    bots: int
    """How many have played."""
    blocks: int
    games: int
    balances: tuple[Balance, ...]
    """`deals`: how many each bot plays; `pairs`: how many any two play at one table; `seats`: games
    of each bot in each seat; `neighbours`: games of each bot with each other one to its left."""
    efficiency: float
    """How much the tables tell about the order, against as many that meet perfectly evenly."""

    @property
    def balanced(self) -> bool:
        """Whether it is fair in every respect."""
        return all(balance.balanced for balance in self.balances)

    def balance_of(self, what: Aspect) -> Balance:
        """How fair it is in one respect."""
        return next(balance for balance in self.balances if balance.what == what)


class FairnessCounts:
    """Counts of one cell: as large for a million blocks as for one."""

    def __init__(self, cell: Cell, bots: int) -> None:
        self.cell = cell
        self.blocks = 0
        self.games = 0
        self.deals_together = [[0] * bots for _ in range(bots)]
        """Deals that two have played at one table; on the diagonal those of each."""
        self.games_together = [[0] * bots for _ in range(bots)]
        """The same for games."""
        self.seats = [[0] * cell.seats for _ in range(bots)]
        """Games of each bot in each seat."""
        self.left = [[0] * bots for _ in range(bots)]
        """Games in which the second sits to the left of the first: in the next seat, clockwise."""

    def add(self, table: Sequence[int], seatings: Sequence[Sequence[int]], times: int = 1) -> None:
        """Count a block, or as many of its kind: who is at each place, and the seatings."""
        games = times * len(seatings)
        self.blocks += times
        self.games += games
        for one in table:
            deals, together = self.deals_together[one], self.games_together[one]
            for other in table:
                deals[other] += times
                together[other] += games
        seats, left = self.seats, self.left
        for seating in seatings:
            before = table[seating[-1]]
            for seat, place in enumerate(seating):
                bot = table[place]
                seats[bot][seat] += times
                left[before][bot] += times
                before = bot

    def fairness(self) -> Fairness:
        """What the counts come to."""
        pairs = np.array(self.deals_together, dtype=np.int64)
        played = np.flatnonzero(np.diag(pairs))
        within = np.ix_(played, played)
        others = ~np.eye(len(played), dtype=bool)
        met = pairs[within][others]
        together = np.array(self.games_together, dtype=np.int64)[within][others]
        left = np.array(self.left, dtype=np.int64)[within][others][together > 0]
        seats = np.array(self.seats, dtype=np.int64)[played]
        in_all = seats.sum(axis=1, keepdims=True)
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
                measure_balance("seats", seats, bool((seats * self.cell.seats == in_all).all())),
                measure_balance("neighbours", left, bool(evenly.all())),
            ),
            efficiency=efficiency(pairs, self.cell.seats),
        )


def of_games(seatings: SeatedGames, bots: int) -> Fairness:
    """How fair the games of a cell were, counted all at once."""
    tally = FairnessCounts(seatings.cell, bots)
    size, seats = bots, seatings.cell.seats
    who, block = seatings.who, seatings.block
    tally.games = len(who)
    tally.blocks = int(block.max(initial=-1)) + 1
    first = np.searchsorted(block, np.arange(tally.blocks))
    tables = who[first]
    tally.deals_together = count_pairs(tables, size)
    tally.games_together = count_pairs(who, size)
    tally.seats = count_places(who * seats + np.arange(seats), size, seats)
    tally.left = count_places(who * size + np.roll(who, -1, axis=1), size, size)
    return tally.fairness()


def count_pairs(tables: Ints, bots: int) -> list[list[int]]:
    """How often any two, or one with itself, are at one of these tables."""
    seats = range(tables.shape[1])
    counts = np.zeros(bots * bots, np.int64)
    for one in seats:  # all at once would take as much memory as the tables have pairs
        for other in seats:
            counts += np.bincount(tables[:, one] * bots + tables[:, other], minlength=bots * bots)
    found: list[list[int]] = counts.reshape(bots, bots).tolist()
    return found


def count_places(places: Ints, rows: int, columns: int) -> list[list[int]]:
    """How often each place of a matrix, counted row by row, is there."""
    counts = np.bincount(places.ravel(), minlength=rows * columns)
    found: list[list[int]] = counts.reshape(rows, columns).tolist()
    return found


def of_blocks(
    blocks: Iterable[tuple[Cell, Sequence[int], Sequence[Sequence[int]]]], bots: int
) -> list[Fairness]:
    """How fair blocks are, cell by cell: of each its cell, its table, and its seatings."""
    tallies: dict[Cell, FairnessCounts] = {}
    for cell, table, seatings in blocks:
        if cell not in tallies:
            tallies[cell] = FairnessCounts(cell, bots)
        tallies[cell].add(table, seatings)
    return [tally.fairness() for tally in tallies.values()]


def measure_balance(what: Aspect, counts: NDArray[np.int64], balanced: bool) -> Balance:  # noqa: FBT001 (a fact, not a switch)
    """The range of counts."""
    if not counts.size:
        return Balance(what, 0, 0, balanced=True)
    return Balance(what, int(counts.min()), int(counts.max()), balanced)


def all_equal(counts: Ints) -> bool:
    """Whether all counts are equal."""
    return not counts.size or bool((counts == counts.flat[0]).all())


def efficiency(pairs: Ints, seats: int) -> float:
    """The mean information on differences between bots, against that of perfectly even tables.

    `pairs` has on its diagonal how many deals each has played. It is the harmonic mean of what the
    tables tell in every direction, over their mean: 1 if all pairs meet equally often, and 0 if
    some bots never meet, not even by way of others.
    """
    played = np.flatnonzero(np.diag(pairs))
    if len(played) < 2:
        return 1.0
    met: Floats = pairs[np.ix_(played, played)].astype(np.float64)
    known = np.diag(np.diag(met)) - met / seats
    inverse, rank = pseudo_inverse(known)
    if rank < len(played) - 1:
        return 0.0
    return min(1.0, float(rank**2 / np.trace(inverse) / np.trace(known)))


def count_shared_deals(seeds: Iterable[int]) -> int:
    """How many blocks have a deal that another one has too; it takes eight bytes for each."""
    every = np.fromiter(seeds, dtype=np.int64)
    return len(every) - len(np.unique(every))
