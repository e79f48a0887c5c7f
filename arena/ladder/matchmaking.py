"""Matchmaking: who plays whom next, in which cell, so that a night tells most about the order.

A table is for one bot: a newcomer, or the one about whose place there is most to learn; every fifth
is for whoever has waited longest. It plays in the cell where it has played least, with bots that
are as strong there as it may be. Two bots of one owner never share a table: they could collude.
What a table costs does not grow with the ladder, but for looking up places, unless one owner has
most of the bots.
"""

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from arena.ladder.belief import Belief
from arena.ladder.inference import Message, expected, told
from arena.ladder.interest import Interest
from arena.ladder.order import Order
from arena.ratings.cell import Cell
from arena.ratings.propagation import MU

FLOOR = 5
"""One table in so many is for those who have waited longest."""
WIDTH = 1.0
"""Opponents differ from a bot by up to so many errors of its rating in the cell."""
TRIES = 4
"""How many are drawn for a seat; the one about whom there is most to learn gets it."""
SLACK = 2
"""Visits by which a cell may be ahead of others in a night."""
DRAWN = 4096
"""How many numbers are drawn at once."""


@dataclass(frozen=True)
class Contender:
    """A bot that plays this night, and what is known about it when the night begins."""

    name: str
    owner: str
    """Empty for reference bots."""
    mu: tuple[float, ...]
    """The rating in each cell; 25 where it has not played."""
    sigma: tuple[float, ...]
    """Its error; 25/3 where it has not played."""
    blocks: tuple[int, ...]
    """How many it has in each cell."""


@dataclass(frozen=True)
class Match:
    """Who sits together next, and in which cell."""

    cell: int
    table: tuple[int, ...]
    """Numbers of contenders in rising order."""


def largest_table(owners: Iterable[str]) -> int:
    """The most bots of these owners that may share a table: one of each owner.

    Reference bots, which have no owner, do not collude: any number of them may join.
    """
    bots = Counter(map(str.casefold, owners))
    return bots[""] + sum(1 for owner in bots if owner)


