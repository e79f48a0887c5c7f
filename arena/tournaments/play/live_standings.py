"""Compute the current standings of a run in a separate, low-priority process."""

import os
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.errors import ArenaError
from arena.ratings.standings import Standings, assemble
from arena.store.run import Run
from arena.tournaments.play.local import SPAWN_CONTEXT, start_process
from arena.tournaments.play.worker import bind_to_parent

MIN_PAUSE = 2.0
"""Seconds between two looks at least."""

PAUSE_FACTOR = 20
"""It rests as many times as long as a look takes, so that the games hardly notice it."""

NICENESS = 10
"""How much it stands back behind the workers, as `nice` counts."""


class LiveStandings:
    """Looks at a run in a process of its own, since that may take longer than a worker can wait."""

    def __init__(self, folder: Path) -> None:
        self.pipe, theirs = SPAWN_CONTEXT.Pipe(duplex=False)
        self.latest: Standings | None = None
        self.process = SPAWN_CONTEXT.Process(
            target=publish_standings, args=(folder, theirs), name="observer", daemon=True
        )
        start_process(self.process)
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def standings(self) -> Standings | None:
        """How the run stood when it was last looked at."""
        with suppress(EOFError, OSError):  # it is gone; what it saw last is still worth showing
            while self.pipe.poll():
                self.latest = self.pipe.recv()
        return self.latest


def publish_standings(folder: Path, pipe: Connection) -> None:
    """Look at a run again and again."""
    bind_to_parent()
    os.nice(NICENESS)
    while True:
        begun = time.monotonic()
        with suppress(ArenaError):  # what cannot be read just now can be at the next look
            pipe.send(load_standings(folder))
        took = time.monotonic() - begun
        time.sleep(max(MIN_PAUSE, PAUSE_FACTOR * took))


def load_standings(folder: Path) -> Standings:
    """How a run stands at this moment."""
    with Run.open(folder) as run:
        return assemble(run.roster(), {cell: run.results(cell) for cell in run.cells()})
