"""Simulate a ladder of bots of known strength to measure how soon its order is right."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from time import process_time
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.random import Generator

from arena.errors import ArenaError
from arena.ladder.matchmaking.matchmaker import Contender, Match, Matchmaker
from arena.ratings import trueskill_numba
from arena.ratings.cell import Cell
from arena.ratings.results import Floats, Ints
from arena.ratings.trueskill import BETA, MIN_DRAW, MU, SIGMA, sum_messages
from arena.tournaments.seatings import balanced_design as design

CELL_DEVIATION = SIGMA / 4
"""By how much a bot's strengths differ between cells, as a deviation."""
SWEEPS = 2
"""How often all blocks are swept over after a night; as ratings are carried on, few will do."""


class SyntheticBots:
    """Bots as the ratings take them to be before they have played, and as noisy."""

    def __init__(self, bots: int, cells: int, rng: Generator) -> None:
        common = rng.normal(0.0, sqrt(SIGMA**2 - CELL_DEVIATION**2), (bots, 1))
        strength = common + rng.normal(0.0, CELL_DEVIATION, (bots, cells))
        self.overall_strength: Floats = strength.mean(axis=1)
        """The mean over cells."""
        self.strength: list[list[float]] = strength.tolist()
        """Of each bot in each cell."""

    def play_block(self, match: Match, rng: Generator) -> list[int]:
        """Draw the ranks of a block."""
        luck = (BETA * rng.standard_normal(len(match.table))).tolist()
        performance = [
            self.strength[bot][match.cell] + more
            for bot, more in zip(match.table, luck, strict=True)
        ]
        best = sorted(performance, reverse=True)
        return [best.index(one) + 1 for one in performance]


class SimulatedRatings:
    """The ratings of one cell, from all its blocks."""

    def __init__(self, bots: int, seats: int) -> None:
        self.bots = bots
        self.tables, self.ranks = np.zeros((2, 0, seats), np.int64)
        self.messages = np.zeros((0, seats, 2))
        self.ratings = sum_messages(self.messages, self.tables, bots)

    def add_blocks(self, tables: Ints, ranks: Ints) -> None:
        """Add the blocks of a night and compute the ratings again."""
        self.tables, self.ranks = (
            np.concatenate([self.tables, tables]),
            np.concatenate([self.ranks, ranks]),
        )
        self.messages = np.concatenate([self.messages, np.zeros((*tables.shape, 2))])
        flat = trueskill_numba.make_sweeper(self.tables, self.ranks, MIN_DRAW, BETA)
        flat = flat or trueskill_numba.Sweeper(self.tables, self.ranks, MIN_DRAW, BETA)
        for _ in range(SWEEPS):
            flat(self.messages, self.ratings)
            self.ratings = sum_messages(self.messages, self.tables, self.bots)

    @property
    def mu(self) -> Floats:
        """Of each bot."""
        return np.asarray(self.ratings[:, 1] / self.ratings[:, 0])

    @property
    def sigma(self) -> Floats:
        """Of each bot."""
        return np.asarray(self.ratings[:, 0] ** -0.5)


TABLES_IN_FLIGHT = 16
"""Tables that are being played while the next one is chosen."""
TOP_BOTS = 10
ERROR_SHARES = (0.1, 0.05, 0.03, 0.02, 0.01)
"""Mean errors, as shares of the ladder, for which the result has the games they take."""

CpuClock = Callable[[], float]
"""Seconds of CPU time; nothing that is simulated depends on it."""


class SimulationSettings(Struct, frozen=True):
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

    def owner_of(self, bot: int) -> str:
        """The owner of a bot."""
        return str(bot % self.owners) if self.owners else ""

    @property
    def first_bots(self) -> int:
        """Bots in the first night."""
        return self.bots - self.new * (self.nights - 1)


class SimulatedNight(Struct, frozen=True):
    """The error of the ratings after a night, and the CPU time of choosing its tables."""

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


class GamesNeeded(Struct, frozen=True):
    """How many games of each bot it takes until ranks are about right."""

    share: float
    """The mean error, as a share of the ladder."""
    matched: float | None
    shuffled: float | None


class SimulationResult(Struct, frozen=True):
    """A ladder that was simulated, with the matchmaker and with tables by chance."""

    setting: SimulationSettings
    matched: tuple[SimulatedNight, ...]
    shuffled: tuple[SimulatedNight, ...]
    """Empty if they were left out."""
    reached: tuple[GamesNeeded, ...]


NightCallback = Callable[[SimulatedNight], None]
"""Receives each simulated night."""


