"""Verify a run: replay its games and check its file, deals, seatings and results."""

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
from arena.ratings import fairness as ratings_fairness
from arena.ratings.cell import Cell
from arena.ratings.fairness import Fairness
from arena.referee.record import Record
from arena.store.block import DROPPED_RECORDS
from arena.store.hashes import DIGEST_BYTES, record_digest, split_digests
from arena.store.run import Run
from arena.store.search import ID_DIGITS, game_id
from arena.tournaments.check_plan import Coverage, PlanChecker, StoredBlock
from arena.tournaments.check_run import Mismatch, RunChecker

BLOCKS_PER_BATCH = 16
"""Blocks that a process is given together."""

BATCHES_PER_PROCESS = 8
"""Such portions for each process, below which another process does not pay."""


class LadderHash(Struct, frozen=True):
    """The hash over all results of a ladder up to a night, to be compared with a published one."""

    night: int
    results: str


class RunVerification(Struct, frozen=True):
    """What became of a run's games."""

    blocks: int
    games: int
    unrecorded: int
    """Games that have no records, so that they could not be replayed."""
    commitment: str
    run: tuple[str, ...]
    """What is wrong with the run as a whole or its file."""
    wrong: tuple[Mismatch, ...]
    """What is wrong with its blocks and games."""
    aside: int
    """Blocks that came out otherwise when they were played again, which is noted in the run."""
    fairness: tuple[Fairness, ...]
    """Of what was played, cell by cell."""
    coverage: Coverage | None
    """How much of its plan is there; None on a ladder, which has none."""
    hashed: LadderHash | None
    """The newest hash over the results of a ladder."""

    @property
    def is_correct(self) -> bool:
        """Whether everything is as it is written down."""
        return not self.run and not self.wrong


class BlockChecker(Protocol):
    """Knows which blocks a run should have."""

    @property
    def needs_digests(self) -> bool:
        """Whether it wants the hash of each block."""

    def check_block(self, block: StoredBlock, /) -> Iterable[str]:
        """What is wrong with a block in this run, whatever its games are."""

    def check_run(self) -> Iterable[str]:
        """What is wrong with the run as a whole, once all blocks were seen."""


@dataclass(frozen=True)
class BlockReport:
    """What was found in a block."""

    block: StoredBlock
    seatings: tuple[tuple[int, ...], ...]
    wrong: tuple[Mismatch, ...]


VerifyCallback = Callable[[int, int], None]
"""Is told how many blocks are done, of how many."""


def verify(
    folder: Path, on_progress: VerifyCallback, workers: int | None = None
) -> RunVerification:
    """Verify the run of a tournament; what is played meanwhile is left for the next time."""
    with Run.open(folder) as run:
        checker = RunChecker(run.header)
        audit = PlanChecker(run, checker.settings)
        found = verify_blocks(run, checker, audit, on_progress, workers)
        return replace(found, coverage=audit.coverage())


