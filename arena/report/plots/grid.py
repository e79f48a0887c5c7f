"""The grid of a heat map: what is in its cells, what they say, and how much room it all takes."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from arena.printable import short
from arena.report.plots.heat import SHARE, Heat
from arena.report.plots.markup import breadth, clean
from arena.report.plots.text import SMALL, measure
from arena.report.plots.values import NONE, finite, number

TALL = 22
NARROWEST, AIR = 30, 10
"""A column; the air is beside its figures."""
LEVEL = 200
"""The room for names of columns that are not turned."""
LONGEST, HIGHEST = 140.0, 260.0
"""The room for the name of a row, and of a column, which may be turned."""
SLOPE = 0.7072
"""How high a name rises that is turned by half of a right angle, and how far it reaches."""
TOLD = 60_000
"""Bytes that all cells together may say: a page with all that is known of 60 by 60 bots would
take long to load."""
BRIEF = 24
"""Characters of a name where there is little room for what cells say."""

Tells = Callable[[int, int], str]
"""What the cell of a row and a column says."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """What a heat map shows."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    """Row by row; None where there is none."""
    heat: Heat = SHARE
    warmth: Sequence[Sequence[float | None]] | None = None
    """What the colours tell, if that is not what is printed."""
    text: Callable[[float], str] = number
    """How a figure is written."""
    tells: Tells | None = None
    """What a cell says when someone points at its figure; nothing where there can be none."""
    marks: frozenset[tuple[int, int]] = frozenset()
    """Cells with a sign of their own, a corner."""
    axis: tuple[str, str] = ("", "")
    """What rows and columns are."""
    ends: tuple[str, str] = ("", "")
    """What the lowest and the highest colour mean."""
    room: float = LONGEST
    """For the names of rows."""
    wholly: str = ""
    """The main figures in words; without them those are the least and the most."""

    @cached_property
    def found(self) -> list[list[float | None]]:
        """All values that can be shown."""
        return [[finite(value) for value in row] for row in self.values]

    @cached_property
    def levels(self) -> list[list[int | None]]:
        """The level of each cell; none where there is no value."""
        warmth = self.values if self.warmth is None else self.warmth
        return [
            [
                None if shown is None or (value := finite(one)) is None else self.heat.level(value)
                for shown, one in zip(row, other, strict=True)
            ]
            for row, other in zip(self.found, warmth, strict=True)
        ]

    @cached_property
    def texts(self) -> list[list[str]]:
        """What is printed in each cell."""
        return [[NONE if one is None else self.text(one) for one in row] for row in self.found]

    @cached_property
    def heads(self) -> float:
        """The room for the longest name of a column."""
        return min(max((breadth(one) for one in self.columns), default=0.0), HIGHEST)

    @cached_property
    def figures(self) -> float:
        """The width of a column as its figures need it."""
        widest = max((measure(one, SMALL) for row in self.texts for one in row), default=0.0)
        return max(NARROWEST, widest + AIR)

    @property
    def level(self) -> bool:
        """Whether the names of columns stand level: if all fit beside those of rows on a phone."""
        wide = self.heads + AIR
        return wide <= self.figures or wide * len(self.columns) <= LEVEL

    @cached_property
    def wide(self) -> int:
        """The width of a column, an even one so that places in it have no decimals."""
        return 2 * math.ceil(max(self.figures, self.heads + AIR if self.level else 0.0) / 2)

    @cached_property
    def left(self) -> int:
        """How wide the names of rows are."""
        names = min(max((breadth(one) for one in self.rows), default=0.0), self.room)
        return math.ceil(max(names, measure(self.axis[0], SMALL)) + 10)

    @cached_property
    def top(self) -> int:
        """Where the first row begins."""
        heads = 22.0 if self.level else SLOPE * self.heads + 16
        return math.ceil(heads + (18.0 if self.axis[1] else 0.0))

    @cached_property
    def size(self) -> tuple[int, int]:
        """Of all cells together."""
        return self.wide * len(self.columns), TALL * len(self.rows)

    @cached_property
    def sayings(self) -> list[list[str]] | None:
        """What each cell says: all, or in short, or nothing if there are too many of them."""
        for tells in (self.tells, self.brief):
            if tells is None:
                continue
            rows, columns = range(len(self.rows)), range(len(self.columns))
            every = [
                ["" if self.empty(row, column) else tells(row, column) for column in columns]
                for row in rows
            ]
            if few(one for line in every for one in line):
                return every
        return None

    def brief(self, row: int, column: int) -> str:
        """The least that a cell says."""
        names = short(self.rows[row], BRIEF), short(self.columns[column], BRIEF)
        return f"{', '.join(names)}: {self.texts[row][column]}"

    def empty(self, row: int, column: int) -> bool:
        """Whether there can be nothing in a cell, not even in time."""
        none = self.found[row][column] is None
        return none and self.tells is not None and not self.tells(row, column)


def few(sayings: Iterable[str]) -> bool:
    """Whether all of them together are short enough for a page."""
    room = TOLD
    for one in sayings:
        room -= len(clean(one).encode())
        if room < 0:
            return False
    return True
