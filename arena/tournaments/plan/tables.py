"""Which bots sit together: all tables, a gauntlet, or a balanced sample."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import comb, gcd
from typing import Protocol

import numpy as np

from arena.games.shuffle import SeededShuffle

Table = tuple[int, ...]
"""The numbers of its bots, in rising order."""

GOLDEN_RATIO = (5**0.5 - 1) / 2


class Tables(Protocol):
    """The tables of one cell; the same table may be visited several times."""

    def __len__(self) -> int:
        """How many visits there are."""

    def __getitem__(self, index: int, /) -> tuple[Table, int]:
        """The table of a visit, and how often the same table was visited before."""

    def visits(self, table: Table) -> int:
        """How often a table is visited."""


class AllTables:
    """All tables of so many bots, or all with one bot, each visited once and computed on demand."""

    def __init__(self, bots: int, seats: int, gauntlet_bot: int | None = None) -> None:
        self._gauntlet_bot = gauntlet_bot
        self._others = [bot for bot in range(bots) if bot != gauntlet_bot]
        self._known = set(self._others)
        self._free_seats = seats if gauntlet_bot is None else seats - 1
        self._count = comb(len(self._others), self._free_seats)
        self._step = stride(self._count)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int, /) -> tuple[Table, int]:
        if not 0 <= index < self._count:
            raise IndexError(index)
        rank = index * self._step % self._count
        chosen = [self._others[at] for at in combination(len(self._others), self._free_seats, rank)]
        return tuple(
            chosen if self._gauntlet_bot is None else sorted((*chosen, self._gauntlet_bot))
        ), 0

    def visits(self, table: Table) -> int:
        """Once, if the table is one of these."""
        others = [bot for bot in table if bot != self._gauntlet_bot]
        is_rising = all(one < other for one, other in pairwise(table))
        has_gauntlet_bot = len(table) - len(others) == (self._gauntlet_bot is not None)
        return int(
            is_rising
            and has_gauntlet_bot
            and len(others) == self._free_seats
            and set(others) <= self._known
        )


class ChosenTables:
    """Tables that were chosen one by one."""

    def __init__(self, tables: Sequence[Table], earlier: Sequence[Table] = ()) -> None:
        counts = Counter(earlier)
        self._times = Counter(tables)
        self._visits = []
        for table in tables:
            self._visits.append((table, counts[table]))
            counts[table] += 1

    def __len__(self) -> int:
        return len(self._visits)

    def __getitem__(self, index: int, /) -> tuple[Table, int]:
        return self._visits[index]

    def visits(self, table: Table) -> int:
        """How often the table was chosen, not counting earlier visits."""
        return self._times[table]


def stride(count: int) -> int:
    """A step that visits every index once, with the first ones far apart."""
    step = max(1, round(count * GOLDEN_RATIO))
    while gcd(step, count) > 1:
        step += 1
    return step


def combination(bots: int, seats: int, rank: int) -> list[int]:
    """The combination of this rank among all choices of so many seats out of so many bots."""
    chosen = []
    bot = 0
    while seats:
        with_bot = comb(bots - bot - 1, seats - 1)
        if rank < with_bot:
            chosen.append(bot)
            seats -= 1
        else:
            rank -= with_bot
        bot += 1
    return chosen


def balanced_tables(bots: int, seats: int, count: int, seed: int) -> list[Table]:
    """So many tables at which every bot and every pair sits as equally often as possible.

    Each begins with a bot that has played least. Then the bot is added, again and again, that has
    met the others at the table least, where having played more counts as having met all of them.
    Ties are drawn.
    """
    shuffle = SeededShuffle(seed)
    played = np.zeros(bots, dtype=np.int64)
    met = np.zeros((bots, bots), dtype=np.int64)
    tables = []
    for number in range(count):
        order = np.array(shuffle(number, range(bots)))
        ahead = (seats - 1) * (played - played.min())
        first = int(order[np.argmin(played[order])])
        table = [first]
        cost = met[first] + ahead
        while len(table) < seats:
            cost[table] = np.iinfo(np.int64).max
            least = int(order[np.argmin(cost[order])])
            table.append(least)
            cost = met[table].sum(axis=0) + ahead
        played[table] += 1
        met[np.ix_(table, table)] += 1
        tables.append(tuple(sorted(table)))
    return tables
