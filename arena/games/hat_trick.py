"""Hat Trick: rules and engine, with double tricks and passes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct

from arena.cards import NUMBER, Card, Colour, deck
from arena.games.base import Bounds, Rules
from arena.games.events import Event, Passed, Took
from arena.games.sticheln import five_rounds, most_points
from arena.games.trick_state import Deck, LegalCards, Round, State, View
from arena.games.tricks import TrickGame

LEAD_ORDER = "GBR"
"""The colours from worst to best, where nothing else decides who leads."""

LEAD_PRIORITY = {
    card: 3 * NUMBER[card] + LEAD_ORDER.index(card[0]) for card in deck(LEAD_ORDER, range(21))
}
CARD_BY_PRIORITY = {claim: card for card, claim in LEAD_PRIORITY.items()}
"""A card's claim to lead, and back: by its number, of equal ones by its colour."""


def three_colours(seats: int) -> Deck:
    """The deck is red, blue and green from 1 to 20, with seven players from 0; it is shuffled whole
    for every round and dealt out.
    """
    return Deck(deck("RBG", range(0 if seats == 7 else 1, 21)), {4: 15, 5: 12, 6: 10, 7: 9}[seats])


def last_card_out() -> int:
    """A round ends when everybody has one card left, which is laid aside without being shown and
    counts for nothing.
    """
    return 1


def lay_any_card(hand: tuple[Card, ...], trick: tuple[Card, ...]) -> tuple[Card, ...]:
    """Everybody lays one card, the leader first and then clockwise; any card may be laid."""
    return hand


def two_tricks(cards: Sequence[Card]) -> dict[Colour, list[Card]]:
    """The cards of the first card's colour form one trick, and those of the second colour laid
    form another beside it, a double trick; once two colours are there, a card of the third is a
    pass, even if its player could have joined a trick: it is shown and laid face down before its
    player.
    """
    tricks: dict[Colour, list[Card]] = {}
    for card in cards:
        if card[0] in tricks:
            tricks[card[0]].append(card)
        elif len(tricks) < 2:
            tricks[card[0]] = [card]
    return tricks


def highest_number(colour: Sequence[Card]) -> Card:
    """In each of the one or two tricks the highest card wins all cards of its colour, which then
    lie open before the winner; a card alone in its colour is won by its own player.

    House ruling: with seven players the 0 is simply the lowest card.
    """
    return max(colour, key=NUMBER.__getitem__)


def highest_lone_number(joined: Sequence[Card]) -> Card:
    """The next leader is the player who laid the highest number that was laid only once, both
    tricks taken together and passes left out; if every number was laid twice, the better colour
    of the highest one leads, red before blue before green.
    """
    claims = sorted([LEAD_PRIORITY[card] for card in joined])
    top = claims[-1]
    while claims:
        claim = claims.pop()
        if not claims or claims[-1] // 3 != claim // 3:
            return CARD_BY_PRIORITY[claim]
        claims.pop()
    return CARD_BY_PRIORITY[top]


def best_colour(won: Sequence[Colour], passed: int) -> int:
    """Every card of the colour a player has won most of brings 1 point (of equal colours only one
    does so), every other card won costs 1, and every passed card costs 2.
    """
    most = max(map(won.count, LEAD_ORDER))
    return 2 * most - len(won) - 2 * passed


@dataclass(frozen=True)
class HatTrickRules(Rules):
    """Hat Trick, one field for each axis."""

    deck: Callable[[int], Deck] = three_colours
    rounds: Callable[[int], int] = five_rounds
    legal: LegalCards = lay_any_card
    double: Callable[[Sequence[Card]], dict[Colour, list[Card]]] = two_tricks
    winner: Callable[[Sequence[Card]], Card] = highest_number
    leader: Callable[[Sequence[Card]], Card] = highest_lone_number
    kept: Callable[[], int] = last_card_out
    score: Callable[[Sequence[Colour], int], int] = best_colour
    ending: Callable[[tuple[int, ...]], tuple[int, ...]] = most_points

    def game(self, variant: str, seats: int) -> "HatTrickGame":
        """These rules at a table of this size."""
        return HatTrickGame(variant, seats, self)


