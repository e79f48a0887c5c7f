"""Simulation: a ladder of bots whose strength is known, to see how soon its order is right."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.random import Generator

from arena.ladder.matchmaking import Contender, Match, Matchmaker
from arena.ladder.synthetic import Population, Ratings
from arena.ratings.cell import Cell
from arena.ratings.propagation import MU
from arena.ratings.results import Floats, Ints
from arena.tournaments.designs import blocks as design

FLYING = 16
"""Tables that are being played while the next one is chosen."""
TOP = 10

Clock = Callable[[], float]
"""Seconds of CPU time; nothing that is simulated depends on it."""


class Setting(Struct, frozen=True):
    """What is simulated."""

    bots: int
    """In the last night."""
    nights: int
    new: int
    """Bots that come before every night but the first."""
    games: int
    """Of each bot in a night, on average."""
    cells: tuple[Cell, ...]
    deals: int
    """Blocks of a visit to a table."""
    seed: int
    owners: int = 0
    """To whom the bots belong in turn; with 0 nobody owns them."""

    def owner(self, bot: int) -> str:
        """The owner of a bot."""
        return str(bot % self.owners) if self.owners else ""

    @property
    def first(self) -> int:
        """Bots in the first night."""
        return self.bots - self.new * (self.nights - 1)


class Night(Struct, frozen=True):
    """How the ladder stands after a night, and what choosing its tables took."""

    number: int
    bots: int
    games: float
    """Of a bot so far, on average."""
    blocks: int
    """So far."""
    mean: float
    """By how many places bots are off, on average."""
    median: float
    most: float
    """At most so many, for 95 bots in 100."""
    share: float
    """The mean, as a share of the ladder."""
    top: float
    """The share of the ten best that are among the ten first."""
    complete: float
    """The share of bots with blocks in all cells."""
    least: int
    """Blocks in this night of the bot that had fewest."""
    balance: float
    """Blocks so far in the cell with most over those in the cell with fewest."""
    setup: float
    """Milliseconds of CPU time before the first table was chosen."""
    choosing: float
    """Microseconds of CPU time for each block, to choose tables."""
    learning: float
    """Likewise, to take in results."""


class Chooser(Protocol):
    """Who says which table is next."""

    def next(self) -> Match:
        """The next table."""

    def learn(self, match: Match, ranks: Sequence[Sequence[int]]) -> None:
        """Hear what its blocks came to."""


class Shuffled:
    """Tables by chance: everybody plays equally often, and so do all cells.

    Bots of one owner do not share a table; who has none is given by an empty name.
    """

    def __init__(self, seats: Sequence[int], owners: Sequence[str], chance: Generator) -> None:
        self.seats, self.owners, self.chance = seats, owners, chance
        self.queue: deque[int] = deque()
        self.turn = 0

    def next(self) -> Match:
        """Those whose turn it is."""
        cell = self.turn % len(self.seats)
        self.turn += 1
        table: list[int] = []
        later: list[int] = []
        while len(table) < self.seats[cell]:
            if (len(self.queue) < 2 * self.seats[cell] and not table) or not self.queue:
                self.queue.extend(self.chance.permutation(len(self.owners)).tolist())
            bot = self.queue.popleft()
            met = {self.owners[one] for one in table} - {""}
            (later if bot in table or self.owners[bot] in met else table).append(bot)
        self.queue.extendleft(reversed(later))
        return Match(cell, tuple(sorted(table)))

    def learn(self, match: Match, ranks: Sequence[Sequence[int]]) -> None:
        """Nothing comes of it."""


@dataclass(frozen=True, eq=False)
class Played:
    """The blocks of a night, by cells: tables and ranks; and what it took, as `Night` has it."""

    who: list[list[tuple[int, ...]]]
    ranks: list[list[list[int]]]
    setup: float
    choosing: float
    learning: float


class Simulation:
    """A ladder from its first night on, with tables by the matchmaker or by chance."""

    def __init__(self, setting: Setting, clock: Clock, *, matched: bool) -> None:
        self.setting, self.clock, self.matched = setting, clock, matched
        cells = setting.cells
        truth = np.random.default_rng((setting.seed, 0))
        self.population = Population(setting.bots, len(cells), truth)
        self.chance = np.random.default_rng((setting.seed, 2 if matched else 1))
        self.ratings = [Ratings(setting.bots, cell.seats) for cell in cells]
        self.games = [len(design(cell.seats)[0]) for cell in cells]
        self.blocks = np.zeros((setting.bots, len(cells)), np.int64)

    def nights(self) -> Iterator[Night]:
        """Each night when it is over."""
        for number in range(1, self.setting.nights + 1):
            here = self.setting.first + self.setting.new * (number - 1)
            played = self.play(number, here)
            before = self.blocks.sum(axis=1)
            for cell, ratings in enumerate(self.ratings):
                if played.who[cell]:
                    who = np.array(played.who[cell])
                    ratings.add(who, np.array(played.ranks[cell]))
                    self.blocks[:, cell] += np.bincount(who.ravel(), minlength=self.setting.bots)
            least = int((self.blocks.sum(axis=1) - before)[:here].min())
            yield self.look(number, here, least, played)

    def chooser(self, number: int, here: int) -> Chooser:
        """Who chooses the tables of a night with so many bots."""
        setting = self.setting
        if not self.matched:
            owners = [setting.owner(bot) for bot in range(here)]
            return Shuffled([cell.seats for cell in setting.cells], owners, self.chance)
        mu = np.stack([ratings.mu for ratings in self.ratings], axis=1).tolist()
        sigma = np.stack([ratings.sigma for ratings in self.ratings], axis=1).tolist()
        blocks = self.blocks.tolist()
        contenders = [
            Contender(
                str(bot),
                setting.owner(bot),
                tuple(mu[bot]),
                tuple(sigma[bot]),
                tuple(blocks[bot]),
            )
            for bot in range(here)
        ]
        deals = [setting.deals] * len(setting.cells)
        games = [setting.deals * each for each in self.games]
        return Matchmaker(
            setting.cells, contenders, deals, games, b"%d %d" % (setting.seed, number)
        )

    def play(self, number: int, here: int) -> Played:
        """A night."""
        begin = self.clock()
        chooser = self.chooser(number, here)
        setup, choosing, learning = self.clock() - begin, 0.0, 0.0
        who: list[list[tuple[int, ...]]] = [[] for _ in self.ratings]
        ranks: list[list[list[int]]] = [[] for _ in self.ratings]
        flying: deque[Match] = deque()
        deals, left = self.setting.deals, self.setting.games * here
        while left > 0 or flying:
            if left > 0:
                begin = self.clock()
                match = chooser.next()
                choosing += self.clock() - begin
                left -= self.games[match.cell] * deals * len(match.table)
                flying.append(match)
            if left <= 0 or len(flying) > FLYING:
                match = flying.popleft()
                found = [self.population.block(match, self.chance) for _ in range(deals)]
                who[match.cell] += [match.table] * deals
                ranks[match.cell] += found
                begin = self.clock()
                chooser.learn(match, found)
                learning += self.clock() - begin
        each = 1e6 / sum(map(len, ranks))
        return Played(who, ranks, setup * 1e3, choosing * each, learning * each)

    def look(self, number: int, here: int, least: int, played: Played) -> Night:
        """How far the order by ratings is from the true one, and what it took."""
        blocks = self.blocks[:here]
        cells = self.blocks.sum(axis=0) / [cell.seats for cell in self.setting.cells]
        true = places(self.population.overall[:here])
        found = places(self.rated(here))
        off = np.abs(true - found)
        best = min(TOP, here)
        return Night(
            number=number,
            bots=here,
            games=float((blocks @ self.games).mean()),
            blocks=round(cells.sum()),
            mean=float(off.mean()),
            median=float(np.median(off)),
            most=float(np.percentile(off, 95)),
            share=float(off.mean() / here),
            top=float(((true < best) & (found < best)).sum() / best),
            complete=float((blocks > 0).all(axis=1).mean()),
            least=least,
            balance=float(cells.max() / max(1.0, cells.min())),
            setup=played.setup,
            choosing=played.choosing,
            learning=played.learning,
        )

    def rated(self, here: int) -> Floats:
        """The mean rating of each bot over the cells where it has played."""
        known = self.blocks[:here] > 0
        mu = np.stack([ratings.mu[:here] - MU for ratings in self.ratings], axis=1)
        return np.asarray((mu * known).sum(axis=1) / np.maximum(1, known.sum(axis=1)))


def places(strength: Floats) -> Ints:
    """The place of each bot, from 0, the strongest first."""
    found = np.empty(len(strength), np.int64)
    found[np.argsort(-strength, kind="stable")] = np.arange(len(strength))
    return found


def reached(nights: Sequence[Night], share: float) -> float | None:
    """About how many games of each bot it took until the mean error was so small; None if never."""
    if nights[0].share <= share:
        return nights[0].games
    for before, night in pairwise(nights):
        if night.share <= share:
            part = (before.share - share) / (before.share - night.share)
            return before.games + part * (night.games - before.games)
    return None
