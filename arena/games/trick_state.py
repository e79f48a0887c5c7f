"""State and views of a trick-taking game: deck, trick, round, state, view."""

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

from arena.cards import Card, Colour
from arena.games.base import Decision, Shuffle

Hands = tuple[tuple[Card, ...], ...]
LegalCards = Callable[[tuple[Card, ...], tuple[Card, ...]], tuple[Card, ...]]
"""What of a hand may be played to the cards of a trick."""


class Deck(Struct, frozen=True):
    """The cards of a game in the order they are shuffled from, and how many each seat gets."""

    cards: tuple[Card, ...]
    hand: int


class Trick(Struct, frozen=True, gc=False):
    """A finished trick: the cards in the order of play, and the seat that won it, if any did."""

    leader: int
    cards: tuple[Card, ...]
    winner: int | None


TrickT = TypeVar("TrickT")
"""What a finished trick is in a game: `Trick`, or something of its own."""


class PreviousRound(Struct, Generic[TrickT], frozen=True, omit_defaults=True):
    """The round before this one: all that lay face up at its end."""

    tricks: tuple[TrickT, ...]
    points: tuple[int, ...]
    designated: tuple[tuple[Card, ...], ...] = ()
    special: tuple[tuple[Colour, ...], ...] = ()


class GameSetting(Struct, frozen=True):
    """What was settled before the first round."""

    shuffle: Shuffle
    first: int


class Round(Struct, Generic[TrickT], frozen=True):
    """What stands still while the cards of a round are played."""

    setting: GameSetting
    number: int
    phase: str
    left_over: tuple[Card, ...]
    scores: tuple[int, ...]
    past: PreviousRound[TrickT] | None
    designated: tuple[tuple[Card, ...], ...] = ()
    special: tuple[tuple[Colour, ...], ...] = ()


class State(Struct, Generic[TrickT], frozen=True, gc=False):
    """A game in progress."""

    round: Round[TrickT]
    leader: int
    hands: Hands
    """As the trick on the table began: nobody plays twice to a trick."""
    tricks: tuple[TrickT, ...]
    pending: tuple[Decision, ...]
    """The open decisions."""
    trick: tuple[Card, ...] = ()
    """The cards on the table, in the order of play."""
    left: Hands = ()
    """What is left in the hands of those who played them, in the same order."""


class View(Struct, Generic[TrickT], frozen=True, kw_only=True, omit_defaults=True):
    """What a seat knows: its hand, and everything in this round that was ever face up."""

    seat: int
    phase: str
    round: int
    scores: tuple[int, ...]
    hand: tuple[Card, ...]
    leader: int
    trick: tuple[Card, ...]
    tricks: tuple[TrickT, ...]
    left_over: tuple[Card, ...] = ()
    designated: tuple[tuple[Card, ...] | None, ...] = ()
    """The designating cards of each seat, where a game has them; None while they lie face down."""
    previous: PreviousRound[TrickT] | None = None
    """The round before, until the first trick of this one is complete."""
