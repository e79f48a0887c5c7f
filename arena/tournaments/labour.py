"""Labour: chunks are played by a backend, and tried again where something broke, until kept."""

import logging
import shlex
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count

from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.store.block import Block
from arena.store.excuses import Excuse
from arena.store.run import Run
from arena.tournaments.backend import Backend, Broken, Done, Failed, News, Task, Ticked
from arena.tournaments.block import Block as PlannedBlock
from arena.tournaments.block import Chunk
from arena.tournaments.check_results import find_mismatch
from arena.tournaments.config import Tournament
from arena.tournaments.excuses import Excuses
from arena.tournaments.halt import Halt
from arena.tournaments.proof import Checker
from arena.tournaments.sources import Sources

LOG = logging.getLogger(__name__)

TRIES = 4
"""How often a chunk is begun before it is left alone."""

LONGEST = 60.0
"""Seconds that a task should take at most, as little is lost then when somebody dies."""

TICK = 0.2
"""Seconds after which waiting ends, so that signals are heeded and progress is shown."""


@dataclass
class Progress:
    """How far a run is."""

    blocks: int = 0
    """Kept by now, those of earlier sittings too."""
    of_blocks: int = 0
    games: int = 0
    of_games: int = 0
    fresh: int = 0
    """Games played in this sitting."""
    begun: float = field(default_factory=time.monotonic)
    flying: dict[int, int] = field(default_factory=dict)
    """For each chunk that is being played, how many of its games are over."""
    faults: Counter[str] = field(default_factory=Counter)
    """In this sitting, by bot."""
    excuses: Counter[str] = field(default_factory=Counter)
    """In this sitting, by bot."""
    again: int = 0
    """Chunks that had to be played again."""
    stage: int = 0
    stages: int = 1
    stopping: bool = False

    @property
    def played(self) -> int:
        """Games that are over in this sitting, kept or not yet."""
        return self.fresh + sum(self.flying.values())

    @property
    def seconds(self) -> float:
        """Since this sitting began."""
        return time.monotonic() - self.begun

    @property
    def left(self) -> float | None:
        """Seconds until all is played, if it goes on like this."""
        missing = max(0, self.of_games - self.games - sum(self.flying.values()))
        return self.seconds / self.played * missing if self.played else None


Watch = Callable[[Progress], None]
"""Is shown how far it is, some times a second."""


