"""State and views of Was sticht: trumps, column, round, state, view."""

from msgspec import Struct

from arena.cards import Card, Colour
from arena.games.base import Decision
from arena.games.trick_state import GameSetting, Hands, Trick


class Trumps(Struct, frozen=True):
    """The trump colour and the trump number of a round; None where there is none."""

    colour: Colour | None
    number: int | None


class Column(Struct, frozen=True):
    """A column in the order of picking, and who the dealer says would have won it as a trick.

    With three players the last card is the ghost's, whose seat is the one after the last, 3.
    """

    leader: int
    cards: tuple[Card, ...]
    hint: int


class DraftPast(Struct, frozen=True):
    """The round before this one: all that lay face up at its end."""

    trumps: Trumps
    tasks: tuple[str | None, ...]
    tricks: tuple[Trick, ...]
    discards: tuple[str | None, ...]
    """The token each seat got rid of in that round."""


class DraftRound(Struct, frozen=True):
    """What stands still while the cards of a round are picked or played."""

    setting: GameSetting
    number: int
    phase: str
    dealer: int
    tokens: tuple[tuple[str, ...], ...]
    discarded: tuple[tuple[str, ...], ...]
    past: DraftPast | None
    supply: tuple[str, ...] = ()
    """The tokens still on the table, while they are taken."""
    columns: tuple[tuple[Card, ...], ...] = ()
    trumps: Trumps = Trumps(None, None)
    tasks: tuple[str | None, ...] = ()
    discards: tuple[str | None, ...] = ()


class DraftState(Struct, frozen=True, gc=False):
    """A game in progress; in the draft the trick on the table is the column being picked."""

    round: DraftRound
    leader: int
    hands: Hands
    """As the trick or column began: nobody plays or picks twice in one."""
    pending: tuple[Decision, ...]
    """The open decisions."""
    picks: tuple[Column, ...] = ()
    tricks: tuple[Trick, ...] = ()
    trick: tuple[Card, ...] = ()
    """The cards played or picked since, in that order."""
    left: Hands = ()
    """The hands of those who did, in the same order."""


class DraftView(Struct, frozen=True, kw_only=True):
    """What a seat knows: everything but the trumps during the draft."""

    seat: int
    phase: str
    round: int
    scores: tuple[int, ...]
    dealer: int
    tokens: tuple[tuple[str, ...], ...]
    discarded: tuple[tuple[str, ...], ...]
    supply: tuple[str, ...]
    columns: tuple[tuple[Card, ...], ...]
    picks: tuple[Column, ...]
    trumps: Trumps | None
    """None while this seat does not know them."""
    tasks: tuple[str | None, ...]
    hand: tuple[Card, ...]
    hands: tuple[tuple[Card, ...], ...]
    leader: int
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    previous: DraftPast | None
    """The round before, until the first column of this one is picked."""
