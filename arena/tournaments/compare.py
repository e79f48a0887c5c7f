"""Compare two bots at mirror tables until a sequential test decides which is better."""

import math
import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import IO

import msgspec
import numpy as np
from msgspec import Struct

from arena.bots.bot import Bot, load_bot
from arena.bots.build import BuildSettings
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.sandbox import select_sandbox
from arena.errors import ArenaError
from arena.games.catalog import variant
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.ratings.sprt import MARGIN, CellSample, SequentialTest, SprtVerdict, mean_difference
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.sanitize import to_json
from arena.store.block import PlayedBlock, unpack_games
from arena.text import english_list
from arena.tournaments.config.resolve import default_system, limits_text
from arena.tournaments.deals import block_key_settings
from arena.tournaments.mirror_blocks import games_per_block, mirror_chunks
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.play.backend import (
    Backend,
    BackendEvent,
    ChunkTask,
    GamesFinished,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.dispatcher import MAX_TRIES, WAIT_SECONDS, check_result
from arena.tournaments.play.excuse_counter import ExcuseCounter
from arena.tournaments.play.local_backend import LocalBackend, count_cores
from arena.tournaments.play.signals import StopRequest

DEFAULT_VARIANT, DEFAULT_SEATS, DEFAULT_GAMES = "sticheln", 4, 3000
GAMES_FILE, RESULT_FILE = "games.jsonl", "compare.json"
MIN_DEALS, MAX_DEALS = 4, 32
"""Deals of a chunk: few at first, since the test may end after each, later more."""
SEED_BYTES = 16
"""Bytes of a seed that is drawn."""


class ComparedBot(Struct, frozen=True):
    """One of the two bots of a comparison."""

    name: str
    version: str
    path: str
    faults: int
    excuses: int = 0
    """Kills that the machine caused: the chunk was played again, and the bot did not pay."""


class CellComparison(Struct, frozen=True):
    """The comparison in one cell."""

    variant: str
    seats: int
    difference: float
    """The points of B in a game and a seat, less those of A."""
    reach: float
    """Half the width of its 95 % interval, as if the number of games had been fixed before."""
    deviation: float
    """The deviation of a bot's points in a game from the mean of its table."""
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
    """Where a test ends: below the first for equal bots, above the second for different ones."""
    cells: tuple[CellComparison, ...]
    a: ComparedBot
    b: ComparedBot
    seed: str
    interrupted: bool


@dataclass
class MirrorResults:
    """The results of two bots, known by their names, at mirror tables of a cell."""

    cell: Cell
    names: tuple[str, str]
    half_differences: dict[int, list[float]] = field(default_factory=dict)
    """For each block number, the difference at each table that played it."""
    games: int = 0
    squared_deviations: float = 0.0
    """The sum of squares of all points, each less the mean of its table."""
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    faults: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, blocks: Iterable[PlayedBlock]) -> None:
        """Add the results of blocks."""
        for block in blocks:
            bot_of_place = np.array([self.names.index(name) for name in block.bots])
            difference = 0.0
            for result in block.results:
                bot_of_seat = bot_of_place[list(result.seating)]
                points = np.array(result.points, np.float64)
                means = [float(points[bot_of_seat == bot].mean()) for bot in (0, 1)]
                difference += means[1] - means[0]
                self.squared_deviations += float(((points - points.mean()) ** 2).sum())
                for bot in (0, 1):
                    self.points[bot] += means[bot]
                    self.faults[bot] += int(np.array(result.faults)[bot_of_seat == bot].sum())
            self.games += len(block.results)
            self.half_differences.setdefault(block.number, []).append(
                difference / len(block.results)
            )

    @property
    def sample(self) -> CellSample:
        """All complete blocks, for the sequential test."""
        tables = 1 + self.cell.seats % 2
        complete = [
            halves for _, halves in sorted(self.half_differences.items()) if len(halves) == tables
        ]
        unit = math.sqrt(self.squared_deviations / max(1, self.games * self.cell.seats))
        return CellSample(
            self.cell,
            np.array([sum(halves) / tables for halves in complete], np.float64),
            unit or 1.0,  # without any difference in points, every unit does
            games_per_block(self.cell.seats),
        )

    def comparison(self) -> CellComparison:
        """What the complete blocks show."""
        sample = self.sample
        return CellComparison(
            variant=self.cell.variant,
            seats=self.cell.seats,
            difference=sample.mean,
            reach=sample.half_width,
            deviation=sample.unit,
            blocks=len(sample.differences),
            games=self.games,
        )


FaultCallback = Callable[[str, Fault], object]
"""Is called with the name of a bot for each of its faults."""


