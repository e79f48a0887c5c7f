"""The standings of a run: computed once, or again and again in a low-priority process."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ratings.bootstrap import audit_intervals
from arena.ratings.breakdowns import cell_bias, cell_spread
from arena.ratings.cell import Cell
from arena.ratings.standings import Grouping, Standings, build_standings
from arena.store.run import Run
from arena.tournaments.play.local_backend import SPAWN_CONTEXT, start_process
from arena.tournaments.play.worker import bind_to_parent

MIN_PAUSE = 2.0
"""Seconds between two computations at least."""

PAUSE_FACTOR = 20
"""The pause is so many times as long as the computation, so that the games hardly notice it."""

NICENESS = 10
"""By how much its priority is lower than that of the workers, as `nice` counts."""


def load_standings(folder: Path) -> Standings:
    """The standings of a run as it is stored at this moment."""
    with Run.open(folder) as run:
        return run_standings(run)


def run_standings(  # noqa: PLR0913 (each is a choice of the caller)
    run: Run,
    cells: Sequence[Cell] | None = None,
    *,
    by: Grouping = "cell",
    times: bool = False,
    audit: bool = False,
    bias: bool = False,
    spread: bool = False,
) -> Standings:
    """The standings of an open run in all its cells or in some, with the sections asked for."""
    roster = run.roster()
    results = {cell: run.results(cell) for cell in (run.cells() if cells is None else cells)}
    standings = build_standings(roster, results, by=by, times=times)
    if audit:
        audits = tuple(
            audit_intervals(each, len(roster.bots), roster.standing) for each in results.values()
        )
        standings = replace(standings, audit=audits)
    seatings = [run.seatings(cell) for cell in results] if bias or spread else []
    if bias:
        standings = replace(standings, bias=tuple(cell_bias(roster, each) for each in seatings))
    if spread:
        order = [line.bot for line in standings.overall.lines]
        spreads = tuple(cell_spread(roster, each, order) for each in seatings)
        standings = replace(standings, spread=spreads)
    return standings


class LiveStandings:
    """The standings of a run that is being played, computed in a process of their own.

    The process that plays could not wait as long as that takes.
    """

    def __init__(self, folder: Path) -> None:
        self.pipe, child_end = SPAWN_CONTEXT.Pipe(duplex=False)
        self.latest: Standings | None = None
        self.process = SPAWN_CONTEXT.Process(
            target=publish_standings, args=(folder, child_end), name="observer", daemon=True
        )
        start_process(self.process)
        child_end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def standings(self) -> Standings | None:
        """The last standings that were computed; None before the first."""
        with suppress(EOFError, OSError):  # the process is gone; show its last standings
            while self.pipe.poll():
                self.latest = self.pipe.recv()
        return self.latest


def publish_standings(folder: Path, pipe: Connection) -> None:
    """Send the standings of a run through a pipe, again and again."""
    bind_to_parent()
    os.nice(NICENESS)
    while True:
        start = time.monotonic()
        with suppress(ArenaError):  # what cannot be read now may be readable next time
            pipe.send(load_standings(folder))
        seconds = time.monotonic() - start
        time.sleep(max(MIN_PAUSE, PAUSE_FACTOR * seconds))
