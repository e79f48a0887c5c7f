"""A backend that answers from a script, with games whose scores are known beforehand."""

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.bot import Bot, load_bot
from arena.store.block import GameResult, PlayedBlock, pack_games
from arena.store.run import Run
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play import resume
from arena.tournaments.play.backend import (
    BackendEvent,
    ChunkTask,
    GamesFinished,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.run import RunResult, TournamentSession
from arena.tournaments.play.signals import StopRequest
from tests.tournaments.fake_tournaments import fake_tournament

Strengths = Sequence[float]
SEED = "a seed that nobody knows"
NAMES = ("ducker", "first-legal", "highest", "last-legal", "lowest", "random")
BOTS = tuple(load_bot(Path(name)) for name in NAMES)


def small_tournament(**other: object) -> Tournament:
    """Return a small tournament of existing bots that are not run."""
    made = fake_tournament(**{"bots": BOTS, **other})
    return replace(made, paths=tuple(bot.name for bot in made.bots))


def open_run(folder: Path, made: Tournament) -> Run:
    """Create or resume the run of a tournament."""
    return resume.open_run(made.with_seed(SEED), folder).run


def play_task(task: ChunkTask, bots: Sequence[Bot], strengths: Strengths) -> list[PlayedBlock]:
    """Return random results of a task between bots of these strengths."""
    chunk = task.chunk
    found = []
    for block in chunk.blocks:
        chance = random.Random(block.seed)
        results = []
        for seating in block.seatings:
            scores = [
                round(strengths[chunk.table[place]] + chance.gauss(0, 10)) for place in seating
            ]
            ranks = tuple(1 + sum(other > own for other in scores) for own in scores)
            nothing = (0,) * len(scores)
            asked = (75,) * len(scores)
            results.append(
                GameResult(
                    tuple(seating), tuple(scores), ranks, tuple(scores), nothing, asked, nothing
                )
            )
        found.append(
            PlayedBlock(
                key=block.key,
                variant=chunk.cell.variant,
                seats=chunk.cell.seats,
                number=block.number,
                seed=block.seed,
                bots=tuple(bots[number].name for number in chunk.table),
                results=tuple(results),
                packed_games=pack_games(()),
            )
        )
    return found


class ScriptedBackend:
    """A backend that returns results immediately; a test decides which tasks fail."""

    def __init__(
        self,
        bots: Sequence[Bot],
        strengths: Strengths,
        *,
        room: int = 2,
        fails: Callable[[ChunkTask], str | None] = lambda _task: None,
        killed: Callable[[ChunkTask], str | None] = lambda _task: None,
        before: Callable[[ChunkTask], None] = lambda _task: None,
    ) -> None:
        self.bots = bots
        self.strengths = strengths
        self.space = room
        self.fails = fails
        self.killed = killed
        self.before = before
        self.submitted: list[ChunkTask] = []
        self.in_flight: deque[ChunkTask] = deque()

    def free_slots(self) -> int:
        return self.space - len(self.in_flight)

    def submit(self, task: ChunkTask) -> None:
        assert self.free_slots() > 0
        self.submitted.append(task)
        self.in_flight.append(task)

    def cancel_waiting(self) -> Iterable[int]:
        return ()

    def wait(self, seconds: float) -> Iterable[BackendEvent]:  # noqa: ARG002 (everything is there at once)
        if not self.in_flight:
            return
        task = self.in_flight.popleft()
        self.before(task)
        yield GamesFinished(task.number, 1)
        if bot := self.killed(task):
            yield TaskFailure(task.number, f"{bot} was killed", bot)
        elif why := self.fails(task):
            yield TaskFailure(task.number, why)
        else:
            yield TaskResult(task.number, play_task(task, self.bots, self.strengths))


def play_session(
    folder: Path, made: Tournament, backend: ScriptedBackend, halt: StopRequest | None = None
) -> RunResult:
    """Play the missing blocks of a tournament."""
    with open_run(folder, made) as run:
        return TournamentSession(
            Plan(made, SEED), run, backend, halt or StopRequest(), lambda _: None
        ).play()


def stored_keys(folder: Path) -> set[bytes]:
    """Return the keys of the stored blocks."""
    with Run.open(folder) as run:
        return run.block_keys()


def planned_keys(made: Tournament) -> set[bytes]:
    """Return the keys of the planned blocks."""
    return {block.key for chunk in Plan(made, SEED).stage_chunks(0, {}) for block in chunk.blocks}
