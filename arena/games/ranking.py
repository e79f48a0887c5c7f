"""How the cards of Was sticht rank under certain trumps, worked out beforehand."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from arena.cards import Card
from arena.games.draft_table import Trumps

Suit = Callable[[Card, Trumps], str]
Strength = Callable[[Card, str, Trumps], int]


class Ranking(Struct, frozen=True):
    """What the card that was led means for every card."""

    suit: dict[Card, frozenset[Card]]
    """The cards that follow a led card."""
    strength: dict[Card, dict[Card, int]]
    """How strong every card is where a card was led."""


def ranked(cards: Sequence[Card], trumps: Trumps, suit: Suit, strength: Strength) -> Ranking:
    """What the axes `suit` and `strength` say of every card under these trumps."""
    suits = {card: suit(card, trumps) for card in cards}
    names = set(suits.values())
    members = {name: frozenset(card for card in cards if suits[card] == name) for name in names}
    strengths = {name: {card: strength(card, name, trumps) for card in cards} for name in names}
    return Ranking(
        {card: members[suits[card]] for card in cards},
        {card: strengths[suits[card]] for card in cards},
    )
