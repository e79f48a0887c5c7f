"""Dispatch chunks to a backend, retry failed ones, store the blocks and report progress."""

import logging
import os
import shlex
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from arena.bots.bot import Bot, builtin_bots
from arena.bots.digest import bot_digest, bot_files
from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.store.block import PlayedBlock
from arena.store.excuses import Excuse
from arena.store.run import Run
from arena.tournaments.check_run import RunChecker
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.plan.blocks import Chunk, PlannedBlock
from arena.tournaments.play.backend import (
    Backend,
    BackendEvent,
    ChunkTask,
    GamesFinished,
    StrictFault,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.check_results import find_mismatch
from arena.tournaments.play.excuses import ExcuseCounter
from arena.tournaments.play.signals import StopRequest

Fingerprint = tuple[tuple[str, int, int, int], ...]
"""Name, size, time of the last change and number of each file: quickly seen, unlike its content."""


class BotFiles:
    """Where the bots of a tournament come from."""

    def __init__(self, bots: Sequence[Bot], paths: Sequence[str]) -> None:
        known = builtin_bots()
        self.bot_paths = [
            (bot, Path(path) if Path(path).exists() else known.get(path, Path(path)))
            for bot, path in zip(bots, paths, strict=True)
        ]
        self.fingerprints: dict[Path, Fingerprint] = {}

    def find_changed(self, numbers: Iterable[int]) -> str | None:
        """A bot among these that is no longer what it was, if there is one."""
        for bot, place in map(self.bot_paths.__getitem__, numbers):
            try:
                seen = fingerprint(place, bot.ignored)
                if self.fingerprints.get(place) == seen:
                    continue
                if bot_digest(place, bot.ignored) != bot.digest:
                    return bot.name
            except (OSError, ArenaError):
                return bot.name
            self.fingerprints[place] = seen
        return None


def fingerprint(place: Path, ignored: Collection[str]) -> Fingerprint:
    """What is seen of a script or a folder without reading it."""
    found = list(bot_files(place, ignored)) if place.is_dir() else [place]
    return tuple((str(file), *file_stamp(file.lstat())) for file in found)


def file_stamp(status: os.stat_result) -> tuple[int, int, int]:
    """What changes when a file does."""
    return status.st_size, status.st_mtime_ns, status.st_ino


LOG = logging.getLogger(__name__)

MAX_TRIES = 4
"""How often a chunk is begun before it is left alone."""

MAX_TASK_SECONDS = 60.0
"""Seconds that a task should take at most, as little is lost then when somebody dies."""

WAIT_SECONDS = 0.2
"""Seconds after which waiting ends, so that signals are heeded and progress is shown."""


@dataclass
class Progress:
    """How far a run is."""

    blocks: int = 0
    """Kept by now, those of earlier sittings too."""
    total_blocks: int = 0
    games: int = 0
    total_games: int = 0
    new_games: int = 0
    """Games played in this sitting."""
    started: float = field(default_factory=time.monotonic)
    games_in_flight: dict[int, int] = field(default_factory=dict)
    """For each chunk that is being played, how many of its games are over."""
    faults: Counter[str] = field(default_factory=Counter)
    """In this sitting, by bot."""
    excuses: Counter[str] = field(default_factory=Counter)
    """In this sitting, by bot."""
    repeated_chunks: int = 0
    """Chunks that had to be played again."""
    stage: int = 0
    stages: int = 1
    is_stopping: bool = False

    @property
    def played_games(self) -> int:
        """Games that are over in this sitting, kept or not yet."""
        return self.new_games + sum(self.games_in_flight.values())

    @property
    def seconds(self) -> float:
        """Since this sitting began."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """Seconds until all is played, if it goes on like this."""
        missing = max(0, self.total_games - self.games - sum(self.games_in_flight.values()))
        return self.seconds / self.played_games * missing if self.played_games else None


ProgressCallback = Callable[[Progress], None]
"""Is shown how far it is, some times a second."""


def split_chunk(chunk: Chunk, pace: float) -> list[Chunk]:
    """A chunk in as many pieces as it needs for each to be over in time, at so long a block."""
    blocks = chunk.blocks
    size = len(blocks) if not pace else max(1, min(len(blocks), int(MAX_TASK_SECONDS / pace)))
    even = -(-len(blocks) // -(-len(blocks) // size))
    return [
        replace(chunk, blocks=blocks[first : first + even]) for first in range(0, len(blocks), even)
    ]


class ChunkDispatcher:
    """Plays chunks that somebody hands out, and keeps what comes of them."""

    def __init__(  # noqa: PLR0913 (labour needs them all)
        self,
        tournament: Tournament,
        run: Run,
        backend: Backend,
        stop_request: StopRequest,
        on_progress: ProgressCallback,
        *,
        salt: str = "",
    ) -> None:
        self.tournament = tournament
        self.bot_files = BotFiles(tournament.bots, tournament.paths)
        self.run = run
        self.backend = backend
        self.stop_request = stop_request
        self.on_progress = on_progress
        self.stored_keys = run.block_keys()
        self.task_numbers = count(1)
        self.in_flight: dict[int, ChunkTask] = {}
        self.retry_queue: deque[ChunkTask] = deque()
        self.pending_chunks: deque[Chunk] = deque()
        """What comes next: a chunk, or what is left of one that would take too long."""
        self.block_seconds: dict[Cell, float] = {}
        """Seconds that a block of each cell took, the last time."""
        self.unsaved_blocks: list[PlayedBlock] = []
        """What was played and is not kept yet."""
        self.tries: Counter[int] = Counter()
        self.excuses = ExcuseCounter(
            one for one in run.excuses() if (one.session.salt if one.session else "") == salt
        )
        """Those of all sessions with the same deals: of a run, or of a night."""
        self.failed_chunks: dict[int, str] = {}
        self.failed_blocks: set[bytes] = set()
        """The blocks of chunks that could not be played."""
        self.progress = Progress(blocks=len(self.stored_keys), games=run.game_count())

    def play_all(self, chunks: Iterator[Chunk | None]) -> bool:
        """Play these; whether they are all over, and not interrupted.

        None in place of a chunk: there is none until something that is being played is over.
        """
        while True:
            idle = self.stop_request.is_requested or self.is_time_over
            while not idle:
                idle = not self.has_more(chunks)
                if idle or not self.backend.free_slots():
                    break
                task = self.retry_queue.popleft() if self.retry_queue else self.next_task()
                used_up = self.excuses.bots_without_excuses(self.bots_at_table(task), task.chunk)
                task = replace(task, bots_without_excuses=used_up)
                self.in_flight[task.number] = task
                self.progress.games_in_flight[task.number] = 0
                self.backend.submit(task)
            self.progress.is_stopping = self.stop_request.is_requested
            self.on_progress(self.progress)
            if self.stop_request.is_forced:
                return False
            if self.stop_request.is_requested or self.is_time_over:
                self.cancel_waiting()
            if idle and not self.in_flight:
                if self.is_time_over and not self.stop_request.is_requested:
                    return True
                return not self.has_more(chunks)
            self.handle_events(self.backend.wait(WAIT_SECONDS))

    @property
    def is_time_over(self) -> bool:
        """Whether time is over, so that nothing more is begun."""
        return False

    def cancel_waiting(self) -> None:
        """Take back what nobody has begun."""
        for number in self.backend.cancel_waiting():
            self.retry_queue.append(self.in_flight.pop(number))
            del self.progress.games_in_flight[number]

    def has_more(self, chunks: Iterator[Chunk | None]) -> bool:
        """Whether there is something that could be begun, without beginning it."""
        if not self.retry_queue and not self.pending_chunks and (chunk := next(chunks, None)):
            self.pending_chunks.append(chunk)
        return bool(self.retry_queue or self.pending_chunks)

    def next_task(self) -> ChunkTask:
        """The next task: a chunk, or a piece of one that would take too long."""
        chunk = self.pending_chunks.popleft()
        chunk, *pieces = split_chunk(chunk, self.block_seconds.get(chunk.cell, 0.0))
        self.pending_chunks.extendleft(reversed(pieces))
        return ChunkTask(next(self.task_numbers), chunk)

    def bots_at_table(self, task: ChunkTask) -> list[str]:
        """Return the names of the bots at a task's table."""
        return [self.tournament.bots[number].name for number in task.chunk.table]

    def handle_events(self, events: Iterable[BackendEvent]) -> None:
        """Take what the backend has to say; what was played is kept in one go."""
        try:
            for news in events:
                self.handle_event(news)
        finally:
            blocks, self.unsaved_blocks = self.unsaved_blocks, []
            if blocks:
                self.store_blocks(blocks)

    def handle_event(self, news: BackendEvent) -> None:
        """Take one thing that the backend has to say."""
        if isinstance(news, GamesFinished):
            self.progress.games_in_flight[news.number] = news.games
            return
        task = self.in_flight.pop(news.number)
        del self.progress.games_in_flight[news.number]
        # What has changed may be why a chunk was not played.
        if changed := self.bot_files.find_changed(self.bots_to_check(task)):
            raise ArenaError(
                f"{changed} has changed while it was being played; what was played just now is "
                "dropped and all before is kept: put it back as it was, or play a new run with "
                "--out FOLDER"
            )
        if isinstance(news, TaskResult):
            names = [self.tournament.bots[bot].name for bot in task.chunk.table]
            if why := find_mismatch(task.chunk, names, news.blocks):
                self.handle_failure(
                    task, TaskFailure(news.number, f"a worker returned another chunk: {why}")
                )
                return
            self.block_seconds[task.chunk.cell] = news.seconds / len(news.blocks)
            self.unsaved_blocks += news.blocks
        elif isinstance(news, StrictFault):
            raise self.strict_fault_error(news)
        else:
            self.handle_failure(task, news)

    def bots_to_check(self, task: ChunkTask) -> Iterable[int]:  # noqa: ARG002 (who overrides it needs it)
        """The bots whose files are looked at after a task: all, so that a run stops at once."""
        return range(len(self.tournament.bots))

    def store_blocks(self, blocks: list[PlayedBlock]) -> None:
        """Put blocks into the store; they are safe when this returns."""
        self.run.add(blocks)
        self.stored_keys.update(block.key for block in blocks)
        games = sum(len(block.results) for block in blocks)
        self.progress.blocks += len(blocks)
        self.progress.games += games
        self.progress.new_games += games
        for block in blocks:
            for result in block.results:
                for seat, faults in enumerate(result.faults):
                    if faults:
                        self.count_faults(block.bots[result.seating[seat]], faults)

    def count_faults(self, bot: str, faults: int) -> None:
        """Count a bot's faults; the first ones are worth a warning."""
        if not self.progress.faults[bot]:
            folder = shlex.quote(str(self.run.folder))
            LOG.warning("%s was at fault: see arena games %s --fault", bot, folder)
        self.progress.faults[bot] += faults

    def strict_fault_error(self, news: StrictFault) -> ArenaError:
        """What to say where a fault stops everything."""
        record, fault, tournament = news.record, news.fault, self.tournament
        paths = [tournament.paths[tournament.bot_number(bot.name)] for bot in record.bots]
        command = ["arena", "play", record.variant, *paths, "--seed", str(record.seed), "--strict"]
        command += tournament.terms.sandbox.options
        return ArenaError(
            f"{record.bots[fault.seat].name} is at fault ({fault.fault}: {fault.text}), and with "
            f"'faults: strict' nothing more is played; see it with: {shlex.join(command)}"
        )

    def handle_failure(self, task: ChunkTask, news: TaskFailure) -> None:
        """A chunk was not played: begin it again, unless that was tried often enough.

        A bot that the machine has killed is excused until its excuses are used up; after that each
        kill counts as a failed try of the chunk. No bot is charged for workers that die.
        """
        cell, text = task.chunk.cell, news.text
        if news.suspect_blocks:
            self.recheck_blocks(news.suspect_blocks)
        if (
            news.killed_bot in self.bots_at_table(task)
            and news.killed_bot not in task.bots_without_excuses
        ):
            self.record_excuse(task, news.killed_bot, text)
        else:
            self.tries[task.number] += news.counts_as_try
        if news.is_hopeless or self.tries[task.number] == MAX_TRIES:
            LOG.error("%s; a chunk of %s is given up", text, cell)
            self.failed_chunks[task.number] = f"a chunk of {cell}: {text}"
            self.failed_blocks.update(block.key for block in task.chunk.blocks)
            return
        LOG.warning("%s; a chunk of %s is played again", text, cell)
        self.progress.repeated_chunks += 1
        self.retry_queue.append(task)

    def record_excuse(self, task: ChunkTask, bot: str, text: str) -> None:
        """Count an excuse of a bot and keep it, so that the limit holds across sessions."""
        self.excuses.add(bot, task.chunk)
        self.progress.excuses[bot] += 1
        cell = task.chunk.cell
        self.run.add_excuse(
            Excuse(
                bot=bot,
                variant=cell.variant,
                seats=cell.seats,
                chunk=task.chunk.blocks[0].key,
                text=text,
                at=datetime.now(UTC).isoformat(),
            )
        )

    def recheck_blocks(self, keys: Iterable[bytes]) -> None:
        """Replay stored blocks of a worker that is not trusted any more; play forged ones again."""
        fresh, self.unsaved_blocks = self.unsaved_blocks, []
        self.store_blocks(fresh)  # some of them may be meant
        checker = RunChecker(self.run.header)
        numbers = {bot.name: number for number, bot in enumerate(self.tournament.bots)}
        forged: list[bytes] = []
        for key in self.stored_keys.intersection(keys):
            block, session = self.run.block(key), self.run.session_of(key)
            written, salt = self.run.block_rows(key), session.salt if session else ""
            if not checker.check_block(block, written, salt, with_digest=False).wrong:
                continue
            forged.append(key)
            self.progress.blocks -= 1
            self.progress.games -= len(block.results)
            self.progress.new_games -= len(block.results)
            for result in block.results:
                for seat, faults in enumerate(result.faults):
                    self.progress.faults[block.bots[result.seating[seat]]] -= faults
            seatings = tuple(result.seating for result in block.results)
            planned = PlannedBlock(key, block.number, block.seed, seatings)
            table = tuple(numbers[name] for name in block.bots)
            chunk = Chunk(Cell(block.variant, block.seats), table, (planned,))
            self.retry_queue.append(ChunkTask(next(self.task_numbers), chunk))
        if forged:
            self.run.remove(forged)
            self.stored_keys.difference_update(forged)
            self.progress.repeated_chunks += len(forged)
            LOG.warning("%d stored blocks did not replay and are played again", len(forged))
