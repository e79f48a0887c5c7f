"""The rules of Sticheln as values on independent axes, and the modifiers that change them."""

from dataclasses import replace
from itertools import combinations

from arena.cards import NUMBER, Card, deck
from arena.games.designating import RuleSet
from arena.games.phases import DELAYED, DESIGNATE, PLAY
from arena.games.trick_table import Deck


def sticheln_deck(seats: int) -> Deck:
    """The deck depends on the number of players and is shuffled whole for every round; cards that
    cannot be dealt evenly are shown to all before anybody chooses, and nobody scores them.
    """
    colours = "GNRBY" if seats <= 5 else "GNRBYV"
    top = {3: 8, 4: 11, 5: 14, 6: 14, 7: 17, 8: 18}[seats]
    return Deck(deck(colours, range(top + 1)), 14 if seats == 8 else 15)


def five_rounds(seats: int) -> int:
    """The game lasts five rounds; one seat leads the first trick of the first round, and with
    every further round that right moves one seat clockwise.
    """
    return 5


def before_play() -> tuple[str, ...]:
    """Before the first trick all players at the same time lay a hand card down for each special
    colour they fix; these cards are never played and belong to their owner at the end.
    """
    return (DESIGNATE, PLAY)


def after_play() -> tuple[str, ...]:
    """All cards are played; then all players name their special colours at the same time, out of
    the colours they have won.

    House ruling: who has won no card names nothing and scores 0.
    """
    return (PLAY, DELAYED)


def one_colour(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Everybody fixes one special colour, and any colour at hand will do."""
    return choices


def two_colours(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Everybody fixes two special colours.

    House ruling: the two differ; only who has nothing but one colour to choose from has that one.
    """
    pairs = tuple([f"{a}+{b}" for a, b in combinations(choices, 2) if a[0] != b[0]])
    return pairs or tuple([f"{a}+{b}" for a, b in combinations(choices, 2)]) or choices


def face_up(owner: int, viewer: int) -> bool:
    """Designating cards are turned up together as soon as all have chosen, and stay so."""
    return True


def face_down(owner: int, viewer: int) -> bool:
    """Designating cards stay face down, known only to their owners, until the last trick is over;
    then all are turned up and the round is scored.
    """
    return owner == viewer


def any_card(hand: tuple[Card, ...], trick: tuple[Card, ...]) -> tuple[Card, ...]:
    """Everybody plays one card to a trick, the leader first and then clockwise, and any card will
    do.
    """
    return hand


def highest_trump(number: int) -> int:
    """A card of another colour than the first card is a trump, unless it is a 0; the highest trump
    wins the trick, of equal ones the first, and without a trump the highest card of the colour
    that was led, be it by a 0.
    """
    return number


def lowest_trump(number: int) -> int:
    """A card of another colour than the first card is a trump, unless it is a 0; the lowest trump
    wins the trick, of equal ones the first.

    House ruling: without a trump the highest card of the colour that was led wins, be it by a 0.
    """
    return -number


def leader_takes_zeros(leader: int) -> int | None:
    """A 0 wins only if nothing but zeros was played, and then the first of them does; the winner
    takes the cards and leads the next trick.
    """
    return leader


def by_number(card: Card) -> int:
    """A card of a special colour is worth its number, a 0 nothing."""
    return NUMBER[card]


def by_five(card: Card) -> int:
    """Every card of a special colour is worth 5, a 0 too."""
    return 5


def misery(special: int, others: int) -> int:
    """Special colours are misery: their cards count against their owner, and every other card
    brings 1 point.
    """
    return others - special


def luck(special: int, others: int) -> int:
    """Special colours are lucky: their cards count for their owner, and every other card costs
    1 point.
    """
    return special - others


def most_points(scores: tuple[int, ...]) -> tuple[int, ...]:
    """The highest total wins.

    House ruling: equal totals share the victory.
    """
    return scores


STICHELN = RuleSet(
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


def reverse(rules: RuleSet) -> RuleSet:
    """The lowest trump wins and the special colour is lucky."""
    return replace(rules, trump=lowest_trump, balance=luck)


def mild(rules: RuleSet) -> RuleSet:
    """Every card of the special colour counts 5."""
    return replace(rules, worth=by_five)


def aggravated(rules: RuleSet) -> RuleSet:
    """Everybody has two special colours."""
    return replace(rules, colours=two_colours)


def hazy(rules: RuleSet) -> RuleSet:
    """The designating cards stay face down."""
    return replace(rules, shown=face_down)


def delayed(rules: RuleSet) -> RuleSet:
    """The special colour is named after the last trick."""
    return replace(rules, phases=after_play)
