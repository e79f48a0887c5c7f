"""A bot for Stichkampf: one file, nothing but the standard library.

Your strategy goes into `MyBot`, at the end: one method for each kind of decision. Each gets a
`View`, which holds everything your seat may know, and returns one of `view.options`. What you do
not write is done simply by `Bot`, which also does the talking.

One process plays many games at once, which is fast and costs you nothing, as long as you keep
nothing from one question to the next. A bot that wants to remember does so by `view.game`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any


@dataclass
class Limits:
    """The time a bot has, in seconds; all but `wall` is CPU time."""

    start: float
    """From the launch until it is ready."""
    move: float
    """For each decision."""
    bank: float
    """For each game: it pays for what goes over `move`."""
    wall: float
    """However little CPU time it takes, no answer takes longer."""


@dataclass
class Clock:
    """The CPU time there is for one decision, in seconds."""

    move: float
    """For this decision alone."""
    bank: float
    """What is left for this game beyond `move`."""


@dataclass
class Hello:
    """The referee's first message."""

    protocol: int
    """The version of the protocol spoken; this is 1."""
    line: int
    """The longest line a bot may send, in bytes."""
    games: int
    """The most games a bot will be asked about at once."""
    limits: Limits | None
    """The time a bot has; None: no clock runs."""

    def __post_init__(self) -> None:
        self.limits = made(Limits, self.limits)


@dataclass
class Start:
    """A game begins."""

    game: int
    """Stands for this game in all messages."""
    variant: str
    """The rules played, such as "sticheln+mild"."""
    seats: int
    """How many sit at the table."""
    seat: int
    """Where you sit; seats are numbered clockwise from 0."""
    rounds: int | None
    """How many rounds are played; None: until somebody has finished."""
    cards: list[str]
    """All cards there are in this game."""
    seed: int
    """For your own chance, if you want your games repeatable."""
    bots: list[str] | None = None
    """Who sits where; None where the opponents are anonymous."""


@dataclass
class Result:
    """A game is over."""

    game: int
    """The game it is about."""
    scores: list[int]
    """The score of each seat."""
    ranks: list[int]
    """The rank of each seat, 1 is best."""


@dataclass
class Fault:
    """You broke the protocol; the referee has chosen for you where a choice was due."""

    game: int | None
    """The game it counts in; None: none that is going on."""
    id: int | None
    """The question that is settled by it; None: none was open."""
    fault: str
    """What it is called, such as "illegal" or "timeout"."""
    text: str
    """What was wrong."""


@dataclass
class Trick:
    """A finished trick."""

    leader: int
    """The seat that led it."""
    cards: list[str]
    """In the order of play: card n is that of seat (leader + n) % len(cards)."""
    winner: int | None = None
    """The seat that won it; None: nobody, it is set aside. Not in Hat Trick."""
    takers: list[int | None] | None = None
    """Hat Trick: the seat that took each card; None for a pass."""


@dataclass
class Column:
    """Was sticht: a column that is completely picked."""

    leader: int
    """The seat that picked first."""
    cards: list[str]
    """In the order of picking; with three seats the last is the ghost's."""
    hint: int
    """The seat that would have won it as a trick; with three seats 3 is the ghost."""


@dataclass
class Trumps:
    """Was sticht: the trumps of a round."""

    colour: str | None
    """None: no colour is trump."""
    number: int | None
    """None: no number is trump."""


@dataclass
class Past:
    """The round before this one."""

    tricks: list[Trick]
    """Its tricks."""
    points: list[int] | None = None
    """What each seat scored in it. Not in Was sticht."""
    designated: list[list[str]] | None = None
    """Sticheln, Stick 'Em: the designating cards of each seat."""
    special: list[list[str]] | None = None
    """Sticheln, Stick 'Em: the special colours of each seat."""
    trumps: Trumps | None = None
    """Was sticht: its trumps."""
    tasks: list[str | None] | None = None
    """Was sticht: the task each seat had chosen, None for the dealer."""
    discards: list[str | None] | None = None
    """Was sticht: the token each seat discarded in it, None for none."""

    def __post_init__(self) -> None:
        self.tricks = [made(Trick, trick) for trick in self.tricks]
        self.trumps = made(Trumps, self.trumps)


