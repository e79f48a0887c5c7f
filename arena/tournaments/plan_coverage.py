"""Compare the blocks of a run with the plan of its tournament."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.ratings.results import Results
from arena.referee.faults import FaultPolicy
from arena.store.header import TOURNAMENT_FILE, RunHeader, canonical_json
from arena.store.reading import EndReason
from arena.store.run import Run
from arena.tournaments.check_run import RunSettings
from arena.tournaments.config.keys import FaultKeys, RatingKeys, parse_keys
from arena.tournaments.config.resolve import find_cells
from arena.tournaments.config.tournament import Tournament, tables_setting
from arena.tournaments.deals import commitment
from arena.tournaments.plan.plan import Plan
from arena.tournaments.plan.tables import Table

MAX_LISTED_TABLES: Final = 100
"""Tables with missing blocks that are named; all missing blocks are counted."""

PLAN_ERRORS: Final = (
    ArenaError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    StopIteration,
)
"""Errors that are raised where settings do not make a plan."""


@dataclass(frozen=True)
class StoredBlock:
    """A stored block, without its games."""

    key: bytes
    id: int
    cell: Cell
    table: Table
    """Its bots, as numbers among those of the run."""
    number: int
    salt: str
    games: int
    unrecorded: int
    """Games without records."""
    is_dropped: bool
    """Whether its records were dropped."""
    has_record_hashes: bool
    """Whether hashes of its dropped records are kept."""
    digest: bytes
    """The hash of all that is stored of it, if it was requested."""


class MissingBlocks(Struct, frozen=True):
    """Blocks of one table that are in the plan and not in the run."""

    variant: str
    seats: int
    bots: tuple[str, ...]
    numbers: tuple[int, ...]


class Coverage(Struct, frozen=True):
    """How much of its plan a run holds."""

    planned: int
    """Blocks of the plan, at the most."""
    missing: int
    """How many of them the run does not hold."""
    ended: EndReason | None
    """How the last session ended, if it was not killed."""
    named: tuple[MissingBlocks, ...]
    """The missing blocks of the first tables that lack some."""


class PlanChecker:
    """Compares the blocks of a run with its plan."""

    needs_digests = False

    def __init__(self, run: Run, settings: RunSettings) -> None:
        self.run = run
        self.settings = settings
        self.stored_numbers: dict[tuple[Cell, Table], int] = {}
        """For each table of each cell, the numbers of its blocks as bits."""
        self.stored_count = 0
        """How many blocks of the plan are stored."""
        self.plan_error = ""
        self.later_visits: Counter[tuple[Cell, Table]] = Counter()
        """How often each table is visited in adaptive stages after the first."""
        try:
            self.plan: Plan | None = Plan(tournament_of_run(run.header, settings), run.header.seed)
            if self.plan.is_adaptive:
                self.later_visits = adaptive_visits(self.plan, run)
        except PLAN_ERRORS as error:
            self.plan = None
            self.plan_error = f"no plan can be made from its settings: {error}"

    def visits(self, cell: Cell, table: Table) -> int:
        """How often the plan visits a table, as far as the results decide it."""
        if self.plan is None or cell not in self.plan.tournament.cells:
            return 0
        return self.plan.tables(cell).visits(table) + self.later_visits[cell, table]

    def check_block(self, block: StoredBlock) -> Iterator[str]:
        """What is wrong with a block in this run, whatever its games are."""
        if block.unrecorded:
            yield (
                f"{block.unrecorded} of its games have no records, which are dropped on ladders "
                "only"
            )
        if self.plan is None:
            return
        most = self.settings.deals * self.visits(block.cell, block.table)
        if block.salt:
            yield f"it is not in the plan: its deals were drawn for {block.salt!r}"
        elif block.cell not in self.plan.tournament.cells:
            yield f"it is not in the plan, which has no {block.cell}"
        elif not most:
            yield "it is not in the plan, which has no such table"
        elif not 0 <= block.number < most:
            yield f"it is not in the plan: its number is {block.number}, and its table has {most}"
        else:
            self.stored_numbers[block.cell, block.table] = (
                self.stored_numbers.get((block.cell, block.table), 0) | 1 << block.number
            )
            self.stored_count += 1

    def check_run(self) -> Iterator[str]:
        """What is wrong with the run as a whole, after all its blocks were checked."""
        if self.plan_error:
            yield self.plan_error
        yield from find_differences(self.run.header, self.settings)
        endings = self.run.endings()
        conflicts = self.run.conflict_count()
        for ending, kept in endings:
            if kept != ending.blocks:
                yield (
                    f"when session {ending.session} ended, {ending.blocks} blocks were stored, and "
                    f"of these {kept} are there"
                )
        if endings and endings[-1][0].conflicts > conflicts:
            yield f"{endings[-1][0].conflicts - conflicts} results that were put aside are gone"
        if self.plan is None:
            return
        covered, last = self.coverage(), endings[-1][0] if endings else None
        if last is None or last.how != "finished" or last.session != self.last_session:
            return
        if last.planned > covered.planned:
            yield f"its plan had {last.planned} blocks when it was finished, not {covered.planned}"
        elif last.planned == covered.planned and covered.missing:
            yield (
                f"it was finished, and {covered.missing} of the {covered.planned} blocks of its "
                f"plan are missing: {missing_text(covered)}"
            )

    @property
    def last_session(self) -> int:
        """The number of the last session."""
        return max((number for number, _ in self.run.numbered_sessions()), default=0)

    def coverage(self) -> Coverage:
        """How much of the plan is stored."""
        planned = self.plan.totals.blocks if self.plan else 0
        endings = self.run.endings()
        last = endings[-1][0] if endings else None
        return Coverage(
            planned=planned,
            missing=planned - self.stored_count,
            ended=last.how if last and last.session == self.last_session else None,
            named=tuple(self.missing_blocks()) if planned > self.stored_count else (),
        )

    def missing_blocks(self) -> Iterator[MissingBlocks]:
        """The first tables that lack blocks; of adaptive plans only tables of the first stage."""
        if self.plan is None:
            return
        names, named = [bot.name for bot in self.plan.tournament.bots], 0
        for cell in self.plan.tournament.cells:
            tables = self.plan.tables(cell)
            for table, visit in (tables[index] for index in range(len(tables))):
                stored, first = (
                    self.stored_numbers.get((cell, table), 0),
                    visit * self.settings.deals,
                )
                numbers = range(first, first + self.settings.deals)
                missing = tuple(number for number in numbers if not stored >> number & 1)
                if missing:
                    bots = tuple(names[bot] for bot in table)
                    yield MissingBlocks(cell.variant, cell.seats, bots, missing)
                    named += 1
                    if named == MAX_LISTED_TABLES:
                        return


def tournament_of_run(header: RunHeader, settings: RunSettings) -> Tournament:
    """The tournament of a run, made from its settings; its bots cannot be started."""
    return Tournament(
        file=Path(TOURNAMENT_FILE),
        text=header.text,
        name=header.name,
        seed=header.seed,
        cells=tuple(Cell(variant, seats) for variant, seats in settings.cells),
        bots=tuple(Bot(bot.name, bot.version, (), Path()) for bot in header.bots),
        paths=tuple(bot.path for bot in header.bots),
        deals=settings.deals,
        seating=settings.seating,
        tables=settings.tables,
        chunk=settings.chunk,
        referee_config=settings.referee_config,
        workers=None,
        cluster=None,
        rating=RatingKeys(),
        sandbox=settings.sandbox,
        stop=settings.stop,
    )


def adaptive_visits(plan: Plan, run: Run) -> Counter[tuple[Cell, Table]]:
    """Choose the tables of adaptive stages after the first again, and count their visits.

    The stage after one that is incomplete was never begun.
    """
    stored, planned = run.block_keys(), set[bytes]()
    visits = Counter[tuple[Cell, Table]]()
    for stage in range(plan.stage_count):
        results: Mapping[Cell, Results] = {}
        if stage:
            results = {cell: run.results(cell, only=planned) for cell in plan.tournament.cells}
        for chunk in plan.stage_chunks(stage, results):
            planned.update(block.key for block in chunk.blocks)
            if stage and chunk.blocks[0].number % plan.tournament.deals == 0:
                visits[chunk.cell, chunk.table] += 1
        if not planned <= stored:
            break
    return visits


def find_differences(header: RunHeader, settings: RunSettings) -> Iterator[str]:
    """How the tournament's file that the run holds differs from the run's settings."""
    file = Path(TOURNAMENT_FILE)
    try:
        keys = parse_keys(file, header.text)
        cells, _ = find_cells(file, keys, len(header.bots))
    except ArenaError as error:
        yield f"its tournament's file cannot be read: {error}"
        return
    faults = FaultKeys(policy=keys.faults) if isinstance(keys.faults, FaultPolicy) else keys.faults
    seed = None if keys.seed is None else commitment(str(keys.seed))
    for key, in_file, in_settings in (
        ("name", keys.name or header.name, header.name),
        ("seed", seed or header.commitment, header.commitment),
        ("variants", cells, [Cell(*cell) for cell in settings.cells]),
        ("deals", keys.deals, settings.deals),
        ("seating", keys.seating, settings.seating),
        ("tables", tables_setting(keys.tables), tables_setting(settings.tables)),
        ("chunk", keys.chunk, settings.chunk),
        ("clock", keys.clock, settings.clock),
        ("faults", faults, settings.faults),
        ("anonymous", keys.anonymous, settings.anonymous),
        ("stop", keys.stop, settings.stop),
        ("rating", keys.rating, rating_settings(header.rating)),
    ):
        if canonical_json(in_file) != canonical_json(in_settings):
            yield f"its tournament's file has another {key!r} than its settings"


def rating_settings(given: dict[str, Any]) -> Any:
    """The rating settings, with defaults for keys that are not given."""
    try:
        return msgspec.convert(given, RatingKeys)
    except msgspec.ValidationError:
        return given


def missing_text(coverage: Coverage, most: int = 3) -> str:
    """The missing blocks in words, of the first few tables."""
    parts = [
        f"{table.variant} with {table.seats} seats, {', '.join(table.bots)}: "
        f"{ranges_text(table.numbers)}"
        for table in coverage.named[:most]
    ]
    rest = coverage.missing - sum(len(table.numbers) for table in coverage.named[:most])
    if not parts:
        return "those of later stages"
    return "; ".join([*parts, f"and {rest} more"] if rest else parts)


def ranges_text(numbers: tuple[int, ...]) -> str:
    """Rising numbers as text, with runs of neighbours as ranges."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return ", ".join("–".join(map(str, ends)) for ends in ranges)
