"""How cards, colours and tokens look in a terminal: coloured, and readable without colour."""

from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.text import Text

from arena.cards import Card, Colour

STYLES: Final[dict[Colour, str]] = {
    "B": "#ffffff on #1f5fbf",
    "N": "#ffffff on #7a4a1f",
    "G": "#ffffff on #10801f",
    "E": "#000000 on #b4b4b4",
    "R": "#ffffff on #c02a2a",
    "V": "#ffffff on #7d3fa8",
    "Y": "#000000 on #e8c32e",
}
"""What a card of each colour is printed in; its letter is always there as well."""

WIDEST_CARD = 3


def card(token: Card, emphasis: str = "") -> Text:
    """A card in its colour."""
    return Text(token, f"{emphasis} {STYLES[token[0]]}".strip())


def colour(letter: Colour, count: int | None = None) -> Text:
    """A colour, or how many cards of it."""
    shown = letter if count is None else f"{letter}×{count}"
    return Text(shown, STYLES[letter])


def cards(tokens: Iterable[Card]) -> Text:
    """Cards one after another."""
    return joined(map(card, tokens))


def joined(parts: Iterable[Text], gap: str = " ") -> Text:
    """These one after another."""
    return Text(gap).join(parts)


def flow(console: Console, lead: Text, items: Iterable[Text], gap: int = 1) -> None:
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