class Matchmaker:
    """Chooses the tables of a night one after the other: after the same calls, the same ones."""

    def __init__(  # noqa: PLR0913, PLR0917 (what a night knows)
        self,
        cells: Sequence[Cell],
        contenders: Sequence[Contender],
        deals: Sequence[int],
        games: Sequence[int],
        seed: bytes,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.seats = [cell.seats for cell in cells]
        self.deals, self.games = list(deals), list(games)
        self.owners = [one.owner.casefold() for one in contenders]
        self.largest = largest_table(self.owners)
        """The most seats that can be filled with the contenders that are there."""
        self.chance = np.random.PCG64(int.from_bytes(seed))
        self.numbers: list[int] = []
        self.belief = Belief(weights or [1 / len(cells)] * len(cells))
        for one in contenders:
            self.belief.enter(one.mu, one.sigma, one.blocks)
        self.order = Order(self.belief.strength)
        """Overall."""
        self.orders = [
            Order(self.belief.within(bot, cell)[0] for bot in range(len(contenders)))
            for cell in range(len(cells))
        ]
        """In each cell."""
        self.blocks = [list(one.blocks) for one in contenders]
        """Of each contender in each cell, those to come included."""
        self.planned = [0] * len(cells)
        """Blocks of this night in each cell."""
        self.awaited: dict[Match, deque[list[Message]]] = {}
        """What visits are expected to tell, until they are over."""
        self.turn = 0
        played = [sum(one.blocks) for one in contenders]
        drawn = [self.draw(1 << 32) for _ in contenders]
        waiting = sorted(range(len(contenders)), key=lambda bot: (played[bot], drawn[bot]))
        tells = [expected(*each, 0.0) for each in zip(self.seats, self.deals, strict=True)]
        more = fsum(tells) / max(1, len(tells))
        self.interest = Interest(self.belief, self.order, played, waiting, more)

    @property
    def ranked(self) -> list[int]:
        """Who is there, the best first by what is believed now."""
        return [bot for _, bot in self.order.line]

    def estimate(self, bot: int) -> tuple[float, float]:
        """A contender's overall mu, and its error, with what is expected of tables to come."""
        return MU + self.belief.strength[bot], sqrt(self.belief.variance[bot])

    def next(self) -> Match:
        """The next table; from then on what it is expected to tell counts as known."""
        playable = [cell for cell, seats in enumerate(self.seats) if seats <= self.largest]
        if not playable:
            raise ValueError("no cell can be played by contenders of different owners")
        hungry = self.turn % FLOOR == FLOOR - 1
        focus = self.interest.hungriest() if hungry else self.interest.foremost()
        cell = self.cell(focus, playable)
        match = Match(cell, tuple(sorted(self.table(focus, cell, hungry=hungry))))
        self.turn += 1
        self.expect(match)
        return match

    def learn(self, match: Match, ranks: Sequence[Sequence[int]]) -> None:
        """Take in what the blocks of a visit came to, in place of what was expected of it.

        Each block has the rank of each place of the table; 1 is best, and ties are equal.
        """
        cell, table = match.cell, match.table
        if awaited := self.awaited.get(match):
            for bot, (pi, tau) in zip(table, awaited.popleft(), strict=True):
                self.belief.tell(bot, cell, -pi, -tau)
            if not awaited:
                del self.awaited[match]
        for block in ranks:
            known = [self.belief.within(bot, cell) for bot in table]
            for bot, (pi, tau) in zip(table, told(known, block), strict=True):
                self.belief.tell(bot, cell, pi, tau)
        here = [bot for bot in table if self.interest.present[bot]]
        for bot in here:
            self.order.move(bot, self.belief.strength[bot])
            self.orders[cell].move(bot, self.belief.within(bot, cell)[0])
        for bot in here:
            self.interest.moved(bot)

    def leave(self, bot: int) -> None:
        """Never choose a contender again."""
        if self.interest.present[bot]:
            self.interest.leave(bot)
            for order in (self.order, *self.orders):
                order.remove(bot)
            self.largest = largest_table(self.owners[one] for _, one in self.order.line)

    def draw(self, below: int) -> int:
        """A number from 0 up to one less than this."""
        if not self.numbers:
            self.numbers = self.chance.random_raw(DRAWN).tolist()
        return self.numbers.pop() * below >> 64

    def cell(self, focus: int, playable: Sequence[int]) -> int:
        """Where a bot has played least for the size of the table, if that is not ahead already."""
        most = min(self.planned[cell] for cell in playable) + SLACK * max(self.deals)
        played = self.blocks[focus]
        return min(
            (played[cell] / self.seats[cell], self.planned[cell], self.games[cell], cell)
            for cell in playable
            if self.planned[cell] < most
        )[-1]

    def table(self, focus: int, cell: int, *, hungry: bool) -> list[int]:
        """The bot that it is for, and others who are about as strong as it may be."""
        order, others = self.orders[cell], self.seats[cell] - 1
        table, owners = [focus], [self.owners[focus]]
        placing = self.interest.newcomer(focus)
        reach = WIDTH / sqrt(self.belief.precision[focus][cell])
        low, high = (0, len(order)) if placing else order.around(order.at(focus), reach, others)
        for seat in range(others):
            begin, end = low, high
            if placing:  # each from another part of the ladder
                begin, end = seat * high // others, (seat + 1) * high // others
            best, chosen = -1.0, -1
            for _ in range(TRIES):
                bot = order.line[begin + self.draw(end - begin)][1]
                if not self.fits(bot, table, owners):
                    continue
                if hungry:
                    worth = float(self.turn - self.interest.last[bot])
                else:
                    precision = self.belief.precision[bot][cell]
                    worth = self.interest.stakes[bot] / (precision * precision)
                if worth > best:
                    best, chosen = worth, bot
            if chosen < 0:
                chosen = self.nearest(order, table, owners)
            table.append(chosen)
            owners.append(self.owners[chosen])
        return table

    def fits(self, bot: int, table: Sequence[int], owners: Sequence[str]) -> bool:
        """Whether a bot can join a table without meeting itself or another one of its owner."""
        owner = self.owners[bot]
        return bot not in table and (not owner or owner not in owners)

    def nearest(self, order: Order, table: Sequence[int], owners: Sequence[str]) -> int:
        """The nearest bot in the order that fits; there is one, since the cell can be played."""
        line, at = order.line, order.at(table[0])
        places = (place for step in range(1, len(line)) for place in (at - step, at + step))
        near = (line[place][1] for place in places if 0 <= place < len(line))
        return next(bot for bot in near if self.fits(bot, table, owners))

    def expect(self, match: Match) -> None:
        """Reckon with what a visit will tell, whatever comes out."""
        cell, deals = match.cell, self.deals[match.cell]
        known = [self.belief.within(bot, cell) for bot in match.table]
        doubt = fsum(variance for _, variance in known) / len(known)
        more = expected(len(known), deals, doubt)
        said = [(more, more * mean) for mean, _ in known]
        self.awaited.setdefault(match, deque()).append(said)
        self.planned[cell] += deals
        for bot, (pi, tau) in zip(match.table, said, strict=True):
            self.belief.tell(bot, cell, pi, tau)
            self.blocks[bot][cell] += deals
            self.interest.seated(bot, deals, self.turn)
