"""Verify a run, or a file of records: replay the games and compare them with what is stored."""

import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.ratings.schedule_fairness import Fairness, FairnessCounts
from arena.referee.record import Record, load_records, verify_record
from arena.sanitize import printable
from arena.store.block import DROPPED_RECORDS
from arena.store.hashes import DIGEST_BYTES, record_digest, split_digests
from arena.store.run import Run
from arena.store.search import game_id, short_key
from arena.tournaments.check_run import Mismatch, RunChecker
from arena.tournaments.plan_coverage import Coverage, PlanChecker, StoredBlock
from arena.tournaments.play.local_backend import SPAWN_CONTEXT, count_cores

BLOCKS_PER_BATCH = 16
"""Blocks that a process checks at a time."""

BATCHES_PER_PROCESS = 8
"""Batches for each process, below which another process does not pay."""


class LadderHash(Struct, frozen=True):
    """The hash over all results of a ladder up to a night, to be compared with a published one."""

    night: int
    results: str


class RunVerification(Struct, frozen=True):
    """The result of verifying a run."""

    blocks: int
    games: int
    unrecorded: int
    """Games without records, which cannot be replayed."""
    commitment: str
    run: tuple[str, ...]
    """What is wrong with the run as a whole or its file."""
    wrong: tuple[Mismatch, ...]
    """What is wrong with its blocks and games."""
    aside: int
    """Blocks with a conflicting result, which the run has put aside."""
    fairness: tuple[Fairness, ...]
    """The fairness of what was played, cell by cell."""
    coverage: Coverage | None
    """How much of its plan is there; None on a ladder, which has no plan."""
    hashed: LadderHash | None
    """The newest hash over the results of a ladder."""

    @property
    def is_correct(self) -> bool:
        """Whether nothing is wrong."""
        return not self.run and not self.wrong


class BlockChecker(Protocol):
    """Knows which blocks a run should have."""

    @property
    def needs_digests(self) -> bool:
        """Whether it needs the hash of each block."""

    def check_block(self, block: StoredBlock, /) -> Iterable[str]:
        """What is wrong with a block in this run, whatever its games are."""

    def check_run(self) -> Iterable[str]:
        """What is wrong with the run as a whole, once all blocks were seen."""


@dataclass(frozen=True)
class BlockReport:
    """What the check of a block found."""

    block: StoredBlock
    seatings: tuple[tuple[int, ...], ...]
    wrong: tuple[Mismatch, ...]


VerifyCallback = Callable[[int, int], None]
"""Is called with the number of blocks that are checked, and the number of all blocks."""


def verify_run(
    folder: Path,
    on_progress: VerifyCallback = lambda _done, _total: None,
    workers: int | None = None,
) -> RunVerification:
    """Verify the run of a tournament as it is stored when this begins."""
    with Run.open(folder) as run:
        checker = RunChecker(run.header)
        plan_checker = PlanChecker(run, checker.settings)
        verification = verify_blocks(run, checker, plan_checker, on_progress, workers)
        return replace(verification, coverage=plan_checker.coverage())