@dataclass
class View:
    """What is to be decided, and everything your seat may know."""

    game: int
    """Stands for the game, for a bot that wants to remember something about it."""
    variant: str
    """The rules, such as "sticheln+mild"; `arena rules` explains them."""
    kind: str
    """What is to be decided, which is the name of the method that is asked."""
    options: list[str]
    """The legal choices; the answer is one of them."""
    clock: Clock | None
    """The time there is; None: no clock runs."""

    seat: int
    """Your seat, counted clockwise from 0."""
    phase: str
    """The phase of the round, which is `kind` again."""
    round: int
    """The round, counted from 0."""
    scores: list[int]
    """The points of each seat in the finished rounds; Was sticht: tokens discarded."""
    hand: list[str]
    """Your cards, such as "R7": a colour's letter and a number."""
    leader: int
    """The seat that leads the trick on the table (in the draft: that picks first)."""
    trick: list[str]
    """The cards on the table in the order of play; empty if you lead."""
    tricks: list[Trick]
    """The finished tricks of this round."""
    previous: Past | None = None
    """The round before, until the first trick (column) of this one is complete."""

    left_over: list[str] | None = None
    """Sticheln: the cards of this round that could not be dealt evenly; None: all were."""
    designated: list[list[str] | None] | None = None
    """Sticheln, Stick 'Em: the designating cards of each seat, None where they lie face down."""

    dealer: int | None = None
    """Was sticht: the seat that deals."""
    tokens: list[list[str]] | None = None
    """Was sticht: the tokens each seat holds."""
    discarded: list[list[str]] | None = None
    """Was sticht: the tokens each seat has discarded."""
    supply: list[str] | None = None
    """Was sticht: the tokens on the table while they are taken."""
    columns: list[list[str]] | None = None
    """Was sticht: the layout of this round as it was before any pick."""
    picks: list[Column] | None = None
    """Was sticht: the columns that are completely picked."""
    trumps: Trumps | None = None
    """Was sticht: the trumps of this round; None while you do not know them."""
    tasks: list[str | None] | None = None
    """Was sticht: the task of each seat, None for the dealer; empty until all have chosen."""
    hands: list[list[str]] | None = None
    """Was sticht: the cards of each seat, which are public."""

    def __post_init__(self) -> None:
        self.clock = made(Clock, self.clock)
        self.tricks = [made(Trick, trick) for trick in self.tricks]
        self.picks = [made(Column, pick) for pick in self.picks or ()]
        self.trumps = made(Trumps, self.trumps)
        self.previous = made(Past, self.previous)

    @property
    def special(self) -> str:
        """Sticheln, Stick 'Em: the letters of your special colours; "" while you have none."""
        laid = self.designated[self.seat] if self.designated else None
        return "".join(card[0] for card in laid or ())

    @property
    def won(self) -> list[str]:
        """The cards you have won in this round."""
        mine = (trick.cards for trick in self.tricks if trick.winner == self.seat)
        return [card for cards in mine for card in cards]


def made(shape: Any, found: Any) -> Any:
    """A message's part as an object; what a later version adds is left out."""
    if found is None:
        return None
    known = names(shape)
    return shape(**{key: value for key, value in found.items() if key in known})


@cache
def names(shape: Any) -> frozenset[str]:
    """The fields an object can have."""
    return frozenset(field.name for field in fields(shape))


def number(card: str) -> int:
    """The number of a card; its colour is `card[0]`."""
    return int(card[1:])


def total(cards: Iterable[str]) -> int:
    """The sum of the numbers of cards."""
    return sum(number(card) for card in cards)


EASY_FIRST = [
    "no_red",
    "no_blue",
    "no_green",
    "no_yellow",
    "last_trick",
    "exactly_2",
    "fewest_tricks",
    "exactly_3",
    "most_tricks",
    "exactly_1",
    "exactly_4",
    "no_trick",
]
"""The tasks of Was sticht, by how often one fulfils them."""


