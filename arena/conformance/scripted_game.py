"""Games of the bot under test in one seat, with random choices in all other seats."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import fmean
from typing import Any, Self

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
    """The bot under test, and what is known about it."""

    bot: Bot
    launcher: Launcher
    limits: Limits
    variants: list[Variant[Any]]
    """The variants to check it with."""
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
        """How many games it can hold, within the limits of its manifest and of the referee."""
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
        self.rng = random.Random(number)  # noqa: S311 (nothing secret depends on it)
        self.state = game.start(SeededShuffle(number))

    @classmethod
    def smallest(cls, bot: BotUnderTest) -> Self:
        """The first game at the smallest table, with the bot in the first seat."""
        return cls(1, bot.smallest_game(), 0, bot.clock())

    def start(self) -> Start:
        """The message that begins the game."""
        return start_message(self.game, self.number, self.seat, self.number)

    def result(self) -> Result:
        """The message that ends the game."""
        return Result(self.number, self.game.scores(self.state), self.game.ranks(self.state))

    def own_decision(self) -> Decision | None:
        """What the bot has to decide now, if anything."""
        for decision in self.game.pending(self.state):
            if decision.seat == self.seat:
                return decision
        return None

    def next_question(self, number: int) -> Decide | None:
        """Return the next question, after choices for the others; None when the game is over."""
        while self.game.pending(self.state):
            if decision := self.own_decision():
                view = self.game.view(self.state, self.seat)
                variant = self.game.variant
                kind, options = decision.kind, decision.options
                return Decide(self.number, number, variant, kind, options, view, self.clock)
            self.advance("")
        return None

    def advance(self, choice: str) -> None:
        """Apply the bot's choice, and random choices for all other seats."""
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
"""The number of games from which the length of all games is estimated."""


def play_games(
    conversation: Conversation,
    games: Sequence[ScriptedGame],
    at_once: int,
    is_enough: Callable[[], bool] = lambda: False,
) -> None:
    """Play these games, this many at once, to their ends or until `is_enough`."""
    sample = games[:: max(1, len(games) // SAMPLE_SIZE)]
    conversation.progress.expected_answers = len(games) * fmean(
        scripted.count_questions() for scripted in sample
    )
    waiting, ids = iter(games), count(1)
    open_: dict[int, tuple[Decide, ScriptedGame]] = {}

    def next_messages(scripted: ScriptedGame) -> Iterator[Decide | Result]:
        question = scripted.next_question(next(ids))
        if question:
            open_[question.id] = question, scripted
            yield question
        else:
            yield scripted.result()

    while True:
        while len(open_) < at_once and not is_enough() and (scripted := next(waiting, None)):
            conversation.send(scripted.start(), *next_messages(scripted))
        if not open_:
            return
        answer = conversation.read_choice(*(question for question, _ in open_.values()))
        _, scripted = open_.pop(answer.id)
        scripted.answer_count += 1
        scripted.advance(answer.choice)
        if not is_enough():
            conversation.send(*next_messages(scripted))
