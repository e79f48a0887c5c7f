"""A witness: rebuilds the view of a seat from nothing but the events that seat has seen."""

from typing import Any

from arena.cards import sort_cards
from arena.games.events import (
    Dealt,
    Designated,
    Discarded,
    Ended,
    Event,
    Hinted,
    LaidOut,
    LeftOver,
    Named,
    Passed,
    Picked,
    Played,
    Revealed,
    RoundBegan,
    Scored,
    SetAside,
    TaskChosen,
    TokensShown,
    TokenTaken,
    Took,
    TrumpsShown,
)


class Witness:
    """What one seat has seen of a game so far."""

    def __init__(self, seats: int, seat: int) -> None:
        self.seats = seats
        self.seat = seat
        self.scores = (0,) * seats
        self.previous: dict[str, Any] | None = None
        self.dealer: int | None = None
        self.supply: list[str] = []
        self.tokens: list[list[str]] = [[] for _ in range(seats)]
        self.discarded: list[list[str]] = [[] for _ in range(seats)]
        self.leads = 0
        self.new_round(0)

    def new_round(self, number: int) -> None:
        self.round = number
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.left_over: tuple[str, ...] = ()
        self.designated: dict[int, tuple[str, ...]] = {}
        self.named: dict[int, tuple[str, ...]] = {}
        self.columns: tuple[tuple[str, ...], ...] = ()
        self.column: list[tuple[int, str]] = []
        self.picks: list[dict[str, Any]] = []
        self.trumps: tuple[str | None, int | None] | None = None
        self.tasks: dict[int, str] = {}
        self.trick: list[tuple[int, str]] = []
        self.tricks: list[dict[str, Any]] = []
        self.discards: dict[int, str] = {}

    def see(self, event: Event) -> None:  # noqa: PLR0912, PLR0915 (one case for each kind)
        assert event.is_visible_to(self.seat)
        match event:
            case RoundBegan(round=number, leader=leader):
                self.new_round(number)
                self.leads = leader
                if self.supply:
                    self.supply = []
            case Dealt(seat=seat, cards=cards):
                self.hands[seat] = list(cards)
            case LeftOver(cards=cards):
                self.left_over = cards
            case Designated(seat=seat, cards=cards):
                self.designated[seat] = cards
                self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
            case Revealed(seat=seat, cards=cards):
                self.designated[seat] = cards
            case Named(seat=seat, colours=colours):
                self.named[seat] = colours
            case Played(seat=seat, card=card) | Passed(seat=seat, card=card):
                assert self.tricks or seat == self.leads
                if not self.trick:
                    self.tricks.append({"leader": seat, "cards": [], "takers": [None] * self.seats})
                self.trick.append((seat, card))
                self.hands[seat] = [held for held in self.hands[seat] if held != card]
                self.tricks[-1]["cards"].append(card)
            case Took(seat=seat, cards=cards):
                for card in cards:
                    self.tricks[-1]["takers"][self.tricks[-1]["cards"].index(card)] = seat
                self.trick = []
            case SetAside(cards=cards):
                assert cards == tuple(self.tricks[-1]["cards"])
                self.trick = []
            case TokensShown(dealer=dealer, tasks=tasks):
                self.dealer, self.supply = dealer, list(tasks)
            case TokenTaken(seat=seat, task=task):
                self.supply.remove(task)
                self.tokens[seat].append(task)
            case LaidOut(columns=columns):
                self.columns = columns
            case TrumpsShown(colour=colour, number=number):
                self.trumps = (colour, number)
            case Picked(seat=seat, card=card):
                assert card in self.columns[len(self.picks)]
                self.column.append((seat, card))
                if seat < self.seats:
                    self.hands[seat].append(card)
            case Hinted(seat=seat):
                taken = [card for _, card in self.column]
                self.picks.append({"leader": self.column[0][0], "cards": taken, "hint": seat})
                self.column = []
            case TaskChosen(seat=seat, task=task):
                self.tasks[seat] = task
            case Discarded(seat=seat, task=task):
                self.tokens[seat].remove(task)
                self.discarded[seat].append(task)
                self.discards[seat] = task
            case Scored(points=points, scores=scores):
                self.score(points, scores)
            case Ended(scores=scores):
                assert scores == self.scores
                self.new_round(self.round + 1)

    def score(self, points: tuple[int, ...], scores: tuple[int, ...]) -> None:
        assert scores == tuple(a + b for a, b in zip(self.scores, points, strict=True))
        self.scores = scores
        seats = range(self.seats)
        laid = [self.designated.get(seat, ()) for seat in seats] if self.designated else []
        special = [self.named.get(seat, ()) for seat in seats] if self.named else []
        self.previous = {
            "points": points,
            "tricks": list(self.tricks),
            "designated": laid,
            "special": special or [tuple(dict.fromkeys(card[0] for card in own)) for own in laid],
            "trumps": self.trumps,
            "tasks": [self.tasks.get(seat) for seat in seats],
            "discards": [self.discards.get(seat) for seat in seats],
        }
        if self.dealer is not None:
            self.dealer = (self.dealer + 1) % self.seats

    def done(self) -> list[dict[str, Any]]:
        """The complete tricks."""
        return self.tricks[: -1 if self.trick else None]

    def hand(self, seat: int) -> tuple[str, ...]:
        return tuple(self.hands[seat]) if len(self.picks) < 9 else sort_cards(self.hands[seat])