def divided(chunk: Chunk, pace: float) -> list[Chunk]:
    """A chunk in as many pieces as it needs for each to be over in time, at so long a block."""
    blocks = chunk.blocks
    size = len(blocks) if not pace else max(1, min(len(blocks), int(LONGEST / pace)))
    even = -(-len(blocks) // -(-len(blocks) // size))
    return [
        replace(chunk, blocks=blocks[first : first + even]) for first in range(0, len(blocks), even)
    ]


class Labour:
    """Plays chunks that somebody hands out, and keeps what comes of them."""

    def __init__(  # noqa: PLR0913 (labour needs them all)
        self,
        tournament: Tournament,
        run: Run,
        backend: Backend,
        halt: Halt,
        watch: Watch,
        *,
        salt: str = "",
    ) -> None:
        self.tournament = tournament
        self.sources = Sources(tournament.bots, tournament.paths)
        self.run = run
        self.backend = backend
        self.halt = halt
        self.watch = watch
        self.done = run.done()
        self.numbers = count(1)
        self.flying: dict[int, Task] = {}
        self.again: deque[Task] = deque()
        self.pieces: deque[Chunk] = deque()
        """What comes next: a chunk, or what is left of one that would take too long."""
        self.paces: dict[Cell, float] = {}
        """Seconds that a block of each cell took, the last time."""
        self.fresh: list[Block] = []
        """What was played and is not kept yet."""
        self.tries: Counter[int] = Counter()
        self.excuses = Excuses(
            one for one in run.excuses() if (one.session.salt if one.session else "") == salt
        )
        """Those of all sessions with the same deals: of a run, or of a night."""
        self.parked: dict[int, str] = {}
        self.given_up: set[bytes] = set()
        """The blocks of chunks that could not be played."""
        self.progress = Progress(blocks=len(self.done), games=run.size())

    def play_all(self, chunks: Iterator[Chunk | None]) -> bool:
        """Play these; whether they are all over, and not interrupted.

        None in place of a chunk: there is none until something that is being played is over.
        """
        while True:
            idle = self.halt.soft or self.late
            while not idle:
                idle = not self.something_left(chunks)
                if idle or not self.backend.room():
                    break
                task = self.again.popleft() if self.again else self.following()
                used_up = self.excuses.used_up(self.seated(task), task.chunk)
                task = replace(task, paying=used_up)
                self.flying[task.number] = task
                self.progress.flying[task.number] = 0
                self.backend.give(task)
            self.progress.stopping = self.halt.soft
            self.watch(self.progress)
            if self.halt.hard:
                return False
            if self.halt.soft or self.late:
                self.recall()
            if idle and not self.flying:
                if self.late and not self.halt.soft:
                    return True
                return not self.something_left(chunks)
            self.take_all(self.backend.wait(TICK))

    @property
    def late(self) -> bool:
        """Whether time is over, so that nothing more is begun."""
        return False

    def recall(self) -> None:
        """Take back what nobody has begun."""
        for number in self.backend.recall():
            self.again.append(self.flying.pop(number))
            del self.progress.flying[number]

    def something_left(self, chunks: Iterator[Chunk | None]) -> bool:
        """Whether there is something that could be begun, without beginning it."""
        if not self.again and not self.pieces and (chunk := next(chunks, None)):
            self.pieces.append(chunk)
        return bool(self.again or self.pieces)

    def following(self) -> Task:
        """The next task: a chunk, or a piece of one that would take too long."""
        chunk = self.pieces.popleft()
        chunk, *pieces = divided(chunk, self.paces.get(chunk.cell, 0.0))
        self.pieces.extendleft(reversed(pieces))
        return Task(next(self.numbers), chunk)

    def seated(self, task: Task) -> list[str]:
        """Return the names of the bots at a task's table."""
        return [self.tournament.bots[number].name for number in task.chunk.table]

    def take_all(self, told: Iterable[News]) -> None:
        """Take what the backend has to say; what was played is kept in one go."""
        try:
            for news in told:
                self.take(news)
        finally:
            blocks, self.fresh = self.fresh, []
            if blocks:
                self.keep(blocks)

    def take(self, news: News) -> None:
        """Take one thing that the backend has to say."""
        if isinstance(news, Ticked):
            self.progress.flying[news.number] = news.games
            return
        task = self.flying.pop(news.number)
        del self.progress.flying[news.number]
        # What has changed may be why a chunk was not played.
        if changed := self.sources.changed(self.watched(task)):
            raise ArenaError(
                f"{changed} has changed while it was being played; what was played just now is "
                "dropped and all before is kept: put it back as it was, or play a new run with "
                "--out FOLDER"
            )
        if isinstance(news, Done):
            names = [self.tournament.bots[bot].name for bot in task.chunk.table]
            if why := find_mismatch(task.chunk, names, news.blocks):
                self.fail(task, Failed(news.number, f"a worker returned another chunk: {why}"))
                return
            self.paces[task.chunk.cell] = news.seconds / len(news.blocks)
            self.fresh += news.blocks
        elif isinstance(news, Broken):
            raise self.broken(news)
        else:
            self.fail(task, news)

    def watched(self, task: Task) -> Iterable[int]:  # noqa: ARG002 (who overrides it needs it)
        """The bots whose files are looked at after a task: all, so that a run stops at once."""
        return range(len(self.tournament.bots))

    def keep(self, blocks: list[Block]) -> None:
        """Put blocks into the store; they are safe when this returns."""
        self.run.add(blocks)
        self.done.update(block.key for block in blocks)
        games = sum(len(block.results) for block in blocks)
        self.progress.blocks += len(blocks)
        self.progress.games += games
        self.progress.fresh += games
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

    def broken(self, news: Broken) -> ArenaError:
        """What to say where a fault stops everything."""
        record, fault, tournament = news.record, news.fault, self.tournament
        paths = [tournament.paths[tournament.number(bot.name)] for bot in record.bots]
        command = ["arena", "play", record.variant, *paths, "--seed", str(record.seed), "--strict"]
        command += tournament.terms.sandbox.options
        return ArenaError(
            f"{record.bots[fault.seat].name} is at fault ({fault.fault}: {fault.text}), and with "
            f"'faults: strict' nothing more is played; see it with: {shlex.join(command)}"
        )

    def fail(self, task: Task, news: Failed) -> None:
        """A chunk was not played: begin it again, unless that was tried often enough.

        A bot that the machine has killed is excused until its excuses are used up; after that each
        kill counts as a failed try of the chunk. No bot is charged for workers that die.
        """
        cell, text = task.chunk.cell, news.text
        if news.doubted:
            self.replay(news.doubted)
        if news.killed in self.seated(task) and news.killed not in task.paying:
            self.excuse(task, news.killed, text)
        else:
            self.tries[task.number] += news.counts
        if news.hopeless or self.tries[task.number] == TRIES:
            LOG.error("%s; a chunk of %s is given up", text, cell)
            self.parked[task.number] = f"a chunk of {cell}: {text}"
            self.given_up.update(block.key for block in task.chunk.blocks)
            return
        LOG.warning("%s; a chunk of %s is played again", text, cell)
        self.progress.again += 1
        self.again.append(task)

    def excuse(self, task: Task, bot: str, text: str) -> None:
        """Count an excuse of a bot and keep it, so that the limit holds across sessions."""
        self.excuses.add(bot, task.chunk)
        self.progress.excuses[bot] += 1
        cell = task.chunk.cell
        self.run.excuse(
            Excuse(
                bot=bot,
                variant=cell.variant,
                seats=cell.seats,
                chunk=task.chunk.blocks[0].key,
                text=text,
                at=datetime.now(UTC).isoformat(),
            )
        )

    def replay(self, keys: Iterable[bytes]) -> None:
        """Replay stored blocks of a worker that is not trusted any more; play forged ones again."""
        fresh, self.fresh = self.fresh, []
        self.keep(fresh)  # some of them may be meant
        checker = Checker(self.run.header)
        numbers = {bot.name: number for number, bot in enumerate(self.tournament.bots)}
        forged: list[bytes] = []
        for key in self.done.intersection(keys):
            block, session = self.run.block(key), self.run.session_of(key)
            written, salt = self.run.written(key), session.salt if session else ""
            if not checker.check(block, written, salt, hashed=False).wrong:
                continue
            forged.append(key)
            self.progress.blocks -= 1
            self.progress.games -= len(block.results)
            self.progress.fresh -= len(block.results)
            for result in block.results:
                for seat, faults in enumerate(result.faults):
                    self.progress.faults[block.bots[result.seating[seat]]] -= faults
            seatings = tuple(result.seating for result in block.results)
            planned = PlannedBlock(key, block.number, block.seed, seatings)
            table = tuple(numbers[name] for name in block.bots)
            chunk = Chunk(Cell(block.variant, block.seats), table, (planned,))
            self.again.append(Task(next(self.numbers), chunk))
        if forged:
            self.run.remove(forged)
            self.done.difference_update(forged)
            self.progress.again += len(forged)
            LOG.warning("%d stored blocks did not replay and are played again", len(forged))
