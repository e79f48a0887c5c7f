"""The rules of Sticheln as functions, one for each axis, and its modifiers."""

from dataclasses import replace
from itertools import combinations

from arena.cards import NUMBER, Card, deck
from arena.games.base import DELAYED, DESIGNATE, PLAY
from arena.games.sticheln_engine import StichelnRules
from arena.games.trick_state import Deck


def sticheln_deck(seats: int) -> Deck:
    """The deck depends on the number of players and is shuffled whole for every round; cards that
    cannot be dealt evenly are shown to all before anybody chooses, and nobody scores them.
    """
    colours = "GNRBY" if seats <= 5 else "GNRBYV"
    top = {3: 8, 4: 11, 5: 14, 6: 14, 7: 17, 8: 18}[seats]
    return Deck(deck(colours, range(top + 1)), 14 if seats == 8 else 15)


def five_rounds(seats: int) -> int:
    """The game lasts five rounds; the starting seat leads the first trick of the first round, and
    in every further round the next seat clockwise does.
    """
    return 5


def before_play() -> tuple[str, ...]:
    """In every round, before the first trick, all players at the same time lay down one hand card
    for each special colour they are to have: its colour is special for that player in this round,
    and the card is never played but counts among the cards its owner has won.
    """
    return (DESIGNATE, PLAY)


def after_play() -> tuple[str, ...]:
    """All cards are played; after the last trick all players name their special colours for this
    round among the colours of the cards they have won.

    House ruling: they do so at the same time, and a player who has won no card names nothing and
    scores 0.
    """
    return (PLAY, DELAYED)


def one_colour(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Everybody has one special colour."""
    return choices


def two_colours(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Everybody has two special colours.

    House ruling: they differ, except that a player who can choose from one colour only has just
    that one.
    """
    pairs = tuple([f"{a}+{b}" for a, b in combinations(choices, 2) if a[0] != b[0]])
    return pairs or tuple([f"{a}+{b}" for a, b in combinations(choices, 2)]) or choices


def face_up(owner: int, viewer: int) -> bool:
    """The designating cards are turned up together as soon as all have chosen, and stay face up
    for the round.
    """
    return True


def face_down(owner: int, viewer: int) -> bool:
    """The designating cards stay face down, known only to their owners, until the last trick is
    over; then all are turned up and the round is scored.
    """
    return owner == viewer


def any_card(hand: tuple[Card, ...], trick: tuple[Card, ...]) -> tuple[Card, ...]:
    """Everybody plays one card to a trick, the leader first and then clockwise; any card may be
    played, and the winner of the trick takes its cards and leads the next.
    """
    return hand


def highest_trump(number: int) -> int:
    """The first card of a trick, even a 0, sets the led colour; a card of any other colour is a
    trump unless it is a 0, and the highest trump wins the trick, the first played of equal ones,
    or without a trump the highest card of the led colour.
    """
    return number


def lowest_trump(number: int) -> int:
    """The first card of a trick, even a 0, sets the led colour; a card of any other colour is a
    trump unless it is a 0, and the lowest trump wins the trick, the first played of equal ones.

    House ruling: without a trump the highest card of the led colour wins.
    """
    return -number


def leader_takes_zeros(leader: int) -> int | None:
    """A 0 wins only a trick of nothing but zeros, which goes to the first of them."""
    return leader


def by_number(card: Card) -> int:
    """A card of a special colour is worth its number."""
    return NUMBER[card]


def by_five(card: Card) -> int:
    """A card of a special colour is worth 5, also a 0."""
    return 5


def misery(special: int, others: int) -> int:
    """A player's special colours bring misery: the worth of every card of them that the player
    has won is lost, and every other card won brings 1 point, a 0 too.
    """
    return others - special


def luck(special: int, others: int) -> int:
    """A player's special colours bring luck: the worth of every card of them that the player has
    won is gained, and every other card won costs 1 point, a 0 too.
    """
    return special - others


def most_points(scores: tuple[int, ...]) -> tuple[int, ...]:
    """The highest total of all rounds wins.

    House ruling: equal totals share the victory.
    """
    return scores


STICHELN = StichelnRules(
    deck=sticheln_deck,
    rounds=five_rounds,
    phases=before_play,
    colours=one_colour,
    shown=face_up,
    legal=any_card,
    trump=highest_trump,
    zeros=leader_takes_zeros,
    worth=by_number,
    balance=misery,
    ending=most_points,
)


def reverse(rules: StichelnRules) -> StichelnRules:
    """The lowest trump wins and special colours are lucky."""
    return replace(rules, trump=lowest_trump, balance=luck)


def mild(rules: StichelnRules) -> StichelnRules:
    """Every card of a special colour counts 5."""
    return replace(rules, worth=by_five)


def aggravated(rules: StichelnRules) -> StichelnRules:
    """Everybody has two special colours."""
    return replace(rules, colours=two_colours)


def hazy(rules: StichelnRules) -> StichelnRules:
    """The designating cards stay face down."""
    return replace(rules, shown=face_down)


def delayed(rules: StichelnRules) -> StichelnRules:
    """Special colours are named after the last trick."""
    return replace(rules, phases=after_play)
