"""A run verified: its file, its deals, and every game in it, on all cores."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct

from arena.errors import ArenaError
from arena.ratings import fairness
from arena.ratings.fairness import Fairness
from arena.ratings.results import Cell
from arena.store.listing import DIGITS
from arena.store.run import Run
from arena.tournaments.proof import Checker, Wrong

AT_ONCE = 16
"""Blocks that a process is given together."""

WORTH = 8
"""Such portions for each process, below which another process does not pay."""


class Verified(Struct, frozen=True):
    """What became of a run's games."""

    blocks: int
    games: int
    commitment: str
    run: tuple[str, ...]
    """What is wrong with the run as a whole or its file."""
    wrong: tuple[Wrong, ...]
    """What is wrong with its blocks and games."""
    aside: int
    """Blocks that came out otherwise when they were played again, which is noted in the run."""
    fairness: tuple[Fairness, ...]
    """Of what was played, cell by cell."""

    @property
    def right(self) -> bool:
        """Whether everything is as it is written down."""
        return not self.run and not self.wrong


@dataclass(frozen=True)
class Report:
    """What was found in a block."""

    cell: Cell
    table: tuple[int, ...]
    """Who sits there, as numbers among the run's bots."""
    seatings: tuple[tuple[int, ...], ...]
    wrong: tuple[Wrong, ...]


Tick = Callable[[int, int], None]
"""Is told how many blocks are done, of how many."""


def verify(folder: Path, tick: Tick, workers: int | None = None) -> Verified:
    """Verify a run; what is played while this goes on is left for the next time."""
    with Run.open(folder) as run:
        checker = Checker(run.header)
        found = [*run.findings(), *checker.run()]
        keys = list(run.sorted_keys())
        aside = len({one.key for one in run.asides()})
        portions = [keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)]
        tally = Tally(tick, len(keys))
        processes = min(workers or len(os.sched_getaffinity(0)), len(portions) // WORTH)
        if processes > 1:
            with get_context("spawn").Pool(processes, stand_back) as pool:
                tally.count(pool.imap(partial(look_in, folder), portions))
        else:
            tally.count(map(partial(look, run, checker), portions))
        return Verified(
            blocks=len(keys),
            games=tally.games,
            commitment=run.header.commitment,
            run=tuple(found),
            wrong=tuple(tally.wrong),
            aside=aside,
            fairness=tuple(tally.fairness(len(run.header.bots))),
        )


class Tally:
    """What comes together of the reports."""

    def __init__(self, tick: Tick, blocks: int) -> None:
        self.tick = tick
        self.blocks = blocks
        self.games = 0
        self.wrong: list[Wrong] = []
        self.alike: Counter[tuple[Cell, tuple[int, ...], tuple[tuple[int, ...], ...]]] = Counter()
        """How often the same table has played in the same seatings."""

    def count(self, reports: Iterable[list[Report | Wrong]]) -> None:
        """Count reports as they come."""
        done = 0
        for some in reports:
            for report in some:
                if isinstance(report, Wrong):
                    self.wrong.append(report)
                    continue
                self.games += len(report.seatings)
                self.wrong += report.wrong
                self.alike[report.cell, report.table, report.seatings] += 1
            done += len(some)
            self.tick(done, self.blocks)

    def fairness(self, bots: int) -> list[Fairness]:
        """How fair it is, cell by cell."""
        tallies = dict[Cell, fairness.Tally]()
        for (cell, table, seatings), times in sorted(self.alike.items()):
            if cell not in tallies:
                tallies[cell] = fairness.Tally(cell, bots)
            tallies[cell].add(table, seatings, times)
        return [tally.fairness() for tally in tallies.values()]


def look(run: Run, checker: Checker, keys: Sequence[bytes]) -> list[Report | Wrong]:
    """Look at some blocks of a run."""
    numbers = {bot.name: number for number, bot in enumerate(run.header.bots)}
    found: list[Report | Wrong] = []
    for key in keys:
        try:
            block, session = run.block(key), run.session_of(key)
            salt = session.salt if session else ""
            places = list(range(len(block.bots)))
            found.append(
                Report(
                    cell=Cell(block.variant, block.seats),
                    table=tuple(numbers[name] for name in block.bots),
                    seatings=tuple(
                        one.seating for one in block.results if sorted(one.seating) == places
                    ),
                    wrong=tuple(checker.block(block, run.written(key), salt)),
                )
            )
        except ArenaError as error:  # what cannot be read is no reason not to read the rest
            found.append(Wrong(key.hex()[:DIGITS], str(error)))
    return found


def look_in(folder: Path, keys: Sequence[bytes]) -> list[Report | Wrong]:
    """The same in a process of its own."""
    return look(*opened(folder), keys)


@lru_cache(maxsize=1)
def opened(folder: Path) -> tuple[Run, Checker]:
    """A run that this process reads until it ends."""
    run = Run.open(folder)
    return run, Checker(run.header)


def stand_back() -> None:
    """Leave it to the process that began this one to be interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
