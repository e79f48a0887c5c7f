"""The plan: everything a tournament plays, worked out piece by piece and never held at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from arena.protocol.messages import LARGEST
from arena.ratings.cell import Cell
from arena.ratings.results import Results
from arena.tournaments import stages
from arena.tournaments.adaptive import choose
from arena.tournaments.block import Block, Chunk
from arena.tournaments.config import Tournament
from arena.tournaments.deals import digest, terms_key
from arena.tournaments.designs import design
from arena.tournaments.drawing import Drawing
from arena.tournaments.stages import Cuts
from arena.tournaments.tables import Chosen, Every, Table, Tables, balanced


@dataclass(frozen=True)
class Totals:
    """How much there is to play, at the most."""

    tables: int
    chunks: int
    blocks: int
    games: int


@dataclass(frozen=True)
class Part:
    """What a stage plays in one cell: some of its tables, and of each the same blocks."""

    cell: Cell
    tables: Tables
    indices: range
    blocks: range

    def chunks(self, size: int) -> int:
        """How many chunks each table has."""
        return -(-len(self.blocks) // size) if self.indices else 0


class Plan:
    """The chunks of a tournament, made from a secret seed.

    The same tournament and seed make the same plan on every machine, and each of its blocks is the
    same whatever else is planned.
    """

    def __init__(self, tournament: Tournament, seed: str) -> None:
        self.tournament = tournament
        self.seed = seed
        self._agreed = terms_key(tournament.terms, tournament.sandbox)
        self._tables = {cell: self._tables_of(cell) for cell in tournament.cells}
        self._cuts = {cell: self._cuts_of(cell) for cell in tournament.cells}
        looks = max(cuts.looks for cuts in self._cuts.values())
        self.stages = min(stages.MOST, looks) if self.adaptive or tournament.stop else 1
        """How often it is looked at, after the last chunk of each stage."""

    @property
    def adaptive(self) -> bool:
        """Whether later tables depend on earlier results."""
        tables = self.tournament.tables
        return tables == "adaptive" if isinstance(tables, str) else tables.adaptive is not None

    def tables(self, cell: Cell) -> Tables:
        """The tables of a cell, as far as they do not depend on results."""
        return self._tables[cell]

    def stage(self, number: int, results: Mapping[Cell, Results]) -> Iterator[Chunk]:
        """The chunks of a stage; adaptive tables need the results of all stages before it.

        The first chunk of every table in every cell comes before the second of any, and the cells
        take turns, so that nobody waits for the last hour.
        """
        if not 0 <= number < self.stages:
            raise ValueError(f"there is no stage {number}, only {self.stages}")
        size = self.tournament.chunk
        parts = [self._part(cell, number, results) for cell in self.tournament.cells]
        for turn in range(max(part.chunks(size) for part in parts)):
            going = [part for part in parts if turn < part.chunks(size)]
            for index in range(max(len(part.indices) for part in going)):
                for place, part in enumerate(going):
                    if index < len(part.indices):
                        blocks = part.blocks[turn * size : (turn + 1) * size]
                        # Cells begin at different tables, so that soon everybody has played.
                        begin = place * len(part.indices) // len(going)
                        at = part.indices[(begin + index) % len(part.indices)]
                        yield self._chunk(part.cell, *part.tables[at], blocks)

    @cached_property
    def totals(self) -> Totals:
        """How much there is to play in all."""
        found = [self.total(cell) for cell in self.tournament.cells]
        return Totals(
            tables=sum(total.tables for total in found),
            chunks=sum(total.chunks for total in found),
            blocks=sum(total.blocks for total in found),
            games=sum(total.games for total in found),
        )

    def total(self, cell: Cell) -> Totals:
        """How much there is to play in one cell."""
        cuts = self._cuts[cell]
        blocks = cuts.tables * self.tournament.deals
        chunks = 0
        for number in range(self.stages):
            indices, part = cuts.stage(number, self.stages)
            chunks += len(indices) * -(-len(part) // self.tournament.chunk)
        games = len(design(self.tournament.seating, cell.seats)[0])
        return Totals(cuts.tables, chunks, blocks, blocks * games)

    def blocks(self, cell: Cell, table: Table, numbers: range) -> tuple[Block, ...]:
        """The blocks of these numbers that a table plays."""
        bots = [self.tournament.bots[bot] for bot in table]
        drawing = Drawing(self.seed, cell, bots, self._agreed, self.tournament.seating)
        return drawing.blocks(numbers)

    def _chunk(self, cell: Cell, table: Table, visit: int, blocks: range) -> Chunk:
        """Some blocks of a visit to a table."""
        first = visit * self.tournament.deals
        numbers = range(first + blocks.start, first + blocks.stop)
        return Chunk(cell, table, self.blocks(cell, table, numbers))

    def _part(self, cell: Cell, number: int, results: Mapping[Cell, Results]) -> Part:
        """What a stage plays in a cell."""
        indices, blocks = self._cuts[cell].stage(number, self.stages)
        if self.adaptive and number:
            chosen = self._adapted(cell, number, len(indices), results[cell])
            return Part(cell, chosen, range(len(indices)), blocks)
        return Part(cell, self._tables[cell], indices, blocks)

    def _adapted(self, cell: Cell, number: int, count: int, results: Results) -> Tables:
        """The tables of a stage where the order is still open."""
        before = stages.visits(results, self.tournament.deals)
        if not count:
            return Chosen([])
        seed = digest("stichkampf-adaptive-1", self.seed, cell.variant, cell.seats, number)
        bots = len(self.tournament.bots)
        return Chosen(choose(results, bots, cell.seats, count, before, seed), before)

    def _tables_of(self, cell: Cell) -> Tables:
        """The tables of a cell, as far as they do not depend on results."""
        tables, bots = self.tournament.tables, len(self.tournament.bots)
        if tables == "all":
            return Every(bots, cell.seats)
        if not isinstance(tables, str) and tables.gauntlet is not None:
            return Every(bots, cell.seats, self.tournament.number(tables.gauntlet))
        count = stages.floor(self._visits(cell), bots, cell.seats, self.tournament.deals)
        if not self.adaptive:
            count = self._visits(cell)
        drawn = digest("stichkampf-tables-1", self.seed, cell.variant, cell.seats)
        seed = int.from_bytes(drawn[:8]) & LARGEST
        return Chosen(balanced(bots, cell.seats, count, seed))

    def _visits(self, cell: Cell) -> int:
        """How many tables are asked for in a cell, if they are chosen one by one."""
        tables = self.tournament.tables
        if isinstance(tables, str):
            return len(Every(len(self.tournament.bots), cell.seats))
        return tables.sample or tables.adaptive or 0

    def _cuts_of(self, cell: Cell) -> Cuts:
        """Where the stages of a cell end."""
        deals = self.tournament.deals
        if self.adaptive:
            return stages.ByTables(self._visits(cell), len(self._tables[cell]), deals)
        size = len(design(self.tournament.seating, cell.seats))
        return stages.cut(len(self._tables[cell]), deals, size)
