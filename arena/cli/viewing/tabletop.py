"""What lies on the table of a game that is told event by event."""

from arena.cards import Card, Colour, in_order
from arena.games.events import (
    Dealt,
    Designated,
    Discarded,
    Event,
    Hinted,
    LaidOut,
    Named,
    Passed,
    Picked,
    Played,
    Revealed,
    RoundBegan,
    Scored,
    TaskChosen,
    TaskJudged,
    TokensShown,
    TokenTaken,
    Took,
    TrumpsShown,
)


class Tabletop:
    """As much of the table as was told: what a seat did not see is not here."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.dealer: int | None = None
        self.tokens: list[list[str]] = [[] for _ in range(seats)]
        self.clear(0)

    def clear(self, number: int) -> None:
        """A new round begins."""
        self.round = number
        self.hands: dict[int, tuple[Card, ...]] = {}
        self.laid: dict[int, tuple[Card, ...]] = {}
        self.special: dict[int, tuple[Colour, ...]] = {}
        self.cards = 0
        """Cards played or passed."""
        self.columns: tuple[tuple[Card, ...], ...] = ()
        self.picked = 0
        """Columns that are picked."""
        self.tricks = [0] * self.seats
        self.won: list[list[Card]] = [[] for _ in range(self.seats)]
        self.passed = [0] * self.seats
        self.trumps: TrumpsShown | None = None
        self.tasks: dict[int, str] = {}
        self.judged: dict[int, TaskJudged] = {}
        self.discards: dict[int, str] = {}

    def put(self, event: Event) -> None:  # noqa: PLR0912 (one case for each kind)
        """Something has happened."""
        match event:
            case RoundBegan(round=number):
                self.clear(number)
            case Dealt(seat=seat, cards=cards):
                self.hands[seat] = cards
            case Designated(seat=seat, cards=cards) | Revealed(seat=seat, cards=cards):
                self.laid[seat] = cards
                self.special[seat] = tuple(dict.fromkeys(card[0] for card in cards))
                self.take_from_hand(seat, cards)
            case Named(seat=seat, colours=colours):
                self.special[seat] = colours
            case Played(seat=seat, card=card):
                self.play(seat, card)
            case Passed(seat=seat, card=card):
                self.play(seat, card)
                self.passed[seat] += 1
            case Took(seat=seat, cards=cards):
                self.tricks[seat] += 1
                self.won[seat] += cards
            case TokensShown(dealer=dealer):
                self.dealer = dealer
            case TokenTaken(seat=seat, task=task):
                self.tokens[seat] = sorted((*self.tokens[seat], task))
            case TrumpsShown():
                self.trumps = event
            case Picked(seat=seat, card=card):
                self.hands[seat] = in_order((*self.hands.get(seat, ()), card))
            case LaidOut(columns=columns):
                self.columns = columns
            case Hinted():
                self.picked += 1
            case TaskChosen(seat=seat, task=task):
                self.tasks[seat] = task
            case TaskJudged(seat=seat):
                self.judged[seat] = event
            case Discarded(seat=seat, task=task):
                self.tokens[seat].remove(task)
                self.discards[seat] = task
            case Scored() if self.dealer is not None:
                self.dealer = (self.dealer + 1) % self.seats

    def play(self, seat: int, card: Card) -> None:
        """A card goes from a hand to the trick."""
        self.cards += 1
        self.take_from_hand(seat, (card,))

    @property
    def trick(self) -> int:
        """The trick that was played to last, counted from 0."""
        return max(self.cards - 1, 0) // self.seats

    def take_from_hand(self, seat: int, cards: tuple[Card, ...]) -> None:
        """Cards leave a hand, if it is known."""
        if seat in self.hands:
            self.hands[seat] = tuple(card for card in self.hands[seat] if card not in cards)

    def special_cards(self, seat: int) -> tuple[Card, ...]:
        """What a seat has of its special colours: what it won, and what it laid down."""
        special = self.special.get(seat, ())
        own = (*self.laid.get(seat, ()), *self.won[seat])
        return in_order(card for card in own if card[0] in special)
