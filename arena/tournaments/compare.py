"""Compare two bots at mirror tables until a sequential test decides which is better."""

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, count
from typing import IO

import msgspec
import numpy as np
from msgspec import Struct

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.games.shuffle import SeededShuffle
from arena.ratings.cell import Cell
from arena.ratings.sprt import CellSample, SequentialTest, SprtVerdict, mean_difference
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.store import block as store
from arena.store.block import PlayedBlock, unpack_games
from arena.tournaments.config.resolve import limits_text
from arena.tournaments.deals import BlockKeys, Dealer, terms_key
from arena.tournaments.plan.blocks import Chunk, PlannedBlock
from arena.tournaments.play.backend import (
    Backend,
    BackendEvent,
    ChunkTask,
    GamesFinished,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.check_results import find_mismatch
from arena.tournaments.play.dispatcher import MAX_TRIES, WAIT_SECONDS
from arena.tournaments.play.excuses import ExcuseCounter
from arena.tournaments.play.signals import StopRequest
from arena.tournaments.seatings import Seating

Pattern = tuple[int, ...]
"""For each seat which of the two sits there: 0 for A, 1 for B."""

FANO_LINES = tuple(frozenset((step + turn) % 7 for step in (0, 1, 3)) for turn in range(7))
"""The lines of the plane with seven points: every two points are on one line."""


@cache
def mirror_patterns(seats: int) -> tuple[Pattern, ...]:
    """In which each two that follow each other are opposites, so that both bots sit everywhere.

    Up to 6 seats there are all patterns with half of the seats for each, or one more for either if
    their number is odd. With 7 and 8 seats that would be 70; 14 do, in which every two seats are
    with the same bot as often as in all 70.
    """
    if seats < 7:
        chosen = [
            frozenset(own)
            for own in combinations(range(seats), seats // 2)
            if seats % 2 or 0 in own
        ]
    else:
        chosen = [line | {7} if seats == 8 else line for line in FANO_LINES]
    return tuple(
        tuple(int((seat in own) == side) for seat in range(seats))
        for own in chosen
        for side in (True, False)
    )


def games_per_block(seats: int) -> int:
    """How many there are in a mirror block."""
    return len(mirror_patterns(seats))


def patterns_of_deal(seats: int, seed: int) -> list[Pattern]:
    """The patterns for one deal: which seats go together is drawn where it makes a difference."""
    if seats < 7:
        return list(mirror_patterns(seats))
    order = SeededShuffle(seed)(0, range(seats))
    return [
        tuple(pattern[order[seat]] for seat in range(seats)) for pattern in mirror_patterns(seats)
    ]


def seating_of_pattern(pattern: Pattern) -> Seating:
    """For each seat a place: those of A come first, in the order of the seats."""
    places = sorted(range(len(pattern)), key=lambda seat: pattern[seat])
    return tuple(places.index(seat) for seat in range(len(pattern)))


def mirror_chunks(
    secret: str, cell: Cell, pair: tuple[Bot, Bot], agreed_terms: Sequence[object], numbers: range
) -> tuple[Chunk, ...]:
    """The mirror blocks of these numbers; if the number of seats is odd, in two halves.

    The first half is what tables with more of B play, the second what those with more of A play,
    of the same deals.
    """
    dealer = Dealer(secret, cell, pair)
    seats = cell.seats
    found = []
    for few in sorted({seats // 2, seats - seats // 2}):
        table = (0,) * few + (1,) * (seats - few)
        keyring = BlockKeys(cell, [pair[side] for side in table], agreed_terms)
        blocks = []
        for number in numbers:
            seed = dealer.seed(number)
            seatings = tuple(
                seating_of_pattern(pattern)
                for pattern in patterns_of_deal(seats, seed)
                if pattern.count(0) == few
            )
            blocks.append(PlannedBlock(keyring.key(seed, seatings), number, seed, seatings))
        found.append(Chunk(cell, table, tuple(blocks)))
    return tuple(found)


@dataclass
class MirrorResults:
    """What two bots, known by their names, have played at mirror tables of a cell."""

    cell: Cell
    names: tuple[str, str]
    half_differences: dict[int, list[float]] = field(default_factory=dict)
    """The difference in each table that played the block of a number."""
    games: int = 0
    squared_deviations: float = 0.0
    """The sum of squares of all points, each less the mean of its table."""
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    faults: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, blocks: Iterable[store.PlayedBlock]) -> None:
        """Take blocks that were played."""
        for block in blocks:
            sides = np.array([self.names.index(name) for name in block.bots])
            whole = 0.0
            for result in block.results:
                side = sides[list(result.seating)]
                points = np.array(result.points, np.float64)
                means = [float(points[side == one].mean()) for one in (0, 1)]
                whole += means[1] - means[0]
                self.squared_deviations += float(((points - points.mean()) ** 2).sum())
                for one in (0, 1):
                    self.points[one] += means[one]
                    self.faults[one] += int(np.array(result.faults)[side == one].sum())
            self.games += len(block.results)
            self.half_differences.setdefault(block.number, []).append(whole / len(block.results))

    @property
    def sample(self) -> CellSample:
        """All whole blocks, for the sequential test."""
        tables = 1 + self.cell.seats % 2
        whole = [
            halves for _, halves in sorted(self.half_differences.items()) if len(halves) == tables
        ]
        unit = math.sqrt(self.squared_deviations / max(1, self.games * self.cell.seats))
        return CellSample(
            self.cell,
            np.array([sum(halves) / tables for halves in whole], np.float64),
            unit or 1.0,  # if nobody ever had a point more than another, any unit will do
            games_per_block(self.cell.seats),
        )


MIN_DEALS, MAX_DEALS = 4, 32
"""Deals of a chunk: few at first, since playing may stop after each, and more as time goes on."""


class ComparedBot(Struct, frozen=True):
    """One of the two bots."""

    name: str
    version: str
    path: str
    faults: int
    excuses: int = 0
    """Kills that the machine caused: the chunk was played again, and the bot did not pay."""


class CellComparison(Struct, frozen=True):
    """What was found in one cell."""

    variant: str
    seats: int
    difference: float
    """The points of B in a game and a seat, less those of A."""
    reach: float
    """Half the width of the 95 % interval of that, as if the games had been fixed before."""
    deviation: float
    """Of a bot's points in a game from the mean of its table."""
    blocks: int
    games: int


class ComparisonResult(Struct, frozen=True):
    """Whether B is better than A, seen from B."""

    verdict: SprtVerdict
    difference: float
    """The mean over all cells, in deviations."""
    reach: float
    games: int
    margin: float
    """The least difference that matters, in deviations."""
    better: float
    """The log likelihood ratio of B being better by the margin, against being equal."""
    worse: float
    bounds: tuple[float, float]
    """Where a test ends: below with equal bots, above with the other answer."""
    cells: tuple[CellComparison, ...]
    a: ComparedBot
    b: ComparedBot
    seed: str
    interrupted: bool


@dataclass
class Comparison:
    """A comparison that is being played.

    Chunks count in the order of the plan, in whichever they are done, so that the number of workers
    does not matter.
    """

    secret: str
    cells: Sequence[Cell]
    pair: tuple[Bot, Bot]
    terms: RefereeConfig
    max_games: int
    margin: float
    record_file: IO[bytes] | None = None

    def __post_init__(self) -> None:
        names = self.pair[0].name, self.pair[1].name
        self.trial = SequentialTest(self.margin)
        self.cell_results = {cell: MirrorResults(cell, names) for cell in self.cells}
        self.first_faults: dict[str, Fault] = {}
        """The first fault of each bot."""
        self.chunk_groups = self.plan_groups()
        self.task_numbers = count(1)
        self.open_groups: deque[list[int]] = deque()
        """The tasks of each part that is not yet counted."""
        self.queue: deque[ChunkTask] = deque()
        self.in_flight: dict[int, ChunkTask] = {}
        self.games_in_flight: dict[int, int] = {}
        self.finished_blocks: dict[int, list[PlayedBlock]] = {}
        self.tries: Counter[int] = Counter()
        self.excuses = ExcuseCounter()

    def plan_groups(self) -> Iterator[tuple[Chunk, ...]]:
        """Chunks that belong together, as long as there are games left."""
        agreed = terms_key(self.terms, limits_text(self.terms.sandbox))
        begun, left = 0, self.max_games
        while True:
            deals = min(MAX_DEALS, max(MIN_DEALS, begun // 3))
            for cell in self.cells:
                fit = min(deals, left // games_per_block(cell.seats))
                if not fit:
                    return
                left -= fit * games_per_block(cell.seats)
                numbers = range(begun, begun + fit)
                yield mirror_chunks(self.secret, cell, self.pair, agreed, numbers)
            begun += deals

    @property
    def samples(self) -> list[CellSample]:
        """What is known, cell by cell."""
        return [mirrored.sample for mirrored in self.cell_results.values()]

    @property
    def games(self) -> int:
        """How many count so far."""
        return sum(mirrored.games for mirrored in self.cell_results.values())

    def play(
        self, backend: Backend, halt: StopRequest, show: Callable[["Comparison"], None]
    ) -> None:
        """Play until the verdict is plain, all games are played, or somebody asks to stop."""
        while self.trial.verdict == "undecided" and not halt.is_requested:
            while backend.free_slots() and (self.queue or self.queue_group()):
                task = self.queue.popleft()
                names = [bot.name for bot in self.pair]
                task = replace(
                    task, bots_without_excuses=self.excuses.bots_without_excuses(names, task.chunk)
                )
                self.in_flight[task.number] = task
                backend.submit(task)
            if not self.in_flight:
                break
            for news in backend.wait(WAIT_SECONDS):
                self.handle_event(news)
            self.count_finished()
            show(self)

    def queue_group(self) -> bool:
        """Put the next part into the queue; whether there is one."""
        part = [ChunkTask(next(self.task_numbers), chunk) for chunk in next(self.chunk_groups, ())]
        self.queue.extend(part)
        if part:
            self.open_groups.append([task.number for task in part])
        return bool(part)

    def handle_event(self, news: BackendEvent) -> None:
        """Take what the backend has to say."""
        if isinstance(news, GamesFinished):
            self.games_in_flight[news.number] = news.games
            return
        task = self.in_flight.pop(news.number)
        self.games_in_flight.pop(news.number, None)
        if isinstance(news, TaskResult):
            names = [self.pair[side].name for side in task.chunk.table]
            why = find_mismatch(task.chunk, names, news.blocks)
            if not why:
                self.finished_blocks[news.number] = news.blocks
                return
            news = TaskFailure(news.number, f"a worker returned another chunk: {why}")
        killed = news.killed_bot if isinstance(news, TaskFailure) else None
        if killed in {bot.name for bot in self.pair} - task.bots_without_excuses:
            self.excuses.add(killed, task.chunk)
        else:
            self.tries[task.number] += 1
        if self.tries[task.number] == MAX_TRIES:
            cell = task.chunk.cell
            raise ArenaError(f"a chunk of {cell} was given up after {MAX_TRIES} tries: {news.text}")
        self.queue.appendleft(task)

    def count_finished(self) -> None:
        """Count the parts that are done, in their order, until the verdict is plain."""
        while self.open_groups and all(
            number in self.finished_blocks for number in self.open_groups[0]
        ):
            for number in self.open_groups.popleft():
                blocks = self.finished_blocks.pop(number)
                self.cell_results[Cell(blocks[0].variant, blocks[0].seats)].add(blocks)
                self.save_games(blocks)
            if self.trial.update(self.samples) != "undecided":
                break

    def save_games(self, blocks: Iterable[PlayedBlock]) -> None:
        """Write games where they are wanted, and remember the first fault of each bot."""
        for block in blocks:
            if not self.record_file and not any(any(result.faults) for result in block.results):
                continue
            for kept in unpack_games(block.kept):
                for fault in kept.record.faults:
                    self.first_faults.setdefault(kept.record.bots[fault.seat].name, fault)
                if self.record_file:
                    self.record_file.write(msgspec.json.encode(kept.record) + b"\n")

    def result(self, paths: tuple[str, str], *, interrupted: bool) -> ComparisonResult:
        """What is known by now."""
        difference, reach = mean_difference(self.samples)
        sides = [
            ComparedBot(
                bot.name,
                bot.version,
                path,
                sum(one.faults[side] for one in self.cell_results.values()),
                self.excuses.by_bot[bot.name],
            )
            for side, (bot, path) in enumerate(zip(self.pair, paths, strict=True))
        ]
        return ComparisonResult(
            verdict=self.trial.verdict,
            difference=difference,
            reach=reach,
            games=self.games,
            margin=self.margin,
            better=self.trial.better.log_ratio,
            worse=self.trial.worse.log_ratio,
            bounds=(self.trial.lower_bound, self.trial.upper_bound),
            cells=tuple(
                CellComparison(
                    variant=cell.variant,
                    seats=cell.seats,
                    difference=mirrored.sample.mean,
                    reach=mirrored.sample.reach,
                    deviation=mirrored.sample.unit,
                    blocks=len(mirrored.sample.differences),
                    games=mirrored.games,
                )
                for cell, mirrored in self.cell_results.items()
            ),
            a=sides[0],
            b=sides[1],
            seed=self.secret,
            interrupted=interrupted,
        )
