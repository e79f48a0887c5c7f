"""Faults of bots, their evidence, and the policies for handling them."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from arena.bots.resource_usage import NS_PER_SECOND
from arena.protocol.messages import FaultKind

FATAL_FAULTS: Final[frozenset[FaultKind]] = frozenset(
    {"start", "timeout", "exited", "too-long", "memory"}
)
"""Faults that end the process: its game is lost, and the next one is played by a fresh one."""

IDLE_CPU_SHARE = 0.1
"""A bot that used a smaller share of its real time as CPU time seems to wait for something."""

FLUSH_HINT = "; does it flush its stdout after each line, and answer before its stdin ends?"


class FaultPolicy(StrEnum):
    """What follows from a fault, beside the last rank in that game."""

    STRICT = "strict"
    """Everything stops: for development."""
    STAND_IN = "stand-in"
    """The referee plays one stand-in choice, and asks the bot again the next time."""
    FORFEIT = "forfeit"
    """The referee plays stand-in choices until the end of that game."""


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What proves a fault."""

    request: str | None = None
    """The question that was open, as it was sent."""
    reply: str | None = None
    """What the bot wrote."""
    stderr: str = ""
    """The end of what it wrote to stderr in that game."""
    wall: float = 0.0
    """Seconds since the question, or since the answer before."""
    cpu: float = 0.0
    """Seconds of CPU time since the answer before."""
    waited: float = 0.0
    """Seconds of `wall` in which it could have run but had no core, if that was measured."""


class Fault(Struct, frozen=True, omit_defaults=True):
    """A fault in a game."""

    seat: int
    fault: FaultKind
    text: str
    """What was wrong, in a sentence."""
    place: int | None = None
    """Which of the game's choices the referee made instead; None if no question was open."""
    evidence: Evidence = Evidence()


def timeout_text(cpu: int, allowed: int) -> str:
    """The sentence about an answer that took too many nanoseconds of CPU time."""
    return (
        f"it took {cpu / NS_PER_SECOND:.2f} s of CPU time, {allowed / NS_PER_SECOND:.2f} s were "
        f"left"
    )
