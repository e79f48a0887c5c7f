"""A duel: two bots at mirror tables, played until it is plain which of them is better."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import IO

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.match.faults import Fault
from arena.match.terms import Terms
from arena.ratings.cell import Cell
from arena.ratings.sequential import Sample, Trial, Verdict, overall
from arena.store.block import Block, unpack
from arena.tournaments import mirror
from arena.tournaments.backend import Backend, Done, Failed, News, Task, Ticked
from arena.tournaments.block import Chunk
from arena.tournaments.check_results import find_mismatch
from arena.tournaments.deals import terms_key
from arena.tournaments.excuses import Excuses
from arena.tournaments.halt import Halt
from arena.tournaments.labour import TICK, TRIES
from arena.tournaments.mirror import Mirrored
from arena.tournaments.walls import limits_told

FEWEST, MOST = 4, 32
"""Deals of a chunk: few at first, since playing may stop after each, and more as time goes on."""


class Side(Struct, frozen=True):
    """One of the two bots."""

    name: str
    version: str
    path: str
    faults: int
    excuses: int = 0
    """Kills that the machine caused: the chunk was played again, and the bot did not pay."""


class InCell(Struct, frozen=True):
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


class Compared(Struct, frozen=True):
    """Whether B is better than A, seen from B."""

    verdict: Verdict
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
    cells: tuple[InCell, ...]
    a: Side
    b: Side
    seed: str
    interrupted: bool


@dataclass
class Duel:
    """A comparison that is being played.

    Chunks count in the order of the plan, in whichever they are done, so that the number of workers
    does not matter.
    """

    secret: str
    cells: Sequence[Cell]
    pair: tuple[Bot, Bot]
    terms: Terms
    most: int
    margin: float
    sink: IO[bytes] | None = None

    def __post_init__(self) -> None:
        names = self.pair[0].name, self.pair[1].name
        self.trial = Trial(self.margin)
        self.mirrored = {cell: Mirrored(cell, names) for cell in self.cells}
        self.faulty: dict[str, Fault] = {}
        """The first fault of each bot."""
        self.parts = self.plan()
        self.numbers = count(1)
        self.open: deque[list[int]] = deque()
        """The tasks of each part that is not yet counted."""
        self.queue: deque[Task] = deque()
        self.flying: dict[int, Task] = {}
        self.ticks: dict[int, int] = {}
        self.done: dict[int, list[Block]] = {}
        self.tries: Counter[int] = Counter()
        self.excuses = Excuses()

    def plan(self) -> Iterator[tuple[Chunk, ...]]:
        """Chunks that belong together, as long as there are games left."""
        agreed = terms_key(self.terms, limits_told(self.terms.sandbox))
        begun, left = 0, self.most
        while True:
            deals = min(MOST, max(FEWEST, begun // 3))
            for cell in self.cells:
                fit = min(deals, left // mirror.games(cell.seats))
                if not fit:
                    return
                left -= fit * mirror.games(cell.seats)
                numbers = range(begun, begun + fit)
                yield mirror.chunks(self.secret, cell, self.pair, agreed, numbers)
            begun += deals

    @property
    def samples(self) -> list[Sample]:
        """What is known, cell by cell."""
        return [mirrored.sample for mirrored in self.mirrored.values()]

    @property
    def games(self) -> int:
        """How many count so far."""
        return sum(mirrored.games for mirrored in self.mirrored.values())

    def play(self, backend: Backend, halt: Halt, show: Callable[["Duel"], None]) -> None:
        """Play until the verdict is plain, all games are played, or somebody asks to stop."""
        while self.trial.verdict == "undecided" and not halt.soft:
            while backend.room() and (self.queue or self.begin()):
                task = self.queue.popleft()
                names = [bot.name for bot in self.pair]
                task = replace(task, paying=self.excuses.used_up(names, task.chunk))
                self.flying[task.number] = task
                backend.give(task)
            if not self.flying:
                break
            for news in backend.wait(TICK):
                self.take(news)
            self.tally()
            show(self)

    def begin(self) -> bool:
        """Put the next part into the queue; whether there is one."""
        part = [Task(next(self.numbers), chunk) for chunk in next(self.parts, ())]
        self.queue.extend(part)
        if part:
            self.open.append([task.number for task in part])
        return bool(part)

    def take(self, news: News) -> None:
        """Take what the backend has to say."""
        if isinstance(news, Ticked):
            self.ticks[news.number] = news.games
            return
        task = self.flying.pop(news.number)
        self.ticks.pop(news.number, None)
        if isinstance(news, Done):
            names = [self.pair[side].name for side in task.chunk.table]
            why = find_mismatch(task.chunk, names, news.blocks)
            if not why:
                self.done[news.number] = news.blocks
                return
            news = Failed(news.number, f"a worker returned another chunk: {why}")
        killed = news.killed if isinstance(news, Failed) else None
        if killed in {bot.name for bot in self.pair} - task.paying:
            self.excuses.add(killed, task.chunk)
        else:
            self.tries[task.number] += 1
        if self.tries[task.number] == TRIES:
            cell = task.chunk.cell
            raise ArenaError(f"a chunk of {cell} was given up after {TRIES} tries: {news.text}")
        self.queue.appendleft(task)

    def tally(self) -> None:
        """Count the parts that are done, in their order, until the verdict is plain."""
        while self.open and all(number in self.done for number in self.open[0]):
            for number in self.open.popleft():
                blocks = self.done.pop(number)
                self.mirrored[Cell(blocks[0].variant, blocks[0].seats)].add(blocks)
                self.keep(blocks)
            if self.trial.look(self.samples) != "undecided":
                break

    def keep(self, blocks: Iterable[Block]) -> None:
        """Write games where they are wanted, and remember the first fault of each bot."""
        for block in blocks:
            if not self.sink and not any(any(result.faults) for result in block.results):
                continue
            for kept in unpack(block.kept):
                for fault in kept.record.faults:
                    self.faulty.setdefault(kept.record.bots[fault.seat].name, fault)
                if self.sink:
                    self.sink.write(msgspec.json.encode(kept.record) + b"\n")

    def result(self, paths: tuple[str, str], *, interrupted: bool) -> Compared:
        """What is known by now."""
        difference, reach = overall(self.samples)
        sides = [
            Side(
                bot.name,
                bot.version,
                path,
                sum(one.faults[side] for one in self.mirrored.values()),
                self.excuses.in_all[bot.name],
            )
            for side, (bot, path) in enumerate(zip(self.pair, paths, strict=True))
        ]
        return Compared(
            verdict=self.trial.verdict,
            difference=difference,
            reach=reach,
            games=self.games,
            margin=self.margin,
            better=self.trial.better.ratio,
            worse=self.trial.worse.ratio,
            bounds=(self.trial.lower, self.trial.upper),
            cells=tuple(
                InCell(
                    variant=cell.variant,
                    seats=cell.seats,
                    difference=mirrored.sample.mean,
                    reach=mirrored.sample.reach,
                    deviation=mirrored.sample.unit,
                    blocks=len(mirrored.sample.differences),
                    games=mirrored.games,
                )
                for cell, mirrored in self.mirrored.items()
            ),
            a=sides[0],
            b=sides[1],
            seed=self.secret,
            interrupted=interrupted,
        )
