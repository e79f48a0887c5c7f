"""A trick on one line: cards in the order of play, each with its seat, fitted to the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from arena.cards import Card
from arena.cli.viewing.faces import WIDEST_CARD, card
from arena.cli.viewing.seating import Seating

WINS, PASSES, STANDS_IN = "*", "×", "!"
SHORTEST = 6
"""Columns below which a name says nothing."""

NUMBER_WIDTH = 4
ARROW = "→"


class Laid(NamedTuple):
    """A card of the trick."""

    seat: int
    card: Card
    passed: bool
    stands_in: bool


class TrickLine:
    """A trick, or a column of a draft, as it grows."""

    def __init__(
        self, seating: Seating, width: int, number: int, size: int, ending: str = ""
    ) -> None:
        self.seating = seating
        self.width = width
        self.number = number
        self.size = size
        """Cards of everybody."""
        self.ending = ending
        """What stands before who takes it."""
        self.gap = 2 if self.needs(0, 2) < width else 1
        self.longest = self.fitting()
        """Columns for names; 0 where seats go by their numbers."""
        self.laid: list[Laid] = []

    def needs(self, longest: int, gap: int) -> int:
        """Columns for a card of everybody with names of that length, and for who wins."""
        label = 1 + bool(longest) + longest
        wins = gap + len(self.ending) + len(ARROW) + 1 + label if longest else 0
        return NUMBER_WIDTH + self.size * (label + 1 + WIDEST_CARD + 1 + gap) - gap + wins

    def fitting(self) -> int:
        """The longest names there is room for."""
        for longest in range(self.seating.longest, min(SHORTEST, self.seating.longest) - 1, -1):
            if self.needs(longest, self.gap) < self.width:
                return longest
        return 0

    def lay(self, seat: int, token: Card, *, passed: bool = False, stands_in: bool = False) -> None:
        """One more card."""
        self.laid.append(Laid(seat, token, passed, stands_in))

    def fits(self) -> bool:
        """Whether it stays on one line of the terminal."""
        return self.text().cell_len < self.width

    def text(self, winners: Sequence[Card] = (), endings: Iterable[Text] = ()) -> Text:
        """The line so far; the first of the endings that fits stands at its end."""
        line = Text.assemble((f"{self.number:>{NUMBER_WIDTH - 2}}  ", "dim"))
        for place, laid in enumerate(self.laid):
            if place:
                line.append(" " * self.gap)
            line.append_text(self.cell(laid, leads=place == 0, wins=laid.card in winners))
        for ending in endings:
            if line.cell_len + 1 + ending.cell_len < self.width:
                return Text.assemble(line, " ", ending)
        line.rstrip()
        return line

    def cell(self, laid: Laid, *, leads: bool, wins: bool) -> Text:
        """A seat and its card."""
        emphasis = "bold underline" if wins else "dim" if laid.passed else ""
        sign = WINS if wins else PASSES if laid.passed else ""
        label = self.seating.column(laid.seat, self.longest, "bold" if leads or wins else "")
        mark = (STANDS_IN, "bold red") if laid.stands_in else (" ", "")
        cell = Text.assemble(label, mark, card(laid.card, emphasis), (sign, "bold"))
        cell.pad_right(label.cell_len + 1 + WIDEST_CARD + 1 - cell.cell_len)
        return cell

    def endings(self, seats: Sequence[int]) -> Iterator[Text]:
        """Who takes it, from the longest way to say so to the shortest."""
        if not seats:
            yield Text(f"{ARROW} nobody")
            yield Text(f"{ARROW} –")
            return
        for longest in dict.fromkeys((self.seating.longest, self.longest, 0)):
            labels = [self.seating.label(seat, longest) for seat in seats]
            yield Text.assemble(self.ending, f"{ARROW} ", Text(", ").join(labels))