def even_colours(count: int) -> str:
    """So many cards, of all colours as equally many as can be: the fewest points for them."""
    return (LEAD_ORDER * (count // len(LEAD_ORDER) + 1))[:count]


class DoubleTrick(Struct, frozen=True, gc=False):
    """A finished trick or pair of tricks: the cards in the order of play, and who took each."""

    leader: int
    cards: tuple[Card, ...]
    takers: tuple[int | None, ...]
    """None for a card that was passed and stays with its owner."""


class HatTrickView(View[DoubleTrick], frozen=True, kw_only=True, omit_defaults=True):
    """What a seat knows in Hat Trick."""


class HatTrickGame(TrickGame[DoubleTrick]):
    """Hat Trick at a table of a certain size."""

    view_type = HatTrickView

    def __init__(self, variant: str, seats: int, rules: HatTrickRules) -> None:
        super().__init__(variant, seats, rules)
        self.rules = rules
        self.kept_cards = rules.kept()

    def bounds(self) -> Bounds:
        """A seat wins at best a whole colour and at worst passes, or wins all colours alike.

        Who passes wins nothing in that trick. Two cards of a trick are never passes.
        """
        seats, tricks, score = self.seats, self.sizes.tricks, self.rules.score
        colour = len(self.cards) // len(LEAD_ORDER)
        lowest = min(
            score(even_colours(won), passed)
            for passed in range(tricks + 1)
            for won in range(min(seats * (tricks - passed), len(self.cards)) + 1)
        )
        highest = score(LEAD_ORDER[0] * min(colour, seats * tricks), 0)
        passes = (seats - 2) * tricks
        joined = min(score(even_colours(won), 0) for won in range(2 * tricks + 1))
        return Bounds(
            score=(self.rounds * lowest, self.rounds * highest),
            total=(self.rounds * (score("", passes) + joined), self.rounds * seats * tricks),
            decisions=(self.rounds * tricks, self.rounds * tricks),
        )

    def take_trick(self, leader: int, cards: tuple[Card, ...]) -> tuple[DoubleTrick, int]:
        """Each colour goes to its highest card, passed cards stay where they are."""
        rules, seats = self.rules, self.clockwise_from[leader]
        winners, joined = {}, []
        for colour, own in rules.double(cards).items():
            winners[colour] = seats[cards.index(rules.winner(own))]
            joined += own
        takers = tuple([winners.get(card[0]) for card in cards])
        next_leader = seats[cards.index(rules.leader(joined))]
        return DoubleTrick(leader, cards, takers), next_leader

    def points(
        self,
        round_: Round[DoubleTrick],
        tricks: tuple[DoubleTrick, ...],
    ) -> tuple[int, ...]:
        """What each seat has won, and how often it passed."""
        won: list[list[Colour]] = [[] for _ in range(self.seats)]
        passed = [0] * self.seats
        for trick in tricks:
            seats = self.clockwise_from[trick.leader]
            for seat, card, taker in zip(seats, trick.cards, trick.takers, strict=True):
                if taker is None:
                    passed[seat] += 1
                else:
                    won[taker].append(card[0])
        return tuple(map(self.rules.score, won, passed))

    def play_event(self, before: State[DoubleTrick], card: Card) -> Event:
        """A card is played, or is a pass."""
        event = super().play_event(before, card)
        if card[0] in self.rules.double((*before.trick, card)):
            return event
        return Passed(before.pending[0].seat, card)

    def trick_events(self, trick: DoubleTrick) -> Iterator[Event]:
        """Each winner takes the cards of a colour."""
        seats = self.clockwise_from[trick.leader]
        for own in self.rules.double(trick.cards).values():
            highest = trick.cards.index(self.rules.winner(own))
            yield Took(seats[highest], tuple(own))


HAT_TRICK = HatTrickRules()
