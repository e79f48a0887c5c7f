"""A run verified: its file, its deals, and every game in it, on all cores."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.match.record import Record
from arena.ratings import fairness
from arena.ratings.cell import Cell
from arena.ratings.fairness import Fairness
from arena.store.block import GONE
from arena.store.hashes import DIGEST, divided, record_digest
from arena.store.listing import DIGITS, game_id
from arena.store.run import Run
from arena.tournaments.expected import Coverage, Expected, Seen
from arena.tournaments.proof import Checker, Wrong

AT_ONCE = 16
"""Blocks that a process is given together."""

WORTH = 8
"""Such portions for each process, below which another process does not pay."""


class Hashed(Struct, frozen=True):
    """The hash over all results of a ladder up to a night, to be compared with a published one."""

    night: int
    results: str


class Verified(Struct, frozen=True):
    """What became of a run's games."""

    blocks: int
    games: int
    unrecorded: int
    """Games that have no records, so that they could not be replayed."""
    commitment: str
    run: tuple[str, ...]
    """What is wrong with the run as a whole or its file."""
    wrong: tuple[Wrong, ...]
    """What is wrong with its blocks and games."""
    aside: int
    """Blocks that came out otherwise when they were played again, which is noted in the run."""
    fairness: tuple[Fairness, ...]
    """Of what was played, cell by cell."""
    coverage: Coverage | None
    """How much of its plan is there; None on a ladder, which has none."""
    hashed: Hashed | None
    """The newest hash over the results of a ladder."""

    @property
    def right(self) -> bool:
        """Whether everything is as it is written down."""
        return not self.run and not self.wrong


class Audit(Protocol):
    """Knows which blocks a run should have."""

    @property
    def hashed(self) -> bool:
        """Whether it wants the hash of each block."""

    def see(self, block: Seen, /) -> Iterable[str]:
        """What is wrong with a block in this run, whatever its games are."""

    def close(self) -> Iterable[str]:
        """What is wrong with the run as a whole, once all blocks were seen."""


@dataclass(frozen=True)
class Report:
    """What was found in a block."""

    block: Seen
    seatings: tuple[tuple[int, ...], ...]
    wrong: tuple[Wrong, ...]


Tick = Callable[[int, int], None]
"""Is told how many blocks are done, of how many."""


def verify(folder: Path, tick: Tick, workers: int | None = None) -> Verified:
    """Verify the run of a tournament; what is played meanwhile is left for the next time."""
    with Run.open(folder) as run:
        checker = Checker(run.header)
        audit = Expected(run, checker.settings)
        found = examine(run, checker, audit, tick, workers)
        return replace(found, coverage=audit.coverage())


