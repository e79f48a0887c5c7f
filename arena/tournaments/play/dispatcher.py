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
from arena.tournaments.play.excuse_counter import ExcuseCounter
from arena.tournaments.play.signals import StopRequest

LOG = logging.getLogger(__name__)

MAX_TRIES = 4
"""How often a chunk is tried."""

MAX_TASK_SECONDS = 60.0
"""How long a task of several blocks should take, so that little is lost when a worker dies."""

WAIT_SECONDS = 0.2
"""Seconds after which waiting ends, to look at stop requests and to report progress."""

Fingerprint = tuple[tuple[str, int, int, int], ...]
"""Name, size, time of the last change and inode of each file, which are read faster than a hash."""


class BotFiles:
    """The files of bots, checked for changes while the bots play."""

    def __init__(self, bots: Sequence[Bot], paths: Sequence[str]) -> None:
        builtin = builtin_bots()
        self.bot_paths = [
            (bot, Path(path) if Path(path).exists() else builtin.get(path, Path(path)))
            for bot, path in zip(bots, paths, strict=True)
        ]
        self.fingerprints: dict[Path, Fingerprint] = {}

    def find_changed(self, numbers: Iterable[int]) -> str | None:
        """The name of a bot among these whose files have changed, if there is one."""
        for bot, path in map(self.bot_paths.__getitem__, numbers):
            try:
                current = fingerprint(path, bot.ignored)
                if self.fingerprints.get(path) == current:
                    continue
                if bot_digest(path, bot.ignored) != bot.digest:
                    return bot.name
            except (OSError, ArenaError):
                return bot.name
            self.fingerprints[path] = current
        return None


def fingerprint(path: Path, ignored: Collection[str]) -> Fingerprint:
    """The fingerprint of a script, or of the files in a folder."""
    files = bot_files(path, ignored) if path.is_dir() else [path]
    return tuple((str(file), *file_stamp(file.lstat())) for file in files)


def file_stamp(status: os.stat_result) -> tuple[int, int, int]:
    """What changes when a file does: its size, time of the last change and inode."""
    return status.st_size, status.st_mtime_ns, status.st_ino


