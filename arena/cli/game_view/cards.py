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
"""The style of each colour; the letter of the colour is always printed too."""

MAX_CARD_WIDTH = 3
NUMBER_WIDTH = 4
"""Columns of the number of a trick."""

MIN_NAME_WIDTH, MAX_NAME_WIDTH = 6, 16
"""Columns of a name where several stand beside each other; a shorter one would mean nothing."""

SEAT_STYLE = "cyan"
WINNER_MARK, PASS_MARK, STAND_IN_MARK = "*", "×", "!"
ARROW = "→"


def card_text(token: Card, emphasis: str = "") -> Text:
    """A card in its colour."""
    return Text(token, f"{emphasis} {COLOUR_STYLES[token[0]]}".strip())


def colour_text(letter: Colour, count: int | None = None) -> Text:
    """A colour, or a number of cards of it."""
    text = letter if count is None else f"{letter}×{count}"
    return Text(text, COLOUR_STYLES[letter])


def cards_text(tokens: Iterable[Card]) -> Text:
    """Cards in one line."""
    return join_texts(map(card_text, tokens))


def join_texts(parts: Iterable[Text], gap: str = " ") -> Text:
    """The parts in one line."""
    return Text(gap).join(parts)


def print_wrapped(console: Console, lead: Text, items: Iterable[Text], gap: int = 1) -> None:
    """Print items behind a lead, in as many lines as they need, all aligned."""
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


class SeatLabels:
    """Labels of the seats: their numbers and the names of their bots."""

    def __init__(self, names: Sequence[str]) -> None:
        self.seats = len(names)
        self.names = [*map(printable, names), "ghost"]
        """With the ghost of Was sticht, which picks as the seat after the last one."""
        self.name_width = min(max(map(cell_len, self.names[:-1])), MAX_NAME_WIDTH)

    def name(self, seat: int, width: int = MAX_NAME_WIDTH) -> str:
        """The name of a seat's bot, cut to this width."""
        text = Text(self.names[min(seat, self.seats)])
        if seat < self.seats:
            text.truncate(width, overflow="ellipsis")
        return text.plain

    def label(self, seat: int, width: int | None = None, style: str = "") -> Text:
        """The number of a seat and the name of its bot, cut to this width; 0 is no name."""
        width = self.name_width if width is None else width
        number = (str(seat), f"{style} {SEAT_STYLE}".strip())
        return Text.assemble(number, (f" {self.name(seat, width)}" if width else "", style))

    def padded_label(self, seat: int, width: int | None = None, style: str = "") -> Text:
        """The same label, equally wide for every seat."""
        width = self.name_width if width is None else width
        label = self.label(seat, width, style)
        label.pad_right(1 + bool(width) + width - label.cell_len)
        return label


class PlayedCard(NamedTuple):
    """A card in a trick."""

    seat: int
    card: Card
    is_pass: bool
    is_stand_in: bool


class TrickLine:
    """The line of a trick, or of a column of a draft, to which cards are added."""

    def __init__(
        self, labels: SeatLabels, width: int, number: int, size: int, ending: str = ""
    ) -> None:
        self.labels = labels
        self.width = width
        self.number = number
        self.size = size
        """How many cards the trick has when it is complete."""
        self.ending = ending
        """Text before the seat that takes it."""
        self.gap = 2 if self.width_needed(0, 2) < width else 1
        self.name_width = self.max_name_width()
        """Columns for names; 0 where there is only room for the numbers of the seats."""
        self.played_cards: list[PlayedCard] = []

    def width_needed(self, name_width: int, gap: int) -> int:
        """Columns for the complete trick and its winner with names of that width."""
        label = 1 + bool(name_width) + name_width
        winner = gap + len(self.ending) + len(ARROW) + 1 + label if name_width else 0
        return NUMBER_WIDTH + self.size * (label + 1 + MAX_CARD_WIDTH + 1 + gap) - gap + winner

    def max_name_width(self) -> int:
        """The widest names there is room for; 0 if there is no room for useful ones."""
        for width in range(
            self.labels.name_width, min(MIN_NAME_WIDTH, self.labels.name_width) - 1, -1
        ):
            if self.width_needed(width, self.gap) < self.width:
                return width
        return 0

    def add_card(
        self, seat: int, token: Card, *, is_pass: bool = False, is_stand_in: bool = False
    ) -> None:
        """Add a card."""
        self.played_cards.append(PlayedCard(seat, token, is_pass, is_stand_in))

    def fits(self) -> bool:
        """Whether the line fits into the terminal."""
        return self.text().cell_len < self.width

    def text(self, winners: Sequence[Card] = (), endings: Iterable[Text] = ()) -> Text:
        """The line so far, with the first of the endings that fits."""
        line = Text.assemble((f"{self.number:>{NUMBER_WIDTH - 2}}  ", "dim"))
        for number, played in enumerate(self.played_cards):
            if number:
                line.append(" " * self.gap)
            line.append_text(self.cell(played, leads=number == 0, wins=played.card in winners))
        for ending in endings:
            if line.cell_len + 1 + ending.cell_len < self.width:
                return Text.assemble(line, " ", ending)
        line.rstrip()
        return line

    def cell(self, played: PlayedCard, *, leads: bool, wins: bool) -> Text:
        """A seat and its card with their marks."""
        emphasis = "bold underline" if wins else "dim" if played.is_pass else ""
        suffix = WINNER_MARK if wins else PASS_MARK if played.is_pass else ""
        label = self.labels.padded_label(
            played.seat, self.name_width, "bold" if leads or wins else ""
        )
        mark = (STAND_IN_MARK, "bold red") if played.is_stand_in else (" ", "")
        cell = Text.assemble(label, mark, card_text(played.card, emphasis), (suffix, "bold"))
        cell.pad_right(label.cell_len + 1 + MAX_CARD_WIDTH + 1 - cell.cell_len)
        return cell

    def ending_texts(self, seats: Sequence[int]) -> Iterator[Text]:
        """The seats that take the trick, from the longest form to the shortest."""
        if not seats:
            yield Text(f"{ARROW} nobody")
            yield Text(f"{ARROW} –")
            return
        for width in dict.fromkeys((self.labels.name_width, self.name_width, 0)):
            labels = [self.labels.label(seat, width) for seat in seats]
            yield Text.assemble(self.ending, f"{ARROW} ", Text(", ").join(labels))
