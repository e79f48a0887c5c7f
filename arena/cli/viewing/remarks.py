"""What is said beside the choices of a game: bots' notes, and what was wrong with an answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.text import Text

from arena.cli.untrusted import safe
from arena.games.replay import Step
from arena.match.faults import Fault


class Remark(NamedTuple):
    """What is said of a seat."""

    seat: int
    text: Text


class Remarks:
    """Goes through a game's choices, and tells for each step what was remarked."""

    def __init__(self, from_seat: int | None = None) -> None:
        self.from_seat = from_seat
        self.made = 0
        """Choices made before the step at hand."""
        self.told = 0
        """Faults that were told."""
        self.stand_ins: set[int] = set()
        """Seats whose choice in the step at hand is the referee's."""

    def of(
        self,
        step: Step,
        notes: Mapping[int, str],
        faults: Sequence[Fault],
        wall: Sequence[int],
    ) -> Iterator[Remark]:
        """What is remarked beside the choices of a step."""
        decisions = () if step.before is None else step.game.pending(step.before)
        end = self.made + len(step.choices)
        chosen = {self.made + place: choice for place, choice in enumerate(step.choices)}
        self.stand_ins = set()
        while self.told < len(faults) and (faults[self.told].place or 0) < end:
            fault = faults[self.told]
            self.told += 1
            if fault.place is not None:
                self.stand_ins.add(fault.seat)
            yield from self.seen(fault.seat, of_fault(fault, chosen.get(fault.place or 0)))
        guilty = {fault.seat for fault in faults[: self.told]}
        for place, decision in enumerate(decisions, self.made):
            unasked = place < len(wall) and wall[place] == 0
            if unasked and decision.seat in guilty:
                self.stand_ins.add(decision.seat)
            if place in notes:
                yield from self.seen(decision.seat, safe(notes[place], "dim"))
        self.made = end

    def rest(self, faults: Sequence[Fault]) -> Iterator[Remark]:
        """What is left to be told when a game is at its end."""
        for fault in faults[self.told :]:
            yield from self.seen(fault.seat, of_fault(fault, None))
        self.told = len(faults)

    def stands_in(self, seat: int) -> bool:
        """Whether the referee chose for this seat, and who watches may know."""
        return seat in self.stand_ins and self.from_seat in {None, seat}

    def seen(self, seat: int, text: Text) -> Iterator[Remark]:
        """The remark, unless it is about another seat than the one that watches."""
        if self.from_seat in {None, seat}:
            yield Remark(seat, text)


def of_fault(fault: Fault, choice: str | None) -> Text:
    """What was wrong, and what the referee chose instead."""
    instead = f"; the referee chose {choice}" if choice and fault.place is not None else ""
    return safe(f"! {fault.fault}: {fault.text}{instead}", "red")
