"""Games in which a bot has one seat and chance has the others."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from statistics import fmean
from typing import Any

from arena.conformance.conversation import Conversation
from arena.games.base import Decision, Game
from arena.games.seeded import Seeded
from arena.match.player import begins
from arena.protocol.messages import Clock, Decide, Result, Start


class Sitting:
    """A game in progress, seen from the bot's seat."""

    def __init__(self, number: int, game: Game[Any], seat: int, clock: Clock | None) -> None:
        self.number = number
        self.game = game
        self.seat = seat
        self.clock = clock
        self.answered = 0
        self.chance = random.Random(number)  # noqa: S311 (no secret hangs on it)
        self.state = game.start(Seeded(number))

    def start(self) -> Start:
        """What the bot is told first."""
        return begins(self.game, self.number, self.seat, self.number)

    def result(self) -> Result:
        """What the bot is told last."""
        return Result(self.number, self.game.scores(self.state), self.game.ranks(self.state))

    def own(self) -> Decision | None:
        """What the bot has to decide now, if anything."""
        for decision in self.game.pending(self.state):
            if decision.seat == self.seat:
                return decision
        return None

    def question(self, number: int) -> Decide | None:
        """The next question, once the others have played; None when the game is over."""
        while self.game.pending(self.state):
            if decision := self.own():
                view = self.game.view(self.state, self.seat)
                variant = self.game.variant
                kind, options = decision.kind, decision.options
                return Decide(self.number, number, variant, kind, options, view, self.clock)
            self.move("")
        return None

    def move(self, own: str) -> None:
        """Everybody who is asked chooses, the bot as it said."""
        self.state = self.game.apply(
            self.state,
            [
                own if decision.seat == self.seat else self.chance.choice(decision.options)
                for decision in self.game.pending(self.state)
            ],
        )

    def length(self) -> int:
        """How many questions there are in a game like this one."""
        other = Sitting(self.number, self.game, self.seat, self.clock)
        questions = 0
        while self.game.pending(other.state):
            own = other.own()
            questions += own is not None
            other.move(other.chance.choice(own.options) if own else "")
        return questions


SAMPLE = 12
"""So many games tell how long all of them are."""


def sit(
    talk: Conversation,
    sittings: Sequence[Sitting],
    at_once: int,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Play these games with a bot that is ready, so many at once, to their ends or until enough."""
    sample = sittings[:: max(1, len(sittings) // SAMPLE)]
    talk.pace.expected = len(sittings) * fmean(sitting.length() for sitting in sample)
    waiting, ids = iter(sittings), count(1)
    open_: dict[int, tuple[Decide, Sitting]] = {}

    def go_on(sitting: Sitting) -> Iterator[Decide | Result]:
        question = sitting.question(next(ids))
        if question:
            open_[question.id] = question, sitting
            yield question
        else:
            yield sitting.result()

    while True:
        while len(open_) < at_once and not enough() and (sitting := next(waiting, None)):
            talk.say(sitting.start(), *go_on(sitting))
        if not open_:
            return
        answer = talk.choice(*(question for question, _ in open_.values()))
        _, sitting = open_.pop(answer.id)
        sitting.answered += 1
        sitting.move(answer.choice)
        if not enough():
            talk.say(*go_on(sitting))
