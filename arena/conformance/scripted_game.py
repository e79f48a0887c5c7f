"""Games of the bot under test in one seat, with random choices in all other seats."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import fmean
from typing import Any

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.conformance.conversation import Conversation
from arena.games.base import Decision, Game
from arena.games.catalog import Variant
from arena.games.shuffle import SeededShuffle
from arena.protocol.messages import Clock, Decide, Limits, Ready, Result, Start
from arena.referee.config import GAMES_AT_ONCE
from arena.referee.connection import start_message


@dataclass
class BotUnderTest:
    """The bot under test, and what was found out about it."""

    bot: Bot
    launcher: Launcher
    limits: Limits
    variants: list[Variant[Any]]
    """Those that it is to be tried with."""
    ready: Ready | None = None

    def clock(self) -> Clock:
        """The time it has for a decision."""
        return Clock(self.limits.move, self.limits.bank)

    def smallest_game(self) -> Game[Any]:
        """A game that it plays, at the smallest table."""
        variant = self.variants[0]
        return variant.game(variant.seats[0])

    def variants_with_seats(self) -> list[tuple[Variant[Any], int]]:
        """Every variant it plays with every number of players."""
        return [(variant, seats) for variant in self.variants for seats in variant.seats]

    def games_at_once(self) -> int:
        """How many games it says it can hold, as far as it will be asked to."""
        offered = self.ready.games if self.ready else 1
        return min(offered, self.bot.games or offered, GAMES_AT_ONCE)


class ScriptedGame:
    """A game in progress, seen from the bot's seat."""

    def __init__(self, number: int, game: Game[Any], seat: int, clock: Clock | None) -> None:
        self.number = number
        self.game = game
        self.seat = seat
        self.clock = clock
        self.answer_count = 0
        self.rng = random.Random(number)  # noqa: S311 (no secret hangs on it)
        self.state = game.start(SeededShuffle(number))

    def start(self) -> Start:
        """What the bot is told first."""
        return start_message(self.game, self.number, self.seat, self.number)

    def result(self) -> Result:
        """What the bot is told last."""
        return Result(self.number, self.game.scores(self.state), self.game.ranks(self.state))

    def own_decision(self) -> Decision | None:
        """What the bot has to decide now, if anything."""
        for decision in self.game.pending(self.state):
            if decision.seat == self.seat:
                return decision
        return None

    def next_question(self, number: int) -> Decide | None:
        """The next question, once the others have played; None when the game is over."""
        while self.game.pending(self.state):
            if decision := self.own_decision():
                view = self.game.view(self.state, self.seat)
                variant = self.game.variant
                kind, options = decision.kind, decision.options
                return Decide(self.number, number, variant, kind, options, view, self.clock)
            self.advance("")
        return None

    def advance(self, choice: str) -> None:
        """Everybody who is asked chooses, the bot as it said."""
        self.state = self.game.apply(
            self.state,
            [
                choice if decision.seat == self.seat else self.rng.choice(decision.options)
                for decision in self.game.pending(self.state)
            ],
        )

    def count_questions(self) -> int:
        """How many questions there are in a game like this one."""
        other = ScriptedGame(self.number, self.game, self.seat, self.clock)
        questions = 0
        while self.game.pending(other.state):
            own = other.own_decision()
            questions += own is not None
            other.advance(other.rng.choice(own.options) if own else "")
        return questions


SAMPLE_SIZE = 12
"""So many games tell how long all of them are."""


def play_games(
    talk: Conversation,
    games: Sequence[ScriptedGame],
    at_once: int,
    is_enough: Callable[[], bool] = lambda: False,
) -> None:
    """Play these games with a bot that is ready, so many at once, to their ends or until enough."""
    sample = games[:: max(1, len(games) // SAMPLE_SIZE)]
    talk.progress.expected_answers = len(games) * fmean(
        sitting.count_questions() for sitting in sample
    )
    waiting, ids = iter(games), count(1)
    open_: dict[int, tuple[Decide, ScriptedGame]] = {}

    def go_on(sitting: ScriptedGame) -> Iterator[Decide | Result]:
        question = sitting.next_question(next(ids))
        if question:
            open_[question.id] = question, sitting
            yield question
        else:
            yield sitting.result()

    while True:
        while len(open_) < at_once and not is_enough() and (sitting := next(waiting, None)):
            talk.send(sitting.start(), *go_on(sitting))
        if not open_:
            return
        answer = talk.read_choice(*(question for question, _ in open_.values()))
        _, sitting = open_.pop(answer.id)
        sitting.answer_count += 1
        sitting.advance(answer.choice)
        if not is_enough():
            talk.send(*go_on(sitting))