def examine(  # noqa: PLR0913, PLR0917 (all that it takes)
    run: Run,
    checker: Checker,
    audit: Audit,
    tick: Tick,
    workers: int | None = None,
    tables: Sequence[str] = (),
) -> Verified:
    """Verify every block of a run; `tables` are scripts that made other tables in its file."""
    found = [*run.findings(tables), *checker.run()]
    keys = list(run.sorted_keys())
    portions = [keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)]
    tally = Tally(tick, len(keys), audit)
    processes = min(workers or len(os.sched_getaffinity(0)), len(portions) // WORTH)
    if processes > 1:
        with get_context("spawn").Pool(processes, stand_back) as pool:
            tally.count(pool.imap(partial(look_in, run.folder, audit.hashed), portions))
    else:
        tally.count(map(partial(look, run, checker, audit.hashed), portions))
    aside = set[bytes]()
    wrong = [*tally.wrong, *check_asides(run, checker, set(keys), aside)]
    return Verified(
        blocks=len(keys),
        games=tally.games,
        unrecorded=tally.unrecorded,
        commitment=run.header.commitment,
        run=(*found, *audit.close()),
        wrong=tuple(wrong),
        aside=len(aside),
        fairness=tuple(tally.fairness(len(run.header.bots))),
        coverage=None,
        hashed=None,
    )


def check_asides(run: Run, checker: Checker, keys: Set[bytes], seen: set[bytes]) -> Iterator[Wrong]:
    """What is wrong with results that were put aside; note the blocks that have any."""
    try:
        for one in run.asides():
            seen.add(one.key)
            if one.key in keys:
                yield from checker.aside(run.block(one.key), one, salt_of(run, one.key))
    except ArenaError as error:
        yield Wrong("put aside", str(error))


class Tally:
    """What comes together of the reports."""

    def __init__(self, tick: Tick, blocks: int, audit: Audit) -> None:
        self.tick = tick
        self.blocks = blocks
        self.audit = audit
        self.games = 0
        self.unrecorded = 0
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
                block = report.block
                self.games += block.games
                self.unrecorded += block.unrecorded
                where = block.key.hex()[:DIGITS]
                self.wrong += (Wrong(where, wrong) for wrong in self.audit.see(block))
                self.wrong += report.wrong
                self.alike[block.cell, block.table, report.seatings] += 1
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


def look(run: Run, checker: Checker, hashed: bool, keys: Sequence[bytes]) -> list[Report | Wrong]:  # noqa: FBT001 (bound before the keys)
    """Look at some blocks of a run."""
    numbers = {bot.name: number for number, bot in enumerate(run.header.bots)}
    found: list[Report | Wrong] = []
    for key in keys:
        try:
            block, written, salt = run.block(key), run.written(key), salt_of(run, key)
            checked = checker.check(block, written, salt, hashed=hashed)
        except ArenaError as error:  # what cannot be read is no reason not to read the rest
            found.append(Wrong(key.hex()[:DIGITS], str(error)))
            continue
        places = list(range(len(block.bots)))
        seen = Seen(
            key=key,
            id=written.id,
            cell=Cell(block.variant, block.seats),
            table=tuple(numbers[name] for name in block.bots),
            number=block.number,
            salt=salt,
            games=len(block.results),
            unrecorded=len(block.results) - checked.replayed,
            dropped=block.kept == GONE,
            proven=len(written.dropped or b"") == DIGEST * len(block.results),
            digest=checked.digest,
        )
        seatings = tuple(one.seating for one in block.results if sorted(one.seating) == places)
        found.append(Report(seen, seatings, checked.wrong))
    return found


def salt_of(run: Run, key: bytes) -> str:
    """What the session in which a block was played added to the seed."""
    session = run.session_of(key)
    return session.salt if session else ""


def look_in(folder: Path, hashed: bool, keys: Sequence[bytes]) -> list[Report | Wrong]:  # noqa: FBT001 (bound before the keys)
    """The same in a process of its own."""
    return look(*opened(folder), hashed, keys)


@lru_cache(maxsize=1)
def opened(folder: Path) -> tuple[Run, Checker]:
    """A run that this process reads until it ends."""
    run = Run.open(folder)
    return run, Checker(run.header)


def stand_back() -> None:
    """Leave it to the process that began this one to be interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Proven(Struct, frozen=True):
    """What became of records from elsewhere, of games whose own records were dropped."""

    records: int
    wrong: tuple[Wrong, ...]
    """Each with its place among the records, from 1, or the id of its game."""


def prove(folder: Path, records: Iterable[Record]) -> Proven:
    """Compare records from elsewhere with the hashes and the results that the run has kept."""
    count, wrong = 0, list[Wrong]()
    with Run.open(folder) as run:
        checker = Checker(run.header)
        games = {
            digest: (key, turn)
            for key, joined in run.dropped()
            for turn, digest in enumerate(divided(joined))
        }
        for count, record in enumerate(records, 1):
            if (place := games.get(record_digest(record))) is None:
                wrong.append(Wrong(f"record {count}", "it is of no game whose record was dropped"))
                continue
            key, turn = place
            block = run.block(key)
            seatings = checker.planned(block, run.written(key), salt_of(run, key))
            found = checker.game(block, block.results[turn], record, seatings[turn], turn)
            if error := next(found, None):
                wrong.append(Wrong(game_id(key, turn), error))
    return Proven(count, tuple(wrong))
