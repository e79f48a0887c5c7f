"""Faults of bots, their evidence, and the policies for handling them."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from arena.protocol.messages import FaultKind

FATAL: Final[frozenset[FaultKind]] = frozenset({"start", "timeout", "exited", "too-long", "memory"})
"""Faults that end the process: its game is lost, and the next one is played by a fresh one."""


class FaultPolicy(StrEnum):
    """What follows from a fault, beside the last rank in that game."""

    STRICT = "strict"
    """Everything stops: for development."""
    STAND_IN = "stand-in"
    """The referee chooses where the bot could not, and asks it again the next time."""
    FORFEIT = "forfeit"
    """The referee chooses for it until the end of that game."""


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What shows a fault."""

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
    """Seconds of `wall` in which it could have run but had no core, where that was looked at."""


class Fault(Struct, frozen=True, omit_defaults=True):
    """A fault in a game."""

    seat: int
    fault: FaultKind
    text: str
    """What was wrong, in a sentence."""
    place: int | None = None
    """Which of the game's choices the referee made instead; None if no question was open."""
    evidence: Evidence = Evidence()
