"""Games in which a bot has one seat and chance has the others."""

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import count
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


Done = Callable[[], None]


def sit(
    talk: Conversation, sittings: Iterable[Sitting], at_once: int, done: Done = lambda: None
) -> int:
    """Play these games with a bot that is ready, so many at once; how many questions it took."""
    waiting, ids = iter(sittings), count(1)
    open_: dict[int, tuple[Decide, Sitting]] = {}

    def go_on(sitting: Sitting) -> Iterator[Decide | Result]:
        question = sitting.question(next(ids))
        if question:
            open_[question.id] = question, sitting
            yield question
        else:
            done()
            yield sitting.result()

    while True:
        while len(open_) < at_once and (sitting := next(waiting, None)):
            talk.say(sitting.start(), *go_on(sitting))
        if not open_:
            return next(ids) - 1
        answer = talk.choice(*(question for question, _ in open_.values()))
        _, sitting = open_.pop(answer.id)
        sitting.move(answer.choice)
        talk.say(*go_on(sitting))