def simulate_ladder(
    settings: SimulationSettings,
    *,
    with_random: bool = True,
    on_night: NightCallback = lambda _night: None,
) -> SimulationResult:
    """Simulate a ladder with the matchmaker, and likewise with tables by chance to compare."""
    size = max(cell.seats for cell in settings.cells)
    if settings.first_bots < size:
        raise ArenaError(
            f"in the first night there are {max(0, settings.first_bots)} bots, too few for a "
            f"table of {size}; raise --bots or lower --new"
        )
    if settings.owners and settings.owners < size:
        raise ArenaError(f"a table of {size} needs as many owners; raise --owners")
    matched: list[SimulatedNight] = []
    shuffled: list[SimulatedNight] = []
    for nights, uses_matchmaker in ((matched, True), (shuffled, False))[: 1 + with_random]:
        simulation = Simulation(settings, process_time, uses_matchmaker=uses_matchmaker)
        for night in simulation.nights():
            nights.append(night)
            on_night(night)
    reached = tuple(games_needed(matched, shuffled))
    return SimulationResult(settings, tuple(matched), tuple(shuffled), reached)


class TableChooser(Protocol):
    """Chooses the next table, by the matchmaker or by chance."""

    def next_match(self) -> Match:
        """The next table."""

    def learn(self, match: Match, ranks: Sequence[Sequence[int]]) -> None:
        """Update with the ranks of the blocks of a table."""


class RandomTables:
    """Chooses tables by chance; all bots and all cells play equally often.

    Bots of one owner do not share a table; an empty name means that a bot has no owner.
    """

    def __init__(self, seats: Sequence[int], owners: Sequence[str], rng: Generator) -> None:
        self.seats, self.owners, self.rng = seats, owners, rng
        self.queue: deque[int] = deque()
        self.turn = 0

    def next_match(self) -> Match:
        """Return a table of the bots whose turn it is."""
        cell = self.turn % len(self.seats)
        self.turn += 1
        table: list[int] = []
        later: list[int] = []
        while len(table) < self.seats[cell]:
            if (len(self.queue) < 2 * self.seats[cell] and not table) or not self.queue:
                self.queue.extend(self.rng.permutation(len(self.owners)).tolist())
            bot = self.queue.popleft()
            met = {self.owners[one] for one in table} - {""}
            (later if bot in table or self.owners[bot] in met else table).append(bot)
        self.queue.extendleft(reversed(later))
        return Match(cell, tuple(sorted(table)))

    def learn(self, match: Match, ranks: Sequence[Sequence[int]]) -> None:
        """Do nothing: the tables do not depend on results."""


@dataclass(frozen=True, eq=False)
class SimulatedBlocks:
    """The tables and ranks of a night by cell, and its CPU times as in `SimulatedNight`."""

    tables: list[list[tuple[int, ...]]]
    ranks: list[list[list[int]]]
    setup: float
    choosing: float
    learning: float


