"""Cards, colours, seat labels and tricks as coloured terminal text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.cards import Card, Colour
from arena.sanitize import printable

COLOUR_STYLES: Final[dict[Colour, str]] = {
    "B": "#ffffff on #1f5fbf",
    "N": "#ffffff on #7a4a1f",
    "G": "#ffffff on #10801f",
    "E": "#000000 on #b4b4b4",
    "R": "#ffffff on #c02a2a",
    "V": "#ffffff on #7d3fa8",
    "Y": "#000000 on #e8c32e",
}
"""What a card of each colour is printed in; its letter is always there as well."""

MAX_CARD_WIDTH = 3


def card_text(token: Card, emphasis: str = "") -> Text:
    """A card in its colour."""
    return Text(token, f"{emphasis} {COLOUR_STYLES[token[0]]}".strip())


def colour_text(letter: Colour, count: int | None = None) -> Text:
    """A colour, or how many cards of it."""
    shown = letter if count is None else f"{letter}×{count}"
    return Text(shown, COLOUR_STYLES[letter])


def cards_text(tokens: Iterable[Card]) -> Text:
    """Cards one after another."""
    return join_texts(map(card_text, tokens))


def join_texts(parts: Iterable[Text], gap: str = " ") -> Text:
    """These one after another."""
    return Text(gap).join(parts)


def print_wrapped(console: Console, lead: Text, items: Iterable[Text], gap: int = 1) -> None:
    """Print a lead and items after it, in as many lines as they need, aligned behind the lead."""
    room = max(console.width - lead.cell_len, 1)
    line, used = Text.assemble(lead), 0
    for item in items:
        if used and used + gap + item.cell_len > room:
            console.print(line, no_wrap=True, overflow="ellipsis")
            line, used = Text(" " * lead.cell_len), 0
        if used:
            line.append(" " * gap)
            used += gap
        line.append_text(item)
        used += item.cell_len
    line.rstrip()
    console.print(line, no_wrap=True, overflow="ellipsis")


MAX_NAME_WIDTH = 16
"""Columns of a name where several stand beside each other."""

SEAT_STYLE = "cyan"


class SeatLabels:
    """The seats and the names of those who sit there."""

    def __init__(self, names: Sequence[str]) -> None:
        self.seats = len(names)
        self.names = [*map(printable, names), "ghost"]
        """With the ghost that picks as the seat after the last (Was sticht)."""
        self.name_width = min(max(map(cell_len, self.names[:-1])), MAX_NAME_WIDTH)

    def name(self, seat: int, width: int = MAX_NAME_WIDTH) -> str:
        """A name, cut if it is longer than that."""
        text = Text(self.names[min(seat, self.seats)])
        if seat < self.seats:
            text.truncate(width, overflow="ellipsis")
        return text.plain

    def label(self, seat: int, width: int | None = None, style: str = "") -> Text:
        """A seat's number, and its name in at most so many columns, if any."""
        width = self.name_width if width is None else width
        number = (str(seat), f"{style} {SEAT_STYLE}".strip())
        return Text.assemble(number, (f" {self.name(seat, width)}" if width else "", style))

    def padded_label(self, seat: int, width: int | None = None, style: str = "") -> Text:
        """The same, as wide for every seat."""
        width = self.name_width if width is None else width
        label = self.label(seat, width, style)
        label.pad_right(1 + bool(width) + width - label.cell_len)
        return label


WINNER_MARK, PASS_MARK, STAND_IN_MARK = "*", "×", "!"
MIN_NAME_WIDTH = 6
"""Columns below which a name says nothing."""

NUMBER_WIDTH = 4
ARROW = "→"


class PlayedCard(NamedTuple):
    """A card of the trick."""

    seat: int
    card: Card
    is_pass: bool
    is_stand_in: bool


class TrickLine:
    """A trick, or a column of a draft, as it grows."""

    def __init__(
        self, labels: SeatLabels, width: int, number: int, size: int, ending: str = ""
    ) -> None:
        self.labels = labels
        self.width = width
        self.number = number
        self.size = size
        """Cards of everybody."""
        self.ending = ending
        """What stands before who takes it."""
        self.gap = 2 if self.width_needed(0, 2) < width else 1
        self.name_width = self.max_name_width()
        """Columns for names; 0 where seats go by their numbers."""
        self.played_cards: list[PlayedCard] = []

    def width_needed(self, name_width: int, gap: int) -> int:
        """Columns for a card of everybody with names of that length, and for who wins."""
        label = 1 + bool(name_width) + name_width
        wins = gap + len(self.ending) + len(ARROW) + 1 + label if name_width else 0
        return NUMBER_WIDTH + self.size * (label + 1 + MAX_CARD_WIDTH + 1 + gap) - gap + wins

    def max_name_width(self) -> int:
        """The longest names there is room for."""
        for longest in range(
            self.labels.name_width, min(MIN_NAME_WIDTH, self.labels.name_width) - 1, -1
        ):
            if self.width_needed(longest, self.gap) < self.width:
                return longest
        return 0

    def add_card(
        self, seat: int, token: Card, *, is_pass: bool = False, is_stand_in: bool = False
    ) -> None:
        """One more card."""
        self.played_cards.append(PlayedCard(seat, token, is_pass, is_stand_in))

    def fits(self) -> bool:
        """Whether it stays on one line of the terminal."""
        return self.text().cell_len < self.width

    def text(self, winners: Sequence[Card] = (), endings: Iterable[Text] = ()) -> Text:
        """The line so far; the first of the endings that fits stands at its end."""
        line = Text.assemble((f"{self.number:>{NUMBER_WIDTH - 2}}  ", "dim"))
        for place, laid in enumerate(self.played_cards):
            if place:
                line.append(" " * self.gap)
            line.append_text(self.cell(laid, leads=place == 0, wins=laid.card in winners))
        for ending in endings:
            if line.cell_len + 1 + ending.cell_len < self.width:
                return Text.assemble(line, " ", ending)
        line.rstrip()
        return line

    def cell(self, played: PlayedCard, *, leads: bool, wins: bool) -> Text:
        """A seat and its card."""
        emphasis = "bold underline" if wins else "dim" if played.is_pass else ""
        sign = WINNER_MARK if wins else PASS_MARK if played.is_pass else ""
        label = self.labels.padded_label(
            played.seat, self.name_width, "bold" if leads or wins else ""
        )
        mark = (STAND_IN_MARK, "bold red") if played.is_stand_in else (" ", "")
        cell = Text.assemble(label, mark, card_text(played.card, emphasis), (sign, "bold"))
        cell.pad_right(label.cell_len + 1 + MAX_CARD_WIDTH + 1 - cell.cell_len)
        return cell

    def ending_texts(self, seats: Sequence[int]) -> Iterator[Text]:
        """Who takes it, from the longest way to say so to the shortest."""
        if not seats:
            yield Text(f"{ARROW} nobody")
            yield Text(f"{ARROW} –")
            return
        for longest in dict.fromkeys((self.labels.name_width, self.name_width, 0)):
            labels = [self.labels.label(seat, longest) for seat in seats]
            yield Text.assemble(self.ending, f"{ARROW} ", Text(", ").join(labels))
