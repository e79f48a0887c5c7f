"""The plan of a tournament: all its chunks, generated lazily from the secret seed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from arena.protocol.messages import MAX_SAFE_INTEGER
from arena.ratings.cell import Cell
from arena.ratings.results import Results
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.deals import block_key_settings, hash_parts
from arena.tournaments.plan import stages
from arena.tournaments.plan.adaptive import choose_tables
from arena.tournaments.plan.blocks import BlockFactory, Chunk, PlannedBlock
from arena.tournaments.plan.stages import CellStages
from arena.tournaments.plan.tables import AllTables, ChosenTables, Table, Tables, balanced_tables
from arena.tournaments.seatings import design


@dataclass(frozen=True)
class Totals:
    """How much there is to play at most."""

    tables: int
    chunks: int
    blocks: int
    games: int


@dataclass(frozen=True)
class CellPlan:
    """What a stage plays in one cell: some tables, and the same blocks of each."""

    cell: Cell
    tables: Tables
    table_indices: range
    blocks: range

    def chunk_count(self, size: int) -> int:
        """How many chunks each table has."""
        return -(-len(self.blocks) // size) if self.table_indices else 0


class Plan:
    """The chunks of a tournament, made from a secret seed.

    The same tournament, seed and earlier results make the same plan on every machine, and a block
    is the same whatever else is planned.
    """

    def __init__(self, tournament: Tournament, seed: str) -> None:
        self.tournament = tournament
        self.seed = seed
        self._key_settings = block_key_settings(tournament.referee_config, tournament.sandbox)
        self._tables = {cell: self._tables_of(cell) for cell in tournament.cells}
        self._cell_stages = {cell: self._make_stages(cell) for cell in tournament.cells}
        possible = max(cell_stages.max_stages for cell_stages in self._cell_stages.values())
        self.stage_count = (
            min(stages.MAX_STAGES, possible) if self.is_adaptive or tournament.stop else 1
        )
        """Results are examined after the last chunk of each stage."""

    @property
    def is_adaptive(self) -> bool:
        """Whether later tables depend on earlier results."""
        tables = self.tournament.tables
        return tables == "adaptive" if isinstance(tables, str) else tables.adaptive is not None

    def tables(self, cell: Cell) -> Tables:
        """The tables of a cell that do not depend on results."""
        return self._tables[cell]

    def stage_chunks(self, number: int, results: Mapping[Cell, Results]) -> Iterator[Chunk]:
        """The chunks of a stage; adaptive tables need the results of all stages before it.

        The first chunk of every table in every cell comes before the second of any, and the cells
        take turns, so that all have results early.
        """
        if not 0 <= number < self.stage_count:
            raise ValueError(f"there is no stage {number}, only {self.stage_count}")
        size = self.tournament.chunk
        parts = [self._cell_plan(cell, number, results) for cell in self.tournament.cells]
        for turn in range(max(part.chunk_count(size) for part in parts)):
            unfinished = [part for part in parts if turn < part.chunk_count(size)]
            for index in range(max(len(part.table_indices) for part in unfinished)):
                for place, part in enumerate(unfinished):
                    if index < len(part.table_indices):
                        blocks = part.blocks[turn * size : (turn + 1) * size]
                        # Cells begin at different tables, so that all bots play early.
                        start = place * len(part.table_indices) // len(unfinished)
                        at = part.table_indices[(start + index) % len(part.table_indices)]
                        yield self._chunk(part.cell, *part.tables[at], blocks)

    @cached_property
    def totals(self) -> Totals:
        """How much there is to play in all cells."""
        totals = [self.cell_totals(cell) for cell in self.tournament.cells]
        return Totals(
            tables=sum(total.tables for total in totals),
            chunks=sum(total.chunks for total in totals),
            blocks=sum(total.blocks for total in totals),
            games=sum(total.games for total in totals),
        )

    def cell_totals(self, cell: Cell) -> Totals:
        """How much there is to play in one cell."""
        cell_stages = self._cell_stages[cell]
        blocks = cell_stages.tables * self.tournament.deals
        chunks = 0
        for number in range(self.stage_count):
            indices, part = cell_stages.stage_ranges(number, self.stage_count)
            chunks += len(indices) * -(-len(part) // self.tournament.chunk)
        games = len(design(self.tournament.seating, cell.seats)[0])
        return Totals(cell_stages.tables, chunks, blocks, blocks * games)

    def blocks(self, cell: Cell, table: Table, numbers: range) -> tuple[PlannedBlock, ...]:
        """The blocks of these numbers that a table plays."""
        bots = [self.tournament.bots[bot] for bot in table]
        factory = BlockFactory(self.seed, cell, bots, self._key_settings, self.tournament.seating)
        return factory.blocks(numbers)

    def _chunk(self, cell: Cell, table: Table, visit: int, blocks: range) -> Chunk:
        """A chunk with some blocks of a visit to a table."""
        first = visit * self.tournament.deals
        numbers = range(first + blocks.start, first + blocks.stop)
        return Chunk(cell, table, self.blocks(cell, table, numbers))

    def _cell_plan(self, cell: Cell, number: int, results: Mapping[Cell, Results]) -> CellPlan:
        """What a stage plays in a cell."""
        indices, blocks = self._cell_stages[cell].stage_ranges(number, self.stage_count)
        if self.is_adaptive and number:
            chosen = self._adaptive_tables(cell, number, len(indices), results[cell])
            return CellPlan(cell, chosen, range(len(indices)), blocks)
        return CellPlan(cell, self._tables[cell], indices, blocks)

    def _adaptive_tables(self, cell: Cell, number: int, count: int, results: Results) -> Tables:
        """Choose the tables of a later stage from the results so far."""
        before = stages.visited_tables(results, self.tournament.deals)
        if not count:
            return ChosenTables([])
        seed = hash_parts("stichkampf-adaptive-1", self.seed, cell.variant, cell.seats, number)
        bots = len(self.tournament.bots)
        return ChosenTables(choose_tables(results, bots, cell.seats, count, before, seed), before)

    def _tables_of(self, cell: Cell) -> Tables:
        """Make the tables of a cell that do not depend on results."""
        tables, bots = self.tournament.tables, len(self.tournament.bots)
        if tables == "all":
            return AllTables(bots, cell.seats)
        if not isinstance(tables, str) and tables.gauntlet is not None:
            return AllTables(bots, cell.seats, self.tournament.bot_number(tables.gauntlet))
        count = stages.balanced_table_count(
            self._visit_count(cell), bots, cell.seats, self.tournament.deals
        )
        if not self.is_adaptive:
            count = self._visit_count(cell)
        drawn = hash_parts("stichkampf-tables-1", self.seed, cell.variant, cell.seats)
        seed = int.from_bytes(drawn[:8]) & MAX_SAFE_INTEGER
        return ChosenTables(balanced_tables(bots, cell.seats, count, seed))

    def _visit_count(self, cell: Cell) -> int:
        """How many tables of a cell are chosen one by one."""
        tables = self.tournament.tables
        if isinstance(tables, str):
            return len(AllTables(len(self.tournament.bots), cell.seats))
        return tables.sample or tables.adaptive or 0

    def _make_stages(self, cell: Cell) -> CellStages:
        """Divide a cell into stages."""
        deals = self.tournament.deals
        if self.is_adaptive:
            return stages.TableStages(self._visit_count(cell), len(self._tables[cell]), deals)
        size = len(design(self.tournament.seating, cell.seats))
        return stages.divide_cell(len(self._tables[cell]), deals, size)
