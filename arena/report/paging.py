"""Paging: long tables in several pages, each of which leads to all others."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

Row = TypeVar("Row")


class Part(NamedTuple):
    """One page of a table."""

    number: int
    """From 1."""
    paths: Sequence[str]
    """Where all pages of the table are."""
    first: int
    """The first row of this one, counted from 0, and the first one after it."""
    end: int
    rows: int
    """Of all pages together."""

    @property
    def path(self) -> str:
        """Where this page is."""
        return self.paths[self.number - 1]

    @property
    def several(self) -> bool:
        """Whether there are others."""
        return len(self.paths) > 1

    def of(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of this page."""
        return rows[self.first : self.end]


def parts(first: str, further: str, rows: int, at_once: int) -> list[Part]:
    """The pages of so many rows; further ones are called like the first, with their numbers."""
    count = max(1, -(-rows // at_once))
    paths = [first, *(f"{further}-{number}.html" for number in range(2, count + 1))]
    return [
        Part(number, paths, at_once * (number - 1), min(rows, at_once * number), rows)
        for number in range(1, count + 1)
    ]