def verify_blocks(  # noqa: PLR0913, PLR0917 (shared with the verification of ladders)
    run: Run,
    checker: RunChecker,
    block_checker: BlockChecker,
    on_progress: VerifyCallback,
    workers: int | None = None,
    tables: Sequence[str] = (),
) -> RunVerification:
    """Verify every block of a run; `tables` are the scripts of other tables in its file."""
    problems = [*run.find_problems(tables), *checker.run_errors()]
    keys = list(run.sorted_keys())
    batches = [
        keys[start : start + BLOCKS_PER_BATCH] for start in range(0, len(keys), BLOCKS_PER_BATCH)
    ]
    totals = VerificationTotals(on_progress, len(keys), block_checker)
    processes = min(workers or count_cores(), len(batches) // BATCHES_PER_PROCESS)
    if processes > 1:
        with SPAWN_CONTEXT.Pool(processes, ignore_interrupts) as pool:
            check = partial(check_blocks_in, run.folder, block_checker.needs_digests)
            totals.add_reports(pool.imap(check, batches))
    else:
        check = partial(check_blocks, run, checker, block_checker.needs_digests)
        totals.add_reports(map(check, batches))
    conflicting = set[bytes]()
    wrong = [*totals.wrong, *check_contradictions(run, checker, set(keys), conflicting)]
    return RunVerification(
        blocks=len(keys),
        games=totals.games,
        unrecorded=totals.unrecorded,
        commitment=run.header.commitment,
        run=(*problems, *block_checker.check_run()),
        wrong=tuple(wrong),
        aside=len(conflicting),
        fairness=tuple(totals.fairness(len(run.header.bots))),
        coverage=None,
        hashed=None,
    )


def check_contradictions(
    run: Run, checker: RunChecker, keys: Set[bytes], conflicting: set[bytes]
) -> Iterator[Mismatch]:
    """Check the results that were put aside; add the keys of their blocks to `conflicting`."""
    try:
        for result in run.contradicting_results():
            conflicting.add(result.key)
            if result.key in keys:
                yield from checker.contradiction_mismatches(
                    run.block(result.key), result, session_salt(run, result.key)
                )
    except ArenaError as error:
        yield Mismatch("put aside", str(error))


class VerificationTotals:
    """The sums over the reports on all blocks."""

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
        """How often each table has played in the same seatings."""

    def add_reports(self, reports: Iterable[list[BlockReport | Mismatch]]) -> None:
        """Count the reports of batches as they arrive."""
        done = 0
        for batch in reports:
            for report in batch:
                if isinstance(report, Mismatch):
                    self.wrong.append(report)
                    continue
                block = report.block
                self.games += block.games
                self.unrecorded += block.unrecorded
                block_id = short_key(block.key)
                self.wrong += (
                    Mismatch(block_id, error) for error in self.block_checker.check_block(block)
                )
                self.wrong += report.wrong
                self.seating_counts[block.cell, block.table, report.seatings] += 1
            done += len(batch)
            self.on_progress(done, self.blocks)

    def fairness(self, bots: int) -> list[Fairness]:
        """The fairness of each cell."""
        counts = dict[Cell, FairnessCounts]()
        for (cell, table, seatings), times in sorted(self.seating_counts.items()):
            if cell not in counts:
                counts[cell] = FairnessCounts(cell, bots)
            counts[cell].add(table, seatings, times)
        return [one.summarize() for one in counts.values()]


def check_blocks(
    run: Run,
    checker: RunChecker,
    with_digest: bool,  # noqa: FBT001 (bound before the keys)
    keys: Sequence[bytes],
) -> list[BlockReport | Mismatch]:
    """Check some blocks of a run."""
    numbers = {bot.name: number for number, bot in enumerate(run.header.bots)}
    reports: list[BlockReport | Mismatch] = []
    for key in keys:
        try:
            block, rows, salt = run.block(key), run.block_rows(key), session_salt(run, key)
            check = checker.check_block(block, rows, salt, with_digest=with_digest)
        except ArenaError as error:  # go on with the other blocks
            reports.append(Mismatch(short_key(key), str(error)))
            continue
        places = list(range(len(block.bots)))
        stored = StoredBlock(
            key=key,
            id=rows.id,
            cell=Cell(block.variant, block.seats),
            table=tuple(numbers[name] for name in block.bots),
            number=block.number,
            salt=salt,
            games=len(block.results),
            unrecorded=len(block.results) - check.replayed,
            is_dropped=block.packed_games == DROPPED_RECORDS,
            has_record_hashes=len(rows.dropped or b"") == DIGEST_BYTES * len(block.results),
            digest=check.digest,
        )
        seatings = tuple(
            result.seating for result in block.results if sorted(result.seating) == places
        )
        reports.append(BlockReport(stored, seatings, check.wrong))
    return reports


def session_salt(run: Run, key: bytes) -> str:
    """The salt that the session of a block added to the seed."""
    session = run.session_of(key)
    return session.salt if session else ""


def check_blocks_in(
    folder: Path,
    with_digest: bool,  # noqa: FBT001 (bound before the keys)
    keys: Sequence[bytes],
) -> list[BlockReport | Mismatch]:
    """Check some blocks of a run in another process."""
    return check_blocks(*cached_run(folder), with_digest, keys)


@lru_cache(maxsize=1)
def cached_run(folder: Path) -> tuple[Run, RunChecker]:
    """The run that this process reads, opened once."""
    run = Run.open(folder)
    return run, RunChecker(run.header)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C, which the parent process handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class RecordVerification(Struct, frozen=True):
    """The result of verifying copies of dropped records."""

    records: int
    wrong: tuple[Mismatch, ...]
    """Each with its number among the records, from 1, or the id of its game."""

    @property
    def is_correct(self) -> bool:
        """Whether all records are those that were dropped."""
        return not self.wrong


def verify_dropped_records(folder: Path, records: Iterable[Record]) -> RecordVerification:
    """Compare copies of dropped records with the hashes and results that the run has."""
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
            errors = checker.game_errors(block, block.results[turn], record, seatings[turn], turn)
            if error := next(errors, None):
                wrong.append(Mismatch(game_id(key, turn), error))
    return RecordVerification(count, tuple(wrong))


class DifferentGame(Struct, frozen=True):
    """A game whose replay differs from its record."""

    game: int
    """Its number in the file, from 1."""
    error: str


class FileVerification(Struct, frozen=True):
    """The result of verifying a file of records."""

    games: int
    different: tuple[DifferentGame, ...]

    @property
    def is_correct(self) -> bool:
        """Whether every replay came to what its record says."""
        return not self.different


def verify_file(file: Path) -> FileVerification:
    """Replay every record of a file, which has one on each line."""
    games, different = 0, []
    for games, record in enumerate(load_records(file), 1):
        try:
            verify_record(record)
        except ArenaError as error:
            different.append(DifferentGame(games, printable(str(error))))
    return FileVerification(games, tuple(different))
