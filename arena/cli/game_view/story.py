"""Events of a game with their round and trick, and remarks on its choices."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct
from rich.text import Text

from arena.cli.output import safe_text
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
from arena.referee.faults import Fault


class Remark(NamedTuple):
    """What is said of a seat."""

    seat: int
    text: Text


class RemarkTracker:
    """Goes through a game's choices, and tells for each step what was remarked."""

    def __init__(self, from_seat: int | None = None) -> None:
        self.from_seat = from_seat
        self.choices_seen = 0
        """Choices made before the step at hand."""
        self.faults_seen = 0
        """Faults that were told."""
        self.stand_ins: set[int] = set()
        """Seats whose choice in the step at hand is the referee's."""

    def step_remarks(
        self,
        step: Step,
        notes: Mapping[int, str],
        faults: Sequence[Fault],
        wall: Sequence[int],
    ) -> Iterator[Remark]:
        """What is remarked beside the choices of a step."""
        decisions = () if step.before is None else step.game.pending(step.before)
        end = self.choices_seen + len(step.choices)
        chosen = {self.choices_seen + place: choice for place, choice in enumerate(step.choices)}
        self.stand_ins = set()
        while self.faults_seen < len(faults) and (faults[self.faults_seen].place or 0) < end:
            fault = faults[self.faults_seen]
            self.faults_seen += 1
            if fault.place is not None:
                self.stand_ins.add(fault.seat)
            yield from self.visible_remark(
                fault.seat, fault_text(fault, chosen.get(fault.place or 0))
            )
        guilty = {fault.seat for fault in faults[: self.faults_seen]}
        for place, decision in enumerate(decisions, self.choices_seen):
            unasked = place < len(wall) and wall[place] == 0
            if unasked and decision.seat in guilty:
                self.stand_ins.add(decision.seat)
            if place in notes:
                yield from self.visible_remark(decision.seat, safe_text(notes[place], "dim"))
        self.choices_seen = end

    def final_remarks(self, faults: Sequence[Fault]) -> Iterator[Remark]:
        """What is left to be told when a game is at its end."""
        for fault in faults[self.faults_seen :]:
            yield from self.visible_remark(fault.seat, fault_text(fault, None))
        self.faults_seen = len(faults)

    def is_stand_in(self, seat: int) -> bool:
        """Whether the referee chose for this seat, and who watches may know."""
        return seat in self.stand_ins and self.from_seat in {None, seat}

    def visible_remark(self, seat: int, text: Text) -> Iterator[Remark]:
        """The remark, unless it is about another seat than the one that watches."""
        if self.from_seat in {None, seat}:
            yield Remark(seat, text)


def fault_text(fault: Fault, choice: str | None) -> Text:
    """What was wrong, and what the referee chose instead."""
    instead = f"; the referee chose {choice}" if choice and fault.place is not None else ""
    return safe_text(f"! {fault.fault}: {fault.text}{instead}", "red")


OUTSIDE_ROUNDS = (TokensShown, TokenTaken, Ended)
"""What happens before the first round or after the last one."""


class StoryEvent(NamedTuple):
    """An event, and where in the game it happened; everything counts from 0."""

    step: int
    round: int | None
    """None before the first round and after the last."""
    trick: int | None
    """None for what is not part of a trick."""
    event: Event

    def to_json(self) -> bytes:
        """The event as one JSON object."""
        place = {"step": self.step, "round": self.round, "trick": self.trick}
        return msgspec.json.encode({**place, **msgspec.to_builtins(self.event)})


class Excerpt(Struct, frozen=True):
    """The part of a game a person asked for, counted from 0; None is all of it."""

    round: int | None = None
    trick: int | None = None

    def contains(self, event: StoryEvent) -> bool:
        """Whether the event is part of it."""
        if self.round is None:
            return True
        return event.round == self.round and self.trick in {None, event.trick}


class EventTracker:
    """Tells a game step by step, to everybody or to one seat only."""

    def __init__(self, from_seat: int | None = None) -> None:
        self.from_seat = from_seat
        self.step = 0
        self.round = 0
        self.trick = -1
        self.has_open_trick = False
        """Whether a trick lies on the table."""

    def step_events(self, step: Step) -> Iterator[StoryEvent]:
        """What happened in a step, as far as it is seen."""
        for event in step.events():
            told = self.locate(event)
            if self.from_seat is None or event.is_visible_to(self.from_seat):
                yield told
        self.step += 1

    def locate(self, event: Event) -> StoryEvent:
        """The event with its place in the game."""
        trick = None
        if isinstance(event, RoundBegan):
            self.round, self.trick = event.round, -1
        elif isinstance(event, Played | Passed):
            self.trick += not self.has_open_trick
            self.has_open_trick, trick = True, self.trick
        elif isinstance(event, Took | SetAside):
            self.has_open_trick, trick = False, self.trick
        return StoryEvent(
            self.step, None if isinstance(event, OUTSIDE_ROUNDS) else self.round, trick, event
        )
