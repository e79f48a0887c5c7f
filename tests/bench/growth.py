"""Whether a decision costs more the more games are played in one go."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from arena.bots.launcher import Launcher
from arena.referee.live_game import Deal
from arena.referee.referee import Referee
from tests.bench.case import GAME, four, spent
from tests.bench.cost import Cost, own, total
from tests.bench.programs import Programs
from tests.bench.sheet import sheet

GAMES = (1, 10, 100, 1_000, 10_000)
LEAST = 1_000
"""Fewer games are played again, as often as it takes to have played so many, but not endlessly."""

REPEATS = 20


def played(games: int, argv: list[str]) -> Cost:
    """What so many games cost, from the first deal, when all bots are ready, to the last result."""
    with Launcher() as launcher:
        referee = Referee(GAME, four(argv), launcher)
        pids: list[int] = []
        begin: list[int] = []

        def deals() -> Iterator[Deal]:
            pids.extend(
                connection.process.pid for connection in referee.connections if connection.process
            )
            begin.extend((spent(pids), time.process_time_ns(), time.monotonic_ns()))
            yield from map(Deal, range(games))

        decisions = 0
        for done, game in enumerate(referee.play(deals()), 1):
            decisions += len(game.record.choices)
            if done == games:
                wall, harness, bots = time.monotonic_ns(), time.process_time_ns(), spent(pids)
        return Cost(decisions, wall - begin[2], harness - begin[1], bots - begin[0])


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    console = Console()
    table = sheet("games in one go: C bots, at most 64 at once", "µs, referee", "µs, all")
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(Path(folder))
        if not programs.compiler:
            console.print("There is no C compiler (cc): growth is left out.")
            return
        argv = programs.c_bot(64)
        for games in GAMES:
            costs = [played(games, argv) for _ in range(min(REPEATS, max(1, LEAST // games)))]
            table.add_row(f"{games:,}", f"{own(costs):.1f}", f"{total(costs):.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
