"""Divide the tables and blocks of each cell into stages, with a look at the results after each."""

from dataclasses import dataclass
from typing import Protocol

from arena.ratings.results import Results
from arena.tournaments.plan.tables import Table

MAX_STAGES = 10
"""Who looks more often finds an order sooner or later, be it there or not."""

MIN_BLOCKS = 30
"""Before so many blocks of a cell no order is known."""

BALANCED_DIVISOR = 5
"""One in so many of adaptive tables is chosen by balance alone."""


class CellStages(Protocol):
    """How a cell is cut into stages."""

    @property
    def tables(self) -> int:
        """How many tables there are in all."""

    @property
    def max_stages(self) -> int:
        """How many stages there could be at the most."""

    def stage_ranges(self, number: int, count: int, /) -> tuple[range, range]:
        """Which tables a stage out of so many has, and which blocks of each of them."""


@dataclass(frozen=True)
class TableStages:
    """Every stage has other tables, with all their blocks."""

    tables: int
    first_tables: int
    """The tables of the first stage, at the least."""
    deals: int

    @property
    def max_stages(self) -> int:
        """One after the first stage, and one after every further table."""
        return self.tables - self.first_tables + 1

    def stage_ranges(self, number: int, count: int, /) -> tuple[range, range]:
        """What a stage has."""
        return stage_range(self.tables, self.first_tables, number, count), range(self.deals)


@dataclass(frozen=True)
class BlockStages:
    """Every stage has all tables, with further blocks, as many as make a design come out even."""

    tables: int
    first_rounds: int
    """The rounds of the design in the first stage, at the least."""
    deals: int
    round_blocks: int
    """The blocks after which the design is even."""

    @property
    def rounds(self) -> int:
        """How often the design is gone through."""
        return -(-self.deals // self.round_blocks)

    @property
    def max_stages(self) -> int:
        """One after the first stage, and one after every further round."""
        return self.rounds - self.first_rounds + 1

    def stage_ranges(self, number: int, count: int, /) -> tuple[range, range]:
        """What a stage has."""
        part = stage_range(self.rounds, self.first_rounds, number, count)
        blocks = range(self.deals)[part.start * self.round_blocks : part.stop * self.round_blocks]
        return range(self.tables), blocks


def divide_cell(tables: int, deals: int, size: int) -> CellStages:
    """The stages of a cell with so many tables, deals at each, and deals to make a design even."""
    if deals > size:
        rounds = -(-deals // size)
        return BlockStages(tables, min(rounds, -(-MIN_BLOCKS // (size * tables))), deals, size)
    return TableStages(tables, min(tables, -(-MIN_BLOCKS // deals)), deals)


def stage_range(whole: int, first: int, number: int, count: int) -> range:
    """The part of a whole that a stage has: equal ones, but the first at least so much."""
    first = whole if count == 1 else max(first, -(-whole // count))
    if not number:
        return range(first)
    rest, stages = whole - first, count - 1
    return range(first + rest * (number - 1) // stages, first + rest * number // stages)


def balanced_table_count(tables: int, bots: int, seats: int, deals: int) -> int:
    """How many of so many adaptive tables are chosen by balance alone, before there are results.

    They are a fifth, but enough that about everybody has met everybody and an order may be known.
    """
    meeting = -(-bots * (bots - 1) // (seats * (seats - 1)))
    return min(tables, max(-(-tables // BALANCED_DIVISOR), meeting, -(-MIN_BLOCKS // deals)))


def visited_tables(results: Results, deals: int) -> list[Table]:
    """Return the tables that were played, each as often as it was visited.

    The highest number of a table's blocks tells how often: blocks of earlier visits may be missing.
    """
    often: dict[Table, int] = {}
    for row, number in zip(results.who.tolist(), results.number.tolist(), strict=True):
        table = tuple(sorted(row))
        often[table] = max(often.get(table, 0), number // deals + 1)
    return [table for table in sorted(often) for _ in range(often[table])]