@dataclass
class Comparison:
    """A comparison that is being played.

    Chunks are counted in the order of the plan, in whatever order they are finished, so that the
    result does not depend on the number of workers.
    """

    secret: str
    cells: Sequence[Cell]
    pair: tuple[Bot, Bot]
    config: RefereeConfig
    max_games: int
    margin: float
    games_file: IO[bytes] | None = None
    on_fault: FaultCallback = lambda _bot, _fault: None

    def __post_init__(self) -> None:
        names = self.pair[0].name, self.pair[1].name
        self.test = SequentialTest(self.margin)
        self.cell_results = {cell: MirrorResults(cell, names) for cell in self.cells}
        self.chunk_groups = self.plan_groups()
        self.task_numbers = count(1)
        self.open_groups: deque[list[int]] = deque()
        """The task numbers of each group that is not counted yet."""
        self.queue: deque[ChunkTask] = deque()
        self.in_flight: dict[int, ChunkTask] = {}
        self.games_in_flight: dict[int, int] = {}
        self.finished_blocks: dict[int, list[PlayedBlock]] = {}
        self.tries: Counter[int] = Counter()
        self.excuses = ExcuseCounter()

    def plan_groups(self) -> Iterator[tuple[Chunk, ...]]:
        """Yield groups of chunks that are counted together, while there are games left."""
        agreed = block_key_settings(self.config, limits_text(self.config.sandbox))
        first, games_left = 0, self.max_games
        while True:
            deals = min(MAX_DEALS, max(MIN_DEALS, first // 3))
            for cell in self.cells:
                blocks = min(deals, games_left // games_per_block(cell.seats))
                if not blocks:
                    return
                games_left -= blocks * games_per_block(cell.seats)
                numbers = range(first, first + blocks)
                yield mirror_chunks(self.secret, cell, self.pair, agreed, numbers)
            first += deals

    @property
    def samples(self) -> list[CellSample]:
        """The sample of each cell."""
        return [results.sample for results in self.cell_results.values()]

    @property
    def games(self) -> int:
        """How many games are counted so far."""
        return sum(results.games for results in self.cell_results.values())

    def play(
        self,
        backend: Backend,
        stop_request: StopRequest,
        on_progress: Callable[["Comparison"], None],
    ) -> None:
        """Play until there is a verdict, all games are played, or a stop is requested."""
        while self.test.verdict == "undecided" and not stop_request.is_requested:
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
            for event in backend.wait(WAIT_SECONDS):
                self.handle_event(event)
            self.count_finished()
            on_progress(self)

    def queue_group(self) -> bool:
        """Queue the next group; return whether there is one."""
        group = [ChunkTask(next(self.task_numbers), chunk) for chunk in next(self.chunk_groups, ())]
        self.queue.extend(group)
        if group:
            self.open_groups.append([task.number for task in group])
        return bool(group)

    def handle_event(self, event: BackendEvent) -> None:
        """Handle one event of the backend."""
        if isinstance(event, GamesFinished):
            self.games_in_flight[event.number] = event.games
            return
        task = self.in_flight.pop(event.number)
        self.games_in_flight.pop(event.number, None)
        if isinstance(event, TaskResult):
            names = [self.pair[side].name for side in task.chunk.table]
            event = check_result(task, names, event)
            if isinstance(event, TaskResult):
                self.finished_blocks[event.number] = event.blocks
                return
        killed = event.killed_bot if isinstance(event, TaskFailure) else None
        if killed in {bot.name for bot in self.pair} - task.bots_without_excuses:
            self.excuses.add(killed, task.chunk)
        else:
            self.tries[task.number] += 1
        if self.tries[task.number] == MAX_TRIES:
            cell = task.chunk.cell
            raise ArenaError(f"a chunk of {cell} failed {MAX_TRIES} times: {event.text}")
        self.queue.appendleft(task)

    def count_finished(self) -> None:
        """Count finished groups in the order of the plan, until there is a verdict."""
        while self.open_groups and all(
            number in self.finished_blocks for number in self.open_groups[0]
        ):
            for number in self.open_groups.popleft():
                blocks = self.finished_blocks.pop(number)
                self.cell_results[Cell(blocks[0].variant, blocks[0].seats)].add(blocks)
                self.save_games(blocks)
            if self.test.update(self.samples) != "undecided":
                break

    def save_games(self, blocks: Iterable[PlayedBlock]) -> None:
        """Write games to the file, if there is one, and report their faults."""
        for block in blocks:
            if not self.games_file and not any(any(result.faults) for result in block.results):
                continue
            for game in unpack_games(block.packed_games):
                for fault in game.record.faults:
                    self.on_fault(game.record.bots[fault.seat].name, fault)
                if self.games_file:
                    self.games_file.write(msgspec.json.encode(game.record) + b"\n")

    def result(self, paths: tuple[str, str], *, interrupted: bool) -> ComparisonResult:
        """The result so far."""
        difference, reach = mean_difference(self.samples)
        bots = [
            ComparedBot(
                bot.name,
                bot.version,
                path,
                sum(results.faults[side] for results in self.cell_results.values()),
                self.excuses.by_bot[bot.name],
            )
            for side, (bot, path) in enumerate(zip(self.pair, paths, strict=True))
        ]
        return ComparisonResult(
            verdict=self.test.verdict,
            difference=difference,
            reach=reach,
            games=self.games,
            margin=self.margin,
            better=self.test.better.log_ratio,
            worse=self.test.worse.log_ratio,
            bounds=(self.test.lower_bound, self.test.upper_bound),
            cells=tuple(results.comparison() for results in self.cell_results.values()),
            a=bots[0],
            b=bots[1],
            seed=self.secret,
            interrupted=interrupted,
        )


def compare_bots(  # noqa: PLR0913 (each is a choice of the caller)
    one: str | Path,
    other: str | Path,
    *,
    cells: Sequence[Cell] = (Cell(DEFAULT_VARIANT, DEFAULT_SEATS),),
    limits: Limits | None = Limits(),  # noqa: B008 (it is frozen)
    build_settings: BuildSettings | None = None,
    max_games: int = DEFAULT_GAMES,
    margin: float = MARGIN,
    seed: str | None = None,
    workers: int | None = None,
    folder: Path | None = None,
    stop_request: StopRequest | None = None,
    on_progress: Callable[[Comparison], None] = lambda _comparison: None,
    on_fault: FaultCallback = lambda _bot, _fault: None,
) -> ComparisonResult:
    """Play two bots against each other until a test decides whether the other one is better.

    Bots are given by their paths or names; by default they are built and run in the best sandbox
    of this machine. A `stop_request` handles its signals while games are played; by default no
    signal handler is changed. The folder gets the games and the result.
    """
    if build_settings is None:
        system = default_system((str(one), str(other)))
        build_settings = BuildSettings(select_sandbox(None, ResourceLimits(), system=system))
    pair = give_distinct_names(load_bot(one, build_settings), load_bot(other, build_settings))
    config = RefereeConfig(limits=limits, sandbox=build_settings.sandbox)
    if stop_request is None:
        stop_request = StopRequest(signals=())
    with ExitStack() as stack:
        comparison = Comparison(
            secret=seed or secrets.token_hex(SEED_BYTES),
            cells=cells,
            pair=pair,
            config=config,
            max_games=max_games,
            margin=margin,
            games_file=stack.enter_context(open_games_file(folder)) if folder else None,
            on_fault=on_fault,
        )
        stack.enter_context(stop_request)
        backend = stack.enter_context(LocalBackend(workers or count_cores(), pair, config))
        comparison.play(backend, stop_request, on_progress)
    result = comparison.result((str(one), str(other)), interrupted=stop_request.is_requested)
    if folder:
        write_result(folder / RESULT_FILE, result)
    return result


def select_cells(names: Iterable[str], sizes: Sequence[int], games: int) -> tuple[Cell, ...]:
    """The cells of these variants; without sizes each is played at one usual size."""
    cells = []
    for rules in map(variant, names):
        usual = DEFAULT_SEATS if DEFAULT_SEATS in rules.seats else rules.seats[0]
        for seats in sizes or [usual]:
            rules.game(seats)
            cells.append(Cell(rules.name, seats))
    cells = list(dict.fromkeys(cells))
    least = sum(games_per_block(cell.seats) for cell in cells)
    if games < least:
        raise ArenaError(
            f"--games {games} is too little: one deal of {english_list(map(str, cells))} in all "
            f"patterns takes {least} games"
        )
    return tuple(cells)


def give_distinct_names(one: Bot, other: Bot) -> tuple[Bot, Bot]:
    """The two bots; if they have the same name, with (A) and (B) behind it."""
    if one.name != other.name:
        return one, other
    return replace(one, name=f"{one.name} (A)"), replace(other, name=f"{other.name} (B)")


@contextmanager
def open_games_file(folder: Path) -> Iterator[IO[bytes]]:
    """Create the folder and a new file for games in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / GAMES_FILE).open("xb")
    except FileExistsError as error:
        raise ArenaError(f"{folder / GAMES_FILE} is there already; name another folder") from error
    except OSError as error:
        raise ArenaError(f"{folder} cannot be written: {error.strerror}") from error
    with file:
        yield file


def write_result(file: Path, result: ComparisonResult) -> None:
    """Write the result to a file."""
    try:
        file.write_text(msgspec.json.format(to_json(result)) + "\n", encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{file} cannot be written: {error.strerror}") from error
