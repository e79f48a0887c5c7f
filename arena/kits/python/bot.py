"""A bot for Stichkampf: one file, nothing but the standard library.

The referee starts this program and asks it questions on stdin, one JSON object a line. The
answers go to stdout in the same way; stderr is free for your own log. `Bot` does the talking.
Your strategy goes into `MyBot`, at the end: one method for each kind of decision.

A question holds everything that your seat may know, so there is nothing to remember from one
question to the next. This is why one process can play 64 games at once, which is fast and
costs you nothing: questions of different games just follow one another.
"""

import json
import os
import sys
import time
from collections.abc import Iterable
from typing import Any, NamedTuple


class Question(NamedTuple):
    """What is to be decided, and everything your seat may know."""

    game: int
    """Stands for the game, for a bot that wants to remember something about it."""
    variant: str
    """The rules, such as "sticheln+mild"; `arena rules` explains them."""
    kind: str
    """The name of the method of `MyBot` that answers."""
    options: list[str]
    """The legal choices; the answer is one of them."""
    view: dict[str, Any]
    """The table as your seat sees it. What you need most:

    seat        your seat, counted clockwise from 0
    scores      the score of every seat in the rounds before
    hand        your cards, such as "R7": a colour's letter and a number
    leader      the seat that leads the trick on the table
    trick       the cards on the table in the order of play; empty if you lead
    tricks      the finished tricks of this round: their leader, cards and winner
    designated  the designating cards of every seat, None while they lie face down
    """


class Bot:
    """Talks to the referee, and leaves the decisions to a subclass."""

    games = 64
    """How many games it can play at once."""

    patience = 0.01
    """Seconds after which answers are sent, even if more questions lie ready."""

    def run(self) -> None:
        """Answer all questions there are, wait for more, and return when the referee hangs up."""
        rest = b""
        while batch := os.read(sys.stdin.fileno(), 1 << 16):
            *lines, rest = (rest + batch).split(b"\n")
            answers = ""
            begun = time.monotonic()
            for line in lines:
                answers += self.hear(json.loads(line))
                # One write for many answers is fast. But the clock runs until an answer is
                # sent, so none is kept back while you think about the next question.
                if time.monotonic() - begun > self.patience:
                    send(answers)
                    answers = ""
                    begun = time.monotonic()
            send(answers)

    def hear(self, message: dict[str, Any]) -> str:
        """The line that answers a message, or nothing; what is not known is ignored."""
        match message.get("type"):
            case "hello":
                return line(type="ready", games=self.games)
            case "decide":
                question = Question(*(message[field] for field in Question._fields))
                return line(type="choose", id=message["id"], choice=self.choose(question))
            case "fault":
                log(f"The referee says: {message['text']}")
            case _:  # "start" and "result" tell when a game begins and how it ended
                pass
        return ""

    def choose(self, question: Question) -> str:
        """Ask the method that is named like the kind of decision."""
        kind, options = question.kind, question.options
        return getattr(self, kind)(question) if kind in KINDS else options[0]


KINDS = ("designate", "play", "delayed", "token", "pick", "task", "discard")


def line(**message: object) -> str:
    """A message as a line."""
    return json.dumps(message) + "\n"


def send(lines: str) -> None:
    """Write to the referee, at once."""
    sys.stdout.write(lines)
    sys.stdout.flush()


def log(text: str) -> None:
    """Write to stderr, for yourself; stdout belongs to the referee."""
    sys.stderr.write(f"{text}\n")


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


class MyBot(Bot):
    """Your strategy. Each method returns one of the question's options."""

    def designate(self, question: Question) -> str:
        """Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you.

        The card counts as won by you, so it is a low one, or with Reverse a high one.
        """
        best = max if "reverse" in question.variant else min
        return best(question.options, key=lambda option: total(option.split("+")))

    def play(self, question: Question) -> str:
        """All games: the card you play to the trick. A low one seldom does harm."""
        cards = question.options
        if question.variant == "hat-trick":
            colours = {card[0] for card in question.view["trick"]}
            if len(colours) == 2:  # a card of the third colour would be a pass and cost 2 points
                cards = [card for card in cards if card[0] in colours] or cards
        return min(cards, key=number)

    def delayed(self, question: Question) -> str:
        """With Delayed: the special colour, or pair "B+R", that you name after the last trick."""
        view = question.view
        tricks = [trick for trick in view["tricks"] if trick["winner"] == view["seat"]]
        won = [card for trick in tricks for card in trick["cards"]]
        best = max if "reverse" in question.variant else min
        return best(
            question.options,
            key=lambda option: total(card for card in won if card[0] in option),
        )

    def token(self, question: Question) -> str:
        """Was sticht: the task token you take before the first round."""
        return min(question.options, key=EASY_FIRST.index)

    def pick(self, question: Question) -> str:
        """Was sticht: the card you take from the column."""
        return min(question.options, key=number)

    def task(self, question: Question) -> str:
        """Was sticht: the task among your tokens that you try in this round."""
        return min(question.options, key=EASY_FIRST.index)

    def discard(self, question: Question) -> str:
        """Was sticht: the token you get rid of as a dealer who succeeded."""
        return max(question.options, key=EASY_FIRST.index)


if __name__ == "__main__":
    MyBot().run()