class Simulation:
    """Simulates a ladder from its first night, with tables by the matchmaker or by chance."""

    def __init__(
        self, settings: SimulationSettings, clock: CpuClock, *, uses_matchmaker: bool
    ) -> None:
        self.settings, self.clock, self.uses_matchmaker = settings, clock, uses_matchmaker
        cells = settings.cells
        truth = np.random.default_rng((settings.seed, 0))
        self.population = SyntheticBots(settings.bots, len(cells), truth)
        self.rng = np.random.default_rng((settings.seed, 2 if uses_matchmaker else 1))
        self.ratings = [SimulatedRatings(settings.bots, cell.seats) for cell in cells]
        self.games_per_block = [len(design(cell.seats)[0]) for cell in cells]
        self.blocks = np.zeros((settings.bots, len(cells)), np.int64)

    def nights(self) -> Iterator[SimulatedNight]:
        """Simulate the nights one by one, and yield each."""
        for number in range(1, self.settings.nights + 1):
            here = self.settings.first_bots + self.settings.new * (number - 1)
            played = self.play_night(number, here)
            before = self.blocks.sum(axis=1)
            for cell, ratings in enumerate(self.ratings):
                if played.tables[cell]:
                    bot_indices = np.array(played.tables[cell])
                    ratings.add_blocks(bot_indices, np.array(played.ranks[cell]))
                    self.blocks[:, cell] += np.bincount(
                        bot_indices.ravel(), minlength=self.settings.bots
                    )
            least = int((self.blocks.sum(axis=1) - before)[:here].min())
            yield self.measure(number, here, least, played)

    def make_chooser(self, number: int, bot_count: int) -> TableChooser:
        """Create the chooser of tables for a night with so many bots."""
        setting = self.settings
        if not self.uses_matchmaker:
            owners = [setting.owner_of(bot) for bot in range(bot_count)]
            return RandomTables([cell.seats for cell in setting.cells], owners, self.rng)
        mu = np.stack([ratings.mu for ratings in self.ratings], axis=1).tolist()
        sigma = np.stack([ratings.sigma for ratings in self.ratings], axis=1).tolist()
        blocks = self.blocks.tolist()
        contenders = [
            Contender(
                str(bot),
                setting.owner_of(bot),
                tuple(mu[bot]),
                tuple(sigma[bot]),
                tuple(blocks[bot]),
            )
            for bot in range(bot_count)
        ]
        deals = [setting.deals] * len(setting.cells)
        games = [setting.deals * each for each in self.games_per_block]
        return Matchmaker(
            setting.cells, contenders, deals, games, b"%d %d" % (setting.seed, number)
        )

    def play_night(self, number: int, bot_count: int) -> SimulatedBlocks:
        """Simulate the games of a night."""
        begin = self.clock()
        chooser = self.make_chooser(number, bot_count)
        setup, choosing, learning = self.clock() - begin, 0.0, 0.0
        bot_indices: list[list[tuple[int, ...]]] = [[] for _ in self.ratings]
        ranks: list[list[list[int]]] = [[] for _ in self.ratings]
        flying: deque[Match] = deque()
        deals, left = self.settings.deals, self.settings.games * bot_count
        while left > 0 or flying:
            if left > 0:
                begin = self.clock()
                match = chooser.next_match()
                choosing += self.clock() - begin
                left -= self.games_per_block[match.cell] * deals * len(match.table)
                flying.append(match)
            if left <= 0 or len(flying) > TABLES_IN_FLIGHT:
                match = flying.popleft()
                found = [self.population.play_block(match, self.rng) for _ in range(deals)]
                bot_indices[match.cell] += [match.table] * deals
                ranks[match.cell] += found
                begin = self.clock()
                chooser.learn(match, found)
                learning += self.clock() - begin
        each = 1e6 / sum(map(len, ranks))
        return SimulatedBlocks(bot_indices, ranks, setup * 1e3, choosing * each, learning * each)

    def measure(
        self, number: int, bot_count: int, least: int, played: SimulatedBlocks
    ) -> SimulatedNight:
        """Measure how far the order by ratings is from the true order."""
        blocks = self.blocks[:bot_count]
        cells = self.blocks.sum(axis=0) / [cell.seats for cell in self.settings.cells]
        true = rank_positions(self.population.overall_strength[:bot_count])
        found = rank_positions(self.mean_ratings(bot_count))
        off = np.abs(true - found)
        best = min(TOP_BOTS, bot_count)
        return SimulatedNight(
            number=number,
            bots=bot_count,
            games=float((blocks @ self.games_per_block).mean()),
            blocks=round(cells.sum()),
            mean=float(off.mean()),
            median=float(np.median(off)),
            most=float(np.percentile(off, 95)),
            share=float(off.mean() / bot_count),
            top=float(((true < best) & (found < best)).sum() / best),
            complete=float((blocks > 0).all(axis=1).mean()),
            least=least,
            balance=float(cells.max() / max(1.0, cells.min())),
            setup=played.setup,
            choosing=played.choosing,
            learning=played.learning,
        )

    def mean_ratings(self, bot_count: int) -> Floats:
        """The mean rating of each bot over the cells where it has played."""
        known = self.blocks[:bot_count] > 0
        mu = np.stack([ratings.mu[:bot_count] - MU for ratings in self.ratings], axis=1)
        return np.asarray((mu * known).sum(axis=1) / np.maximum(1, known.sum(axis=1)))


def rank_positions(strength: Floats) -> Ints:
    """The place of each bot, from 0, the strongest first."""
    found = np.empty(len(strength), np.int64)
    found[np.argsort(-strength, kind="stable")] = np.arange(len(strength))
    return found


def games_until(nights: Sequence[SimulatedNight], share: float) -> float | None:
    """About how many games of each bot it took until the mean error was so small; None if never."""
    if nights[0].share <= share:
        return nights[0].games
    for before, night in pairwise(nights):
        if night.share <= share:
            part = (before.share - share) / (before.share - night.share)
            return before.games + part * (night.games - before.games)
    return None


def games_needed(
    matched: Sequence[SimulatedNight], shuffled: Sequence[SimulatedNight]
) -> Iterator[GamesNeeded]:
    """When errors are reached, but for those that are so from the first night on, or never."""
    for share in ERROR_SHARES:
        games = games_until(matched, share)
        chance = games_until(shuffled, share) if shuffled else None
        if matched[0].share > share and (games is not None or chance is not None):
            yield GamesNeeded(share, games, chance)