def verify_blocks(  # noqa: PLR0913, PLR0917 (all that it takes)
    run: Run,
    checker: RunChecker,
    block_checker: BlockChecker,
    on_progress: VerifyCallback,
    workers: int | None = None,
    tables: Sequence[str] = (),
) -> RunVerification:
    """Verify every block of a run; `tables` are scripts that made other tables in its file."""
    found = [*run.find_problems(tables), *checker.run_errors()]
    keys = list(run.sorted_keys())
    portions = [
        keys[start : start + BLOCKS_PER_BATCH] for start in range(0, len(keys), BLOCKS_PER_BATCH)
    ]
    tally = VerificationTotals(on_progress, len(keys), block_checker)
    processes = min(workers or len(os.sched_getaffinity(0)), len(portions) // BATCHES_PER_PROCESS)
    if processes > 1:
        with get_context("spawn").Pool(processes, ignore_interrupts) as pool:
            tally.add_reports(
                pool.imap(
                    partial(check_blocks_in, run.folder, block_checker.needs_digests), portions
                )
            )
    else:
        tally.add_reports(
            map(partial(check_blocks, run, checker, block_checker.needs_digests), portions)
        )
    aside = set[bytes]()
    wrong = [*tally.wrong, *check_contradictions(run, checker, set(keys), aside)]
    return RunVerification(
        blocks=len(keys),
        games=tally.games,
        unrecorded=tally.unrecorded,
        commitment=run.header.commitment,
        run=(*found, *block_checker.check_run()),
        wrong=tuple(wrong),
        aside=len(aside),
        fairness=tuple(tally.fairness(len(run.header.bots))),
        coverage=None,
        hashed=None,
    )


def check_contradictions(
    run: Run, checker: RunChecker, keys: Set[bytes], seen: set[bytes]
) -> Iterator[Mismatch]:
    """What is wrong with results that were put aside; note the blocks that have any."""
    try:
        for one in run.contradicting_results():
            seen.add(one.key)
            if one.key in keys:
                yield from checker.contradiction_mismatches(
                    run.block(one.key), one, session_salt(run, one.key)
                )
    except ArenaError as error:
        yield Mismatch("put aside", str(error))


class VerificationTotals:
    """What comes together of the reports."""

    def __init__(
        self, on_progress: VerifyCallback, blocks: int, block_checker: BlockChecker
    ) -> None:
        self.on_progress = on_progress
        self.blocks = blocks
        self.block_checker = block_checker
        self.games = 0
        self.unrecorded = 0
        self.wrong: list[Mismatch] = []
        self.seating_counts: Counter[tuple[Cell, tuple[int, ...], tuple[tuple[int, ...], ...]]] = (
            Counter()
        )
        """How often the same table has played in the same seatings."""

    def add_reports(self, reports: Iterable[list[BlockReport | Mismatch]]) -> None:
        """Count reports as they come."""
        done = 0
        for some in reports:
            for report in some:
                if isinstance(report, Mismatch):
                    self.wrong.append(report)
                    continue
                block = report.block
                self.games += block.games
                self.unrecorded += block.unrecorded
                where = block.key.hex()[:ID_DIGITS]
                self.wrong += (
                    Mismatch(where, wrong) for wrong in self.block_checker.check_block(block)
                )
                self.wrong += report.wrong
                self.seating_counts[block.cell, block.table, report.seatings] += 1
            done += len(some)
            self.on_progress(done, self.blocks)

    def fairness(self, bots: int) -> list[Fairness]:
        """How fair it is, cell by cell."""
        tallies = dict[Cell, ratings_fairness.FairnessCounts]()
        for (cell, table, seatings), times in sorted(self.seating_counts.items()):
            if cell not in tallies:
                tallies[cell] = ratings_fairness.FairnessCounts(cell, bots)
            tallies[cell].add(table, seatings, times)
        return [tally.fairness() for tally in tallies.values()]


def check_blocks(
    run: Run,
    checker: RunChecker,
    with_digest: bool,  # noqa: FBT001 (bound before the keys)
    keys: Sequence[bytes],
) -> list[BlockReport | Mismatch]:
    """Look at some blocks of a run."""
    numbers = {bot.name: number for number, bot in enumerate(run.header.bots)}
    found: list[BlockReport | Mismatch] = []
    for key in keys:
        try:
            block, written, salt = run.block(key), run.block_rows(key), session_salt(run, key)
            checked = checker.check_block(block, written, salt, with_digest=with_digest)
        except ArenaError as error:  # what cannot be read is no reason not to read the rest
            found.append(Mismatch(key.hex()[:ID_DIGITS], str(error)))
            continue
        places = list(range(len(block.bots)))
        seen = StoredBlock(
            key=key,
            id=written.id,
            cell=Cell(block.variant, block.seats),
            table=tuple(numbers[name] for name in block.bots),
            number=block.number,
            salt=salt,
            games=len(block.results),
            unrecorded=len(block.results) - checked.replayed,
            is_dropped=block.kept == DROPPED_RECORDS,
            has_record_hashes=len(written.dropped or b"") == DIGEST_BYTES * len(block.results),
            digest=checked.digest,
        )
        seatings = tuple(one.seating for one in block.results if sorted(one.seating) == places)
        found.append(BlockReport(seen, seatings, checked.wrong))
    return found


def session_salt(run: Run, key: bytes) -> str:
    """What the session in which a block was played added to the seed."""
    session = run.session_of(key)
    return session.salt if session else ""


def check_blocks_in(
    folder: Path,
    with_digest: bool,  # noqa: FBT001 (bound before the keys)
    keys: Sequence[bytes],
) -> list[BlockReport | Mismatch]:
    """The same in a process of its own."""
    return check_blocks(*cached_run(folder), with_digest, keys)


@lru_cache(maxsize=1)
def cached_run(folder: Path) -> tuple[Run, RunChecker]:
    """A run that this process reads until it ends."""
    run = Run.open(folder)
    return run, RunChecker(run.header)


def ignore_interrupts() -> None:
    """Leave it to the process that began this one to be interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class RecordVerification(Struct, frozen=True):
    """What became of records from elsewhere, of games whose own records were dropped."""

    records: int
    wrong: tuple[Mismatch, ...]
    """Each with its place among the records, from 1, or the id of its game."""


def verify_dropped_records(folder: Path, records: Iterable[Record]) -> RecordVerification:
    """Compare records from elsewhere with the hashes and the results that the run has kept."""
    count, wrong = 0, list[Mismatch]()
    with Run.open(folder) as run:
        checker = RunChecker(run.header)
        games = {
            digest: (key, turn)
            for key, joined in run.dropped_digests()
            for turn, digest in enumerate(split_digests(joined))
        }
        for count, record in enumerate(records, 1):
            if (place := games.get(record_digest(record))) is None:
                wrong.append(
                    Mismatch(f"record {count}", "it is of no game whose record was dropped")
                )
                continue
            key, turn = place
            block = run.block(key)
            seatings = checker.planned_seatings(block, run.block_rows(key), session_salt(run, key))
            found = checker.game_errors(block, block.results[turn], record, seatings[turn], turn)
            if error := next(found, None):
                wrong.append(Mismatch(game_id(key, turn), error))
    return RecordVerification(count, tuple(wrong))
