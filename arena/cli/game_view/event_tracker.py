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

OUTSIDE_ROUNDS = (TokensShown, TokenTaken, Ended)
"""The events before the first round or after the last one."""


class LocatedEvent(NamedTuple):
    """An event with its step, round and trick, all counted from 0."""

    step: int
    round: int | None
    """None before the first round and after the last."""
    trick: int | None
    """None for events that are not part of a trick."""
    event: Event

    def to_json(self) -> bytes:
        """The event as one JSON object."""
        place = {"step": self.step, "round": self.round, "trick": self.trick}
        return msgspec.json.encode({**place, **msgspec.to_builtins(self.event)})


class Excerpt(Struct, frozen=True):
    """A part of a game, counted from 0; None is all rounds or all tricks."""

    round: int | None = None
    trick: int | None = None

    def contains(self, event: LocatedEvent) -> bool:
        """Whether the event belongs to this part."""
        if self.round is None:
            return True
        return event.round == self.round and self.trick in {None, event.trick}


class EventTracker:
    """Locates the events of a game, step by step; all of them, or those that one seat sees."""

    def __init__(self, from_seat: int | None = None) -> None:
        self.from_seat = from_seat
        self.step = 0
        self.round = 0
        self.trick = -1
        self.has_open_trick = False
        """Whether a trick has begun and is not taken yet."""

    def step_events(self, step: Step) -> Iterator[LocatedEvent]:
        """The visible events of a step."""
        for event in step.events():
            located = self.locate(event)
            if self.from_seat is None or event.is_visible_to(self.from_seat):
                yield located
        self.step += 1

    def locate(self, event: Event) -> LocatedEvent:
        """The event with its place in the game."""
        trick = None
        if isinstance(event, RoundBegan):
            self.round, self.trick = event.round, -1
        elif isinstance(event, Played | Passed):
            self.trick += not self.has_open_trick
            self.has_open_trick, trick = True, self.trick
        elif isinstance(event, Took | SetAside):
            self.has_open_trick, trick = False, self.trick
        return LocatedEvent(
            self.step, None if isinstance(event, OUTSIDE_ROUNDS) else self.round, trick, event
        )


class Remark(NamedTuple):
    """A text about a seat: a note of its bot or a fault."""

    seat: int
    text: Text


class RemarkTracker:
    """Goes through the choices of a game and finds the notes and faults of each step."""

    def __init__(self, from_seat: int | None = None) -> None:
        self.from_seat = from_seat
        self.choices_seen = 0
        """Choices before the current step."""
        self.faults_seen = 0
        """Faults that were returned already."""
        self.stand_ins: set[int] = set()
        """Seats for which the referee chose in the current step."""

    def step_remarks(
        self,
        step: Step,
        notes: Mapping[int, str],
        faults: Sequence[Fault],
        wall: Sequence[int],
    ) -> Iterator[Remark]:
        """The notes and faults of a step, as far as the watching seat may see them."""
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
        faulty_seats = {fault.seat for fault in faults[: self.faults_seen]}
        for place, decision in enumerate(decisions, self.choices_seen):
            was_not_asked = place < len(wall) and wall[place] == 0
            if was_not_asked and decision.seat in faulty_seats:
                self.stand_ins.add(decision.seat)
            if place in notes:
                yield from self.visible_remark(decision.seat, safe_text(notes[place], "dim"))
        self.choices_seen = end

    def final_remarks(self, faults: Sequence[Fault]) -> Iterator[Remark]:
        """The faults that belong to no step."""
        for fault in faults[self.faults_seen :]:
            yield from self.visible_remark(fault.seat, fault_text(fault, None))
        self.faults_seen = len(faults)

    def is_stand_in(self, seat: int) -> bool:
        """Whether the referee chose for this seat and the watching seat may know it."""
        return seat in self.stand_ins and self.from_seat in {None, seat}

    def visible_remark(self, seat: int, text: Text) -> Iterator[Remark]:
        """The remark, unless another seat than the watching one is concerned."""
        if self.from_seat in {None, seat}:
            yield Remark(seat, text)


def fault_text(fault: Fault, choice: str | None) -> Text:
    """A fault, and what the referee chose instead."""
    instead = f"; the referee chose {choice}" if choice and fault.place is not None else ""
    return safe_text(f"! {fault.fault}: {fault.text}{instead}", "red")