@dataclass
class Progress:
    """How much of a run is played."""

    blocks: int = 0
    """Stored by now, including those of earlier sessions."""
    total_blocks: int = 0
    games: int = 0
    total_games: int = 0
    new_games: int = 0
    """Games stored in this session."""
    started: float = field(default_factory=time.monotonic)
    games_in_flight: dict[int, int] = field(default_factory=dict)
    """For each task that is being played, how many of its games are finished."""
    faults: Counter[str] = field(default_factory=Counter)
    """In this session, by bot."""
    excuses: Counter[str] = field(default_factory=Counter)
    """In this session, by bot."""
    repeated_chunks: int = 0
    """Chunks that have to be played again."""
    stage: int = 0
    stages: int = 1
    is_stopping: bool = False

    @property
    def played_games(self) -> int:
        """Games that were finished in this session, stored or not yet."""
        return self.new_games + sum(self.games_in_flight.values())

    @property
    def seconds(self) -> float:
        """Seconds since this session began."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """Seconds until all is played, at the rate of this session."""
        missing = max(0, self.total_games - self.games - sum(self.games_in_flight.values()))
        return self.seconds / self.played_games * missing if self.played_games else None


ProgressCallback = Callable[[Progress], None]
"""Is called with the progress several times a second."""


def split_chunk(chunk: Chunk, block_seconds: float) -> list[Chunk]:
    """Split a chunk so that no part takes too long, if a block takes so many seconds."""
    blocks = chunk.blocks
    most = int(MAX_TASK_SECONDS / block_seconds) if block_seconds else len(blocks)
    parts = -(-len(blocks) // max(1, min(len(blocks), most)))
    size = -(-len(blocks) // parts)
    return [
        replace(chunk, blocks=blocks[first : first + size]) for first in range(0, len(blocks), size)
    ]


def check_result(
    task: ChunkTask, names: Sequence[str], result: TaskResult
) -> TaskResult | TaskFailure:
    """The result of a task, or a failure if its blocks are not those of the chunk."""
    if mismatch := find_mismatch(task.chunk, names, result.blocks):
        return TaskFailure(result.number, f"a worker returned another chunk: {mismatch}")
    return result


class ChunkDispatcher:
    """Plays chunks on a backend and stores their blocks."""

    def __init__(  # noqa: PLR0913 (it needs them all)
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
        """The next chunk, or the remaining parts of one that was split."""
        self.block_seconds: dict[Cell, float] = {}
        """Seconds that a block of each cell took in its last task."""
        self.unsaved_blocks: list[PlayedBlock] = []
        """Blocks that were played and are not stored yet."""
        self.tries: Counter[int] = Counter()
        self.excuses = ExcuseCounter(
            excuse
            for excuse in run.excuses()
            if (excuse.session.salt if excuse.session else "") == salt
        )
        """Of all sessions with the same deals: those of a run, or of a night."""
        self.failed_chunks: dict[int, str] = {}
        self.failed_blocks: set[bytes] = set()
        """The keys of blocks in chunks that could not be played."""
        self.progress = Progress(blocks=len(self.stored_keys), games=run.game_count())

    def play_all(self, chunks: Iterator[Chunk | None]) -> bool:
        """Play chunks; return whether all were played or failed, none interrupted.

        None in place of a chunk means that the next one depends on a task in flight.
        """
        while True:
            is_idle = self.stop_request.is_requested or self.is_time_over
            while not is_idle:
                is_idle = not self.has_next_task(chunks)
                if is_idle or not self.backend.free_slots():
                    break
                self.submit(self.retry_queue.popleft() if self.retry_queue else self.next_task())
            self.progress.is_stopping = self.stop_request.is_requested
            self.on_progress(self.progress)
            if self.stop_request.is_forced:
                return False
            if self.stop_request.is_requested or self.is_time_over:
                self.cancel_waiting()
            if is_idle and not self.in_flight:
                if self.is_time_over and not self.stop_request.is_requested:
                    return True
                return not self.has_next_task(chunks)
            self.handle_events(self.backend.wait(WAIT_SECONDS))

    @property
    def is_time_over(self) -> bool:
        """Whether the time to play is over, so that no further task is begun."""
        return False

    def submit(self, task: ChunkTask) -> None:
        """Submit a task, with the bots whose excuses for it are used up."""
        used_up = self.excuses.bots_without_excuses(self.bots_at_table(task), task.chunk)
        task = replace(task, bots_without_excuses=used_up)
        self.in_flight[task.number] = task
        self.progress.games_in_flight[task.number] = 0
        self.backend.submit(task)

    def cancel_waiting(self) -> None:
        """Take back the tasks that no worker has begun."""
        for number in self.backend.cancel_waiting():
            self.retry_queue.append(self.in_flight.pop(number))
            del self.progress.games_in_flight[number]

    def has_next_task(self, chunks: Iterator[Chunk | None]) -> bool:
        """Whether a task could be begun; reads one chunk ahead."""
        if not self.retry_queue and not self.pending_chunks and (chunk := next(chunks, None)):
            self.pending_chunks.append(chunk)
        return bool(self.retry_queue or self.pending_chunks)

    def next_task(self) -> ChunkTask:
        """The next task: a chunk, or a part of one that would take too long."""
        chunk = self.pending_chunks.popleft()
        first, *rest = split_chunk(chunk, self.block_seconds.get(chunk.cell, 0.0))
        self.pending_chunks.extendleft(reversed(rest))
        return ChunkTask(next(self.task_numbers), first)

    def bots_at_table(self, task: ChunkTask) -> list[str]:
        """The names of the bots at a task's table."""
        return [self.tournament.bots[number].name for number in task.chunk.table]

    def handle_events(self, events: Iterable[BackendEvent]) -> None:
        """Handle events of the backend, and store all their blocks in one transaction."""
        try:
            for event in events:
                self.handle_event(event)
        finally:
            blocks, self.unsaved_blocks = self.unsaved_blocks, []
            if blocks:
                self.store_blocks(blocks)

    def handle_event(self, event: BackendEvent) -> None:
        """Handle one event of the backend."""
        if isinstance(event, GamesFinished):
            self.progress.games_in_flight[event.number] = event.games
            return
        task = self.in_flight.pop(event.number)
        del self.progress.games_in_flight[event.number]
        # Checked also for failed tasks: the change may be the reason.
        if changed := self.bot_files.find_changed(self.bots_to_check(task)):
            raise ArenaError(
                f"{changed} has changed while it was being played; what was played just now is "
                "dropped and all before is kept: put it back as it was, or play a new run with "
                "--out FOLDER"
            )
        if isinstance(event, StrictFault):
            raise self.strict_fault_error(event)
        if isinstance(event, TaskResult):
            event = check_result(task, self.bots_at_table(task), event)
        if isinstance(event, TaskFailure):
            self.handle_failure(task, event)
            return
        self.block_seconds[task.chunk.cell] = event.seconds / len(event.blocks)
        self.unsaved_blocks += event.blocks

    def bots_to_check(self, task: ChunkTask) -> Iterable[int]:  # noqa: ARG002 (overrides need it)
        """The bots whose files are checked after a task: all, so that a run stops at once."""
        return range(len(self.tournament.bots))

    def store_blocks(self, blocks: list[PlayedBlock]) -> None:
        """Store blocks; when this returns they are committed."""
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
        """Count a bot's faults; log a warning for the first one."""
        if not self.progress.faults[bot]:
            folder = shlex.quote(str(self.run.folder))
            LOG.warning("%s was at fault: see arena games %s --fault", bot, folder)
        self.progress.faults[bot] += faults

    def strict_fault_error(self, event: StrictFault) -> ArenaError:
        """The error that ends a tournament which stops at the first fault."""
        record, fault, tournament = event.record, event.fault, self.tournament
        paths = [tournament.paths[tournament.bot_number(bot.name)] for bot in record.bots]
        command = ["arena", "play", record.variant, *paths, "--seed", str(record.seed), "--strict"]
        command += tournament.referee_config.sandbox.options
        return ArenaError(
            f"{record.bots[fault.seat].name} is at fault ({fault.fault}: {fault.text}), and with "
            f"'faults: strict' nothing more is played; see it with: {shlex.join(command)}"
        )

    def handle_failure(self, task: ChunkTask, failure: TaskFailure) -> None:
        """Try a failed task again, or give it up after the last try.

        A bot that the machine has killed is excused until its excuses are used up; after that each
        kill counts as a failed try of the chunk. No bot is charged for workers that die.
        """
        cell, text = task.chunk.cell, failure.text
        if failure.suspect_blocks:
            self.recheck_blocks(failure.suspect_blocks)
        if failure.killed_bot in set(self.bots_at_table(task)) - task.bots_without_excuses:
            self.record_excuse(task, failure.killed_bot, text)
        else:
            self.tries[task.number] += failure.counts_as_try
        if failure.is_hopeless or self.tries[task.number] == MAX_TRIES:
            LOG.error("%s; a chunk of %s is not tried again", text, cell)
            self.failed_chunks[task.number] = f"a chunk of {cell}: {text}"
            self.failed_blocks.update(block.key for block in task.chunk.blocks)
            return
        LOG.warning("%s; a chunk of %s is retried", text, cell)
        self.progress.repeated_chunks += 1
        self.retry_queue.append(task)

    def record_excuse(self, task: ChunkTask, bot: str, text: str) -> None:
        """Count an excuse of a bot and store it, so that the limit holds across sessions."""
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
        """Replay stored blocks of a worker that is no longer trusted; play forged ones again."""
        blocks, self.unsaved_blocks = self.unsaved_blocks, []
        self.store_blocks(blocks)  # some of them may be among those to check
        checker = RunChecker(self.run.header)
        numbers = {bot.name: number for number, bot in enumerate(self.tournament.bots)}
        forged: list[bytes] = []
        for key in self.stored_keys.intersection(keys):
            block, session = self.run.block(key), self.run.session_of(key)
            rows, salt = self.run.block_rows(key), session.salt if session else ""
            if not checker.check_block(block, rows, salt, with_digest=False).wrong:
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
            LOG.warning("%d stored blocks differ from their replay and are deleted", len(forged))
