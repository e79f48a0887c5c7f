"""Who sits where, named in as much room as there is."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from arena.cli.untrusted import printable

LONGEST = 16
"""Columns of a name where several stand beside each other."""

NUMBER_STYLE = "cyan"


class Seating:
    """The seats and the names of those who sit there."""

    def __init__(self, names: Sequence[str]) -> None:
        self.seats = len(names)
        self.names = [*map(printable, names), "ghost"]
        """With the ghost that picks as the seat after the last (Was sticht)."""
        self.longest = min(max(map(cell_len, self.names[:-1])), LONGEST)

    def name(self, seat: int, longest: int = LONGEST) -> str:
        """A name, cut if it is longer than that."""
        text = Text(self.names[min(seat, self.seats)])
        if seat < self.seats:
            text.truncate(longest, overflow="ellipsis")
        return text.plain

    def label(self, seat: int, longest: int | None = None, style: str = "") -> Text:
        """A seat's number, and its name in at most so many columns, if any."""
        longest = self.longest if longest is None else longest
        number = (str(seat), f"{style} {NUMBER_STYLE}".strip())
        return Text.assemble(number, (f" {self.name(seat, longest)}" if longest else "", style))

    def column(self, seat: int, longest: int | None = None, style: str = "") -> Text:
        """The same, as wide for every seat."""
        longest = self.longest if longest is None else longest
        label = self.label(seat, longest, style)
        label.pad_right(1 + bool(longest) + longest - label.cell_len)
        return label
