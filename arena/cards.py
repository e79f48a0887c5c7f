"""Cards: tokens such as `R7`, made of a colour's letter and a number."""

from collections.abc import Iterable
from typing import Final

Card = str
Colour = str

COLOURS: Final[dict[Colour, str]] = {
    "B": "blue",
    "N": "brown",
    "G": "green",
    "E": "grey",
    "R": "red",
    "V": "violet",
    "Y": "yellow",
}
"""Letters and names in the alphabetical order of the names, which is the order cards sort in."""

NUMBER: Final[dict[Card, int]] = {f"{c}{n}": n for c in COLOURS for n in range(21)}
"""Every card there is, in order, and its number; its colour is its first letter."""

POSITION_OF: Final[dict[Card, int]] = {card: place for place, card in enumerate(NUMBER)}
"""Where a card stands in the fixed order: by colour name, then by number."""

_SHARED_CARDS: Final[dict[Card, Card]] = {card: card for card in NUMBER}


def sort_cards(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Sort cards in the fixed order."""
    return tuple(sorted(cards, key=POSITION_OF.__getitem__))


def deck(colours: str, numbers: range) -> tuple[Card, ...]:
    """Return the cards of these colours (`"RGB"`) with these numbers, colour by colour.

    All decks share one string per card, so that looking a card up compares no letters.
    """
    return tuple(_SHARED_CARDS[f"{colour}{number}"] for colour in colours for number in numbers)


def without(tokens: tuple[str, ...], removed: str) -> tuple[str, ...]:
    """Return the cards or tokens without one of them."""
    rest = list(tokens)
    rest.remove(removed)
    return tuple(rest)
