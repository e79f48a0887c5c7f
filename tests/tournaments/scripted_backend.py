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
from tests.tournaments.fake_tournaments import tournament

Strengths = Sequence[float]
SEED = "a seed that nobody knows"
NAMES = ("ducker", "first-legal", "highest", "last-legal", "lowest", "random")
BOTS = tuple(load_bot(Path(name)) for name in NAMES)


def small(**other: object) -> Tournament:
    """A small tournament of bots that are there, but are not asked."""
    made = tournament(**{"bots": BOTS, **other})
    return replace(made, paths=tuple(bot.name for bot in made.bots))


def opened(folder: Path, made: Tournament) -> Run:
    """Its run, begun or gone on with."""
    return resume.open_run(made.with_seed(SEED), folder).run


def blocks(task: ChunkTask, bots: Sequence[Bot], strengths: Strengths) -> list[PlayedBlock]:
    """What a task comes to between bots of such strengths, with some chance in it."""
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


class Scripted:
    """Plays at once, some tasks at a time; what fails is up to a test."""

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
        self.given: list[ChunkTask] = []
        self.flying: deque[ChunkTask] = deque()

    def free_slots(self) -> int:
        return self.space - len(self.flying)

    def submit(self, task: ChunkTask) -> None:
        assert self.free_slots() > 0
        self.given.append(task)
        self.flying.append(task)

    def cancel_waiting(self) -> Iterable[int]:
        return ()

    def wait(self, seconds: float) -> Iterable[BackendEvent]:  # noqa: ARG002 (everything is there at once)
        if not self.flying:
            return
        task = self.flying.popleft()
        self.before(task)
        yield GamesFinished(task.number, 1)
        if bot := self.killed(task):
            yield TaskFailure(task.number, f"{bot} was killed", bot)
        elif why := self.fails(task):
            yield TaskFailure(task.number, why)
        else:
            yield TaskResult(task.number, blocks(task, self.bots, self.strengths))


def sit(
    folder: Path, made: Tournament, backend: Scripted, halt: StopRequest | None = None
) -> RunResult:
    """Play what is missing."""
    with opened(folder, made) as run:
        return TournamentSession(
            Plan(made, SEED), run, backend, halt or StopRequest(), lambda _: None
        ).play()


def kept(folder: Path) -> set[bytes]:
    """What is played by now."""
    with Run.open(folder) as run:
        return run.block_keys()


def planned(made: Tournament) -> set[bytes]:
    """What is to be played."""
    return {block.key for chunk in Plan(made, SEED).stage_chunks(0, {}) for block in chunk.blocks}
