"""Divide the tables and blocks of each cell into stages, after which results are examined."""

from dataclasses import dataclass
from typing import Protocol

from arena.ratings.results import Results
from arena.tournaments.plan.tables import Table

MAX_STAGES = 10
"""More examinations would find an order by chance where there is none."""

MIN_BLOCKS = 30
"""Blocks of a cell before which no order is certain."""

BALANCED_DIVISOR = 5
"""One in so many adaptive tables is chosen by balance alone."""


class CellStages(Protocol):
    """How a cell is divided into stages."""

    @property
    def tables(self) -> int:
        """How many tables the cell has."""

    @property
    def max_stages(self) -> int:
        """How many stages there can be at most."""

    def stage_ranges(self, number: int, count: int, /) -> tuple[range, range]:
        """The tables of a stage out of so many, and the blocks of each table."""


@dataclass(frozen=True)
class TableStages:
    """Stages with different tables, and all blocks of each table."""

    tables: int
    first_tables: int
    """The least number of tables in the first stage."""
    deals: int

    @property
    def max_stages(self) -> int:
        """One after the first stage, and one after every further table."""
        return self.tables - self.first_tables + 1

    def stage_ranges(self, number: int, count: int, /) -> tuple[range, range]:
        """The tables and blocks of a stage."""
        return stage_range(self.tables, self.first_tables, number, count), range(self.deals)


@dataclass(frozen=True)
class BlockStages:
    """Stages with all tables, and further complete rounds of the design at each."""

    tables: int
    first_rounds: int
    """The least number of rounds of the design in the first stage."""
    deals: int
    round_blocks: int
    """The blocks of a round, after which the design is balanced."""

    @property
    def rounds(self) -> int:
        """How many rounds of the design there are."""
        return -(-self.deals // self.round_blocks)

    @property
    def max_stages(self) -> int:
        """One after the first stage, and one after every further round."""
        return self.rounds - self.first_rounds + 1

    def stage_ranges(self, number: int, count: int, /) -> tuple[range, range]:
        """The tables and blocks of a stage."""
        part = stage_range(self.rounds, self.first_rounds, number, count)
        blocks = range(self.deals)[part.start * self.round_blocks : part.stop * self.round_blocks]
        return range(self.tables), blocks


def divide_cell(tables: int, deals: int, size: int) -> CellStages:
    """The stages of a cell with so many tables and deals, and rounds of so many deals."""
    if deals > size:
        rounds = -(-deals // size)
        return BlockStages(tables, min(rounds, -(-MIN_BLOCKS // (size * tables))), deals, size)
    return TableStages(tables, min(tables, -(-MIN_BLOCKS // deals)), deals)


def stage_range(whole: int, first: int, number: int, count: int) -> range:
    """The part of a whole that a stage has: equal parts, but the first has a least size."""
    first = whole if count == 1 else max(first, -(-whole // count))
    if not number:
        return range(first)
    rest, stages = whole - first, count - 1
    return range(first + rest * (number - 1) // stages, first + rest * number // stages)


def balanced_table_count(tables: int, bots: int, seats: int, deals: int) -> int:
    """How many of so many adaptive tables are chosen by balance alone, before there are results.

    They are a fifth, but enough for almost all bots to meet and for an order to become certain.
    """
    meeting = -(-bots * (bots - 1) // (seats * (seats - 1)))
    return min(tables, max(-(-tables // BALANCED_DIVISOR), meeting, -(-MIN_BLOCKS // deals)))


def visited_tables(results: Results, deals: int) -> list[Table]:
    """Return the tables that were played, each as often as it was visited.

    The highest number of a table's blocks tells how often: blocks of earlier visits may be missing.
    """
    visits: dict[Table, int] = {}
    for row, number in zip(results.bot_indices.tolist(), results.number.tolist(), strict=True):
        table = tuple(sorted(row))
        visits[table] = max(visits.get(table, 0), number // deals + 1)
    return [table for table in sorted(visits) for _ in range(visits[table])]
