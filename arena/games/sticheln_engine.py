"""The engine of the Sticheln family: tricks and special colours."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations, product

from msgspec.structs import replace

from arena.cards import COLOURS, NUMBER, Card, Colour, without
from arena.games.base import DELAYED, DESIGNATE, Bounds, Decision, Rules, Sizes
from arena.games.events import Designated, Event, Named, Revealed
from arena.games.trick_state import (
    Deck,
    Hands,
    LegalCards,
    PreviousRound,
    Round,
    State,
    Trick,
    View,
)
from arena.games.tricks import TrickGame, trick_result_event

TRUMP_BASE = 100
"""Above every card of the led colour; the axis `trump` orders the trumps around it."""


@dataclass(frozen=True)
class StichelnRules(Rules):
    """One field for each axis on which the variants of the family differ."""

    deck: Callable[[int], Deck]
    rounds: Callable[[int], int]
    phases: Callable[[], tuple[str, ...]]
    colours: Callable[[tuple[str, ...]], tuple[str, ...]]
    shown: Callable[[int, int], bool]
    legal: LegalCards
    trump: Callable[[int], int]
    zeros: Callable[[int], int | None]
    worth: Callable[[Card], int]
    balance: Callable[[int, int], int]
    ending: Callable[[tuple[int, ...]], tuple[int, ...]]

    def game(self, variant: str, seats: int) -> "StichelnGame":
        """These rules at a table of this size."""
        return StichelnGame(variant, seats, self)

    def axes(self) -> Iterator[tuple[str, Callable[..., object]]]:
        """The axes that mean something: where nothing is designated, nothing is shown."""
        for axis, rule in super().axes():
            if axis != "shown" or DESIGNATE in self.phases():
                yield axis, rule

    def strength(self, led: Colour, card: Card) -> int:
        """How strong a card is in a trick: the strongest wins, of equal ones the first."""
        number = NUMBER[card]
        if number == 0:
            return 0
        return number if card[0] == led else TRUMP_BASE + self.trump(number)

    def points(self, card: Card, special: Sequence[Colour]) -> int:
        """What a card brings who owns it at the end of a round and has these special colours."""
        return self.balance(self.worth(card), 0) if card[0] in special else self.balance(0, 1)


class DesignatingView(View[Trick], frozen=True, kw_only=True, omit_defaults=True):
    """What a seat knows at such a table."""


class StichelnGame(TrickGame[Trick]):
    """A variant of the family at a table of a certain size."""

    view_type = DesignatingView

    def __init__(self, variant: str, seats: int, rules: StichelnRules) -> None:
        super().__init__(variant, seats, rules)
        self.rules = rules
        self.phases = rules.phases()
        self.strengths = {
            led: {card: rules.strength(led[0], card) for card in self.deck.cards}
            for led in self.deck.cards
        }
        """How strong every card is where a card was led."""
        colours = colours_of(self.deck.cards)
        self.card_points = {
            special: {card: rules.points(card, special) for card in self.deck.cards}
            for size in range(3)
            for special in combinations(colours, size)
        }
        """What every card brings, for each set of special colours."""
        self.shows_designated = all(
            rules.shown(owner, viewer) for owner, viewer in product(range(seats), repeat=2)
        )

    @property
    def sizes(self) -> Sizes:
        """As many tricks as cards are left in a hand that has designated."""
        sizes = super().sizes
        if DESIGNATE not in self.phases:
            return sizes
        return replace(sizes, tricks=sizes.tricks - self.special_count)

    @property
    def special_count(self) -> int:
        """How many special colours a seat has, unless it can choose from too few."""
        two_cards_option = self.rules.colours((self.cards[0], self.cards[-1]))[0]
        return len(two_cards_option.split("+"))

    def bounds(self) -> Bounds:
        """The extremes over all special colours; who wins which cards is free beyond that."""
        tricks, rounds = self.sizes.tricks, self.rounds
        colours = colours_of(self.cards)
        ends = [
            end
            for size in range(1, self.special_count + 1)
            for special in combinations(colours, size)
            for end in self._seat_extremes(special)
        ]
        totals = [
            end
            for special in combinations(colours, min(len(colours), self.seats * self.special_count))
            for end in self._total_extremes(special)
        ]
        named = 0 if DESIGNATE in self.phases else 1  # only who has won a card names a colour
        return Bounds(
            score=(rounds * min(ends), rounds * max(ends)),
            total=(
                rounds * max(min(totals), self.seats * min(ends)),
                rounds * min(max(totals), self.seats * max(ends)),
            ),
            decisions=(rounds * (tricks + 1 - named), rounds * (tricks + 1)),
        )

    def _seat_extremes(self, special: tuple[Colour, ...]) -> Iterator[int]:
        """The least and the most points in a round for a seat with these special colours.

        It owns its designating cards, or else one card of each colour that it names, and with them
        the cards of some whole tricks.
        """
        before, points = DESIGNATE in self.phases, self.card_points[special]
        short = len(special) < self.special_count  # it had one colour to choose from
        laid = self.special_count if before and short else 1
        pool = special if short and not before else colours_of(self.cards)
        for sign in (-1, 1):
            worth = {
                colour: sorted(
                    (sign * points[c] for c in self.cards if c[0] == colour), reverse=True
                )
                for colour in pool
            }
            owned = [value for colour in special for value in worth[colour][:laid]]
            others = [
                value
                for colour in pool
                for value in worth[colour][laid if colour in special else 0 :]
            ]
            sums = [0, *accumulate(sorted(others, reverse=True))]
            sizes = range(0, self.seats * self.sizes.tricks + 1, self.seats)
            if not before:
                yield 0  # it has won nothing
                sizes = range(self.seats - len(owned), sizes[-1] - len(owned) + 1, self.seats)
            yield from (sign * (sum(owned) + sums[size]) for size in sizes if size < len(sums))

    def _total_extremes(self, special: tuple[Colour, ...]) -> Iterator[int]:
        """The least and the most points in a round for all seats together.

        Only these colours are special, each for whoever owns a card of it or not, as it suits; but
        designating cards are so for certain.
        """
        laid = self.seats * self.special_count if DESIGNATE in self.phases else 0
        lost = self.rules.zeros(0) is None
        for sign in (-1, 1):
            best, loss = [], []
            for card in self.cards:
                values = [sign * self.card_points[()][card]]
                if card[0] in special:
                    values.append(sign * self.card_points[card[0],][card])
                if lost and NUMBER[card] == 0:
                    values.append(0)
                best.append(max(values))
                if card[0] in special:
                    loss.append(max(values) - values[1])
            dealt = self.seats * self.deck.hand
            yield sign * (sum(sorted(best)[-dealt:]) - sum(sorted(loss)[:laid]))

    def take_trick(self, leader: int, cards: tuple[Card, ...]) -> tuple[Trick, int]:
        """The strongest card wins; a trick of zeros goes where the axis `zeros` says."""
        strengths = [*map(self.strengths[cards[0]].__getitem__, cards)]
        strongest = max(strengths)
        if strongest == 0:
            return Trick(leader, cards, self.rules.zeros(leader)), leader
        winner = self.clockwise_from[leader][strengths.index(strongest)]
        return Trick(leader, cards, winner), winner

    def cards_won(self, tricks: tuple[Trick, ...]) -> tuple[list[Card], ...]:
        """The cards each seat has won with these tricks."""
        won: tuple[list[Card], ...] = tuple([] for _ in range(self.seats))
        for trick in tricks:
            if trick.winner is not None:
                won[trick.winner].extend(trick.cards)
        return won

    def points(self, round_: Round[Trick], tricks: tuple[Trick, ...]) -> tuple[int, ...]:
        """Won and designating cards, scored by the special colours of their owner."""
        laid = round_.designated or ((),) * self.seats
        return tuple(
            sum(map(self.card_points[special].__getitem__, chain(won, own)))
            for won, own, special in zip(self.cards_won(tricks), laid, round_.special, strict=True)
        )

    def phase_decisions(
        self, round_: Round[Trick], hands: Hands, tricks: tuple[Trick, ...]
    ) -> tuple[Decision, ...]:
        """Every seat at once: which cards to lay down, or which of its won colours to name."""
        choose, phase = self.rules.colours, round_.phase
        held = hands if phase == DESIGNATE else map(colours_of, self.cards_won(tricks))
        return tuple(
            Decision(seat, phase, choose(choices)) for seat, choices in enumerate(held) if choices
        )

    def resolve_phase(
        self, state: State[Trick], choices: Sequence[str]
    ) -> tuple[Round[Trick], Hands]:
        """The chosen cards leave the hands; their colours, or the colours named, are special."""
        chosen = [tuple(choice.split("+")) for choice in choices]
        if state.round.phase == DELAYED:
            named = dict(zip((decision.seat for decision in state.pending), chosen, strict=True))
            special = tuple(named.get(seat, ()) for seat in range(self.seats))
            return replace(state.round, special=special), state.hands
        hands = state.hands
        for laid in zip(*chosen, strict=True):
            hands = tuple(map(without, hands, laid))
        special = tuple([tuple(dict.fromkeys([card[0] for card in own])) for own in chosen])
        return replace(state.round, designated=tuple(chosen), special=special), hands

    def visible_designated(
        self, round_: Round[Trick], seat: int
    ) -> tuple[tuple[Card, ...] | None, ...]:
        """The designating cards this seat may see."""
        laid, shown = round_.designated, self.rules.shown
        if self.shows_designated:
            return laid
        return tuple([cards if shown(owner, seat) else None for owner, cards in enumerate(laid)])

    def trick_events(self, trick: Trick) -> Iterator[Event]:
        """A trick is taken, or set aside."""
        yield trick_result_event(trick)

    def phase_events(self, before: State[Trick], choices: Sequence[str]) -> Iterator[Event]:
        """All have designated, or named their colours."""
        for decision, choice in zip(before.pending, choices, strict=True):
            owner, chosen = decision.seat, tuple(choice.split("+"))
            if decision.kind == DELAYED:
                yield Named(owner, chosen)
                continue
            seers = tuple(seat for seat in range(self.seats) if self.rules.shown(owner, seat))
            yield Designated(owner, chosen, to=None if self.shows_designated else seers)

    def round_end_events(self, past: PreviousRound[Trick]) -> Iterator[Event]:
        """What lay face down is turned up."""
        if not self.shows_designated:
            for owner, cards in enumerate(past.designated):
                yield Revealed(owner, cards)


def colours_of(cards: Sequence[Card]) -> tuple[Colour, ...]:
    """The colours among these cards, in order."""
    present = {card[0] for card in cards}
    return tuple(filter(present.__contains__, COLOURS))
