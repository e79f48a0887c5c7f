"""Play a game from a seed, record its choices, and replay the record step by step."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from arena.errors import BadReplay, IllegalChoice
from arena.games.base import Decision, Game
from arena.games.catalog import variant
from arena.games.events import Event
from arena.games.shuffle import SeededShuffle


class IncompleteReplay(BadReplay):
    """Choices that end before the game does."""


class GameRecord(Struct, frozen=True, omit_defaults=True):
    """A recorded game: all that is needed to replay it."""

    variant: str
    seats: int
    seed: int
    choices: tuple[str, ...]
    """Every choice in the order it was asked for; simultaneous ones in the order of their seats."""
    first: int = 0
    """The seat that stood for the youngest player."""


class Step(Struct, frozen=True):
    """From one state to the next: which choices, and what happened at the table."""

    game: Game[Any]
    before: Any
    choices: tuple[str, ...]
    after: Any

    def events(self) -> Iterator[Event]:
        """What happened, in order."""
        return self.game.events(self.before, self.choices, self.after)


ChoiceFunction = Callable[[Any, tuple[Decision, ...]], Sequence[str]]
"""Answers the open decisions of a state."""


def play_steps(
    game: Game[Any], seed: int, choose: ChoiceFunction, first: int = 0
) -> Iterator[Step]:
    """Play the game of a seed step by step; the first step leads to the first state."""
    state = game.start(SeededShuffle(seed), first)
    yield Step(game, None, (), state)
    while decisions := game.pending(state):
        choices = tuple(choose(state, decisions))
        before, state = state, game.apply(state, choices)
        yield Step(game, before, choices, state)


def play_game(game: Game[Any], seed: int, choose: ChoiceFunction, first: int = 0) -> GameRecord:
    """Play the game of a seed to its end, and record it."""
    choices = tuple(
        choice for step in play_steps(game, seed, choose, first) for choice in step.choices
    )
    return GameRecord(game.variant, game.seats, seed, choices, first)


def replay_game(record: GameRecord) -> Iterator[Step]:
    """Replay a recorded game step by step."""
    remaining = iter(record.choices)

    def recorded_choices(_state: object, decisions: tuple[Decision, ...]) -> Sequence[str]:
        choices = tuple(islice(remaining, len(decisions)))
        if len(choices) < len(decisions):
            raise IncompleteReplay(
                f"the choices of this game of {record.variant} end after {len(record.choices)}, "
                f"before seat {decisions[len(choices)].seat} is done; is it cut off?"
            )
        return choices

    game = variant(record.variant).game(record.seats)
    try:
        yield from play_steps(game, record.seed, recorded_choices, record.first)
    except IllegalChoice as error:
        raise BadReplay(f"these choices were not made with seed {record.seed}: {error}") from error
    if extra := len(tuple(remaining)):
        raise BadReplay(f"the game is over, and {extra} more choices are recorded")