class Bot:
    """Talks to the referee, and plays simply where a subclass does not know better."""

    games = 64
    """How many games it can play at once; 1 for a bot that cannot tell games apart."""

    patience = 0.01
    """Seconds after which answers are sent, even if more questions lie ready."""

    limits: Limits | None = None
    """The time you have, as told at the start; None: no clock runs."""

    note: str | None = None
    """Set it while you choose, and the replay shows it beside this decision."""

    def log(self, text: object) -> None:
        """Write to stderr, for yourself; stdout belongs to the referee."""
        sys.stderr.write(f"{text}\n")

    def start(self, start: Start) -> None:
        """A game begins."""

    def result(self, result: Result) -> None:
        """A game has ended, unless you lost it by a fault."""

    def fault(self, fault: Fault) -> None:
        """You have made a mistake."""
        self.log(f"The referee says: {fault.text}")

    def designate(self, view: View) -> str:
        """Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you.

        The card counts as won by you, so it is a low one, or with Reverse a high one.
        """
        best = max if "reverse" in view.variant else min
        return best(view.options, key=lambda option: total(option.split("+")))

    def play(self, view: View) -> str:
        """All games: the card you play to the trick. A low one seldom does harm."""
        cards = view.options
        if view.variant == "hat-trick":
            colours = {card[0] for card in view.trick}
            if len(colours) == 2:  # a card of the third colour would be a pass and cost 2 points
                cards = [card for card in cards if card[0] in colours] or cards
        return min(cards, key=number)

    def delayed(self, view: View) -> str:
        """With Delayed: the special colour, or pair "B+R", that you name after the last trick."""
        best = max if "reverse" in view.variant else min
        return best(
            view.options,
            key=lambda option: total(card for card in view.won if card[0] in option),
        )

    def token(self, view: View) -> str:
        """Was sticht: the task token you take before the first round."""
        return min(view.options, key=EASY_FIRST.index)

    def pick(self, view: View) -> str:
        """Was sticht: the card you take from the column."""
        return min(view.options, key=number)

    def task(self, view: View) -> str:
        """Was sticht: the task among your tokens that you try in this round."""
        return min(view.options, key=EASY_FIRST.index)

    def discard(self, view: View) -> str:
        """Was sticht: the token you get rid of as a dealer who succeeded."""
        return max(view.options, key=EASY_FIRST.index)

    def choose(self, message: dict[str, Any]) -> str:
        """Ask the method that is named like the kind of decision."""
        kind: str = message["kind"]
        if kind not in KINDS:
            return str(message["options"][0])
        view: View = made(View, message["view"] | message)
        choice = getattr(self, kind)(view)
        if choice not in view.options:
            self.log(f"{kind} returned {choice!r}; it has to be one of {', '.join(view.options)}")
        return str(choice)

    def hear(self, message: dict[str, Any]) -> str:
        """The line that answers a message, or nothing; what is not known is ignored."""
        match message.get("type"):
            case "hello":
                self.limits = made(Hello, message).limits
                return line(type="ready", games=self.games)
            case "start" if "variant" in message:
                self.start(made(Start, message))
            case "decide":
                self.note = None
                answer = {"type": "choose", "id": message["id"], "choice": self.choose(message)}
                return line(**answer) if self.note is None else line(**answer, note=self.note)
            case "result":
                self.result(made(Result, message))
            case "fault":
                self.fault(made(Fault, message))
        return ""

    def run(self) -> None:
        """Answer all questions there are, wait for more, and return when the referee hangs up."""
        rest = b""
        while batch := os.read(sys.stdin.fileno(), 1 << 16):
            *lines, rest = (rest + batch).split(b"\n")
            answers = ""
            begun = time.monotonic()
            for each in lines:
                answers += self.hear(json.loads(each))
                # One write for many answers is fast. But the clock runs until an answer is
                # sent, so none is kept back while you think about the next question.
                if time.monotonic() - begun > self.patience:
                    send(answers)
                    answers = ""
                    begun = time.monotonic()
            send(answers)


KINDS = ("designate", "play", "delayed", "token", "pick", "task", "discard")


def line(**message: object) -> str:
    """A message as a line."""
    return json.dumps(message) + "\n"


def send(lines: str) -> None:
    """Write to the referee, at once."""
    sys.stdout.write(lines)
    sys.stdout.flush()


class MyBot(Bot):
    """Your strategy; whatever kind of decision you leave out is left to `Bot`."""

    def designate(self, view: View) -> str:
        """Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you."""
        return super().designate(view)

    def play(self, view: View) -> str:
        """All games: the card you play to the trick."""
        return super().play(view)


if __name__ == "__main__":
    MyBot().run()
