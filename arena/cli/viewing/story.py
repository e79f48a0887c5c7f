"""The story of a game: its events one by one, each with the round and trick it belongs to."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from arena.games.events import (
    Ended,
    Event,
    Passed,
    Played,
    RoundBegan,
    SetAside,
    TokensShown,
    TokenTaken,
    Took,
)
from arena.games.replay import Step

OUTSIDE = (TokensShown, TokenTaken, Ended)
"""What happens before the first round or after the last one."""


class Told(NamedTuple):
    """An event, and where in the game it happened; everything counts from 0."""

    step: int
    round: int | None
    """None before the first round and after the last."""
    trick: int | None
    """None for what is not part of a trick."""
    event: Event

    def line(self) -> bytes:
        """The event as one JSON object."""
        place = {"step": self.step, "round": self.round, "trick": self.trick}
        return msgspec.json.encode({**place, **msgspec.to_builtins(self.event)})


class Excerpt(Struct, frozen=True):
    """The part of a game a person asked for, counted from 0; None is all of it."""

    round: int | None = None
    trick: int | None = None

    def holds(self, told: Told) -> bool:
        """Whether the event is part of it."""
        if self.round is None:
            return True
        return told.round == self.round and self.trick in {None, told.trick}


class Story:
    """Tells a game step by step, to everybody or to one seat only."""

    def __init__(self, from_seat: int | None = None) -> None:
        self.from_seat = from_seat
        self.step = 0
        self.round = 0
        self.trick = -1
        self.going_on = False
        """Whether a trick lies on the table."""

    def tell(self, step: Step) -> Iterator[Told]:
        """What happened in a step, as far as it is seen."""
        for event in step.events():
            told = self.place(event)
            if self.from_seat is None or event.seen_by(self.from_seat):
                yield told
        self.step += 1

    def place(self, event: Event) -> Told:
        """The event with its place in the game."""
        trick = None
        if isinstance(event, RoundBegan):
            self.round, self.trick = event.round, -1
        elif isinstance(event, Played | Passed):
            self.trick += not self.going_on
            self.going_on, trick = True, self.trick
        elif isinstance(event, Took | SetAside):
            self.going_on, trick = False, self.trick
        return Told(self.step, None if isinstance(event, OUTSIDE) else self.round, trick, event)
