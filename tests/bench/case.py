"""A case of the referee benchmark in a process of its own, which plays a slice when it is told.

    python -m tests.bench.case CORE referee|sandboxed|naive PROGRAM ARGUMENT...

Each line it reads is a number of games; it plays them and prints what they cost.
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

from msgspec.json import encode

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.resource_usage import cpu_clock_id, read_clock
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.games.catalog import variant
from arena.referee.live_game import Deal
from arena.referee.referee import Referee
from tests.bench.cost import Cost
from tests.bench.naive import Naive

SEATS = 4
GAME = variant("sticheln").game(SEATS)
PAUSE = 0.001


class Case(Protocol):
    """Something that plays games with bots."""

    def play(self, games: int) -> None:
        """Go on until so many more games are over."""

    def decisions(self) -> int:
        """How many choices were made so far."""

    def pids(self) -> Sequence[int]:
        """The processes of the bots."""


class WithReferee:
    """The referee, everything in force."""

    def __init__(self, bots: Sequence[Bot], launcher: Launcher) -> None:
        self.referee = Referee(GAME, bots, launcher)
        self.playing = self.referee.play(Deal(seed) for seed in count())

    def play(self, games: int) -> None:
        for _ in range(games):
            if next(self.playing).record.faults:
                raise RuntimeError("a bot of the benchmark is at fault")

    def decisions(self) -> int:
        return sum(
            connection.last_id - len(connection.open_questions)
            for connection in self.referee.connections
        )

    def pids(self) -> Sequence[int]:
        return [
            connection.process.pid for connection in self.referee.connections if connection.process
        ]


class WithNaive:
    """The naive harness."""

    def __init__(self, bots: Sequence[Bot]) -> None:
        self.naive = Naive(GAME, list(bots))
        self.seeds = count()

    def play(self, games: int) -> None:
        for _ in range(games):
            self.naive.play(next(self.seeds))

    def decisions(self) -> int:
        return self.naive.asked

    def pids(self) -> Sequence[int]:
        return [program.process.pid for program in self.naive.programs]


def four(argv: Sequence[str]) -> list[Bot]:
    """The same bot in every seat."""
    return [bot_of(argv)] * SEATS


def bot_of(argv: Sequence[str]) -> Bot:
    """The bot that a command line runs: the last file that it names."""
    file = Path([word for word in argv if "/" in word][-1])
    return Bot(file.stem, "", tuple(argv), file.parent, script=file)


@contextmanager
def opened(kind: str, argv: Sequence[str]) -> Iterator[Case]:
    """A case, its bots running."""
    with ExitStack() as stack:
        if kind == "naive":
            naive = WithNaive(four(argv))
            stack.callback(naive.naive.close)
            yield naive
        else:
            level = SandboxLevel.STANDARD if kind == "sandboxed" else SandboxLevel.NONE
            launcher = stack.enter_context(Launcher(select_sandbox(level, ResourceLimits())))
            refereed = WithReferee(four(argv), launcher)
            stack.callback(refereed.playing.close)
            yield refereed


def spent(pids: Sequence[int]) -> int:
    """Nanoseconds of CPU time these processes have used, once they have nothing left to do."""
    before = -1
    while (now := sum(read_clock(cpu_clock_id(pid)) or 0 for pid in pids)) != before:
        before = now
        time.sleep(PAUSE)
    return now


def slice_of(case: Case, games: int) -> Cost:
    """What the next games cost; bots finish what they were asked, and it counts as well."""
    pids = case.pids()
    decisions, bots = case.decisions(), spent(pids)
    harness, wall = time.process_time_ns(), time.monotonic_ns()
    case.play(games)
    wall, harness = time.monotonic_ns() - wall, time.process_time_ns() - harness
    done = sum(read_clock(cpu_clock_id(pid)) or 0 for pid in pids)
    rest = spent(pids) - done
    return Cost(case.decisions() - decisions, wall + rest, harness, done + rest - bots)


def main() -> None:
    core, kind, *argv = sys.argv[1:]
    os.sched_setaffinity(0, {int(core)})
    with opened(kind, argv) as case:
        case.play(1)
        for line in sys.stdin:
            sys.stdout.buffer.write(encode(slice_of(case, int(line))) + b"\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
