"""Versions, submissions, messages and nights as the ladder stores them."""

from datetime import datetime
from typing import Final, Literal, Self

from msgspec import Struct, field, structs

from arena.ratings.cell import Cell
from arena.sanitize import cut_middle

VersionState = Literal["active", "superseded", "retired"]
SubmissionState = Literal["waiting", "running", "accepted", "refused", "broken"]
"""Of a submission; broken is what is our fault."""

MAX_TEXT: Final = 1000
"""Characters of a sentence that a submission is answered with."""
MAX_EVIDENCE: Final = 4000
"""Characters of a piece of evidence, and of a cell of a table."""
ELLIPSIS: Final = " ... "
"""Stands for the middle of a text that is too long."""


class Version(Struct, frozen=True, kw_only=True):
    """A version of a bot on the ladder, which never changes."""

    bot: str
    """Under which it plays: its name and number, such as `ann v3`."""
    name: str
    number: int
    owner: str
    """Empty: a reference bot's, which is nobody's."""
    digest: str
    """The hash of its content."""
    message: str
    submitted: str
    """When, in UTC."""
    state: VersionState = "active"
    why: str = ""
    """Why it was retired, for its owner."""
    until: str | None = None
    """When it ceased to be active."""
    author: str = ""
    language: str = ""
    description: str = ""


class Submission(Struct, frozen=True, kw_only=True):
    """Something that somebody sent, on its way to be a version."""

    id: str
    owner: str
    file: str
    """What its sender calls it."""
    name: str
    """Under which it is to play, if that was said."""
    message: str
    size: int
    state: SubmissionState
    sent: str
    begun: str | None = None
    ended: str | None = None
    bot: str | None = None
    """The version that it became."""
    tries: int = 0
    """How often a server has begun to work on it."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state not in {"waiting", "running"}


class SubmissionMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a submission is answered with."""

    step: str
    """Which step it is about."""
    passed: bool | None = None
    """None: it goes on."""
    text: str = ""
    evidence: dict[str, str] = field(default_factory=dict)
    """What shows why it failed, each with what it is."""
    table: list[list[str]] = field(default_factory=list)
    """Rows of a table, the first with its titles."""

    def within_limits(self) -> Self:
        """The same with texts of limited length; what is short enough stays as it is."""
        return structs.replace(
            self,
            text=shorten(self.text, MAX_TEXT),
            evidence={what: shorten(text, MAX_EVIDENCE) for what, text in self.evidence.items()},
            table=[[shorten(text, MAX_EVIDENCE) for text in row] for row in self.table],
        )


class Aim(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a night is over, and in which portions it is played."""

    round: int
    """Tables that are chosen together."""
    games: int | None = None
    """After so many."""
    until: str | None = None
    """At this moment, with its zone."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds until its time is over, if it has one."""
        if self.until is None:
            return None
        return (datetime.fromisoformat(self.until) - datetime.now().astimezone()).total_seconds()

    @property
    def is_time_up(self) -> bool:
        """Whether its time is over."""
        return self.seconds_left is not None and self.seconds_left <= 0


class Night(Struct, frozen=True, kw_only=True):
    """A night."""

    number: int
    began: str
    ended: str | None
    aim: Aim
    bots: tuple[str, ...]
    """Who played."""
    last: int
    """The last block that was stored before it."""
    summary: "Summary | None"


class Move(Struct, frozen=True):
    """A version whose rank changed."""

    bot: str
    before: int | None
    after: int | None
    mu_before: float | None
    mu_after: float | None


class Summary(Struct, frozen=True, kw_only=True):
    """What a night has changed."""

    blocks: int
    games: int
    seconds: float
    """Spent on playing."""
    new: tuple[str, ...]
    """Versions that were not ranked before."""
    retired: tuple[tuple[str, str], ...]
    """Versions, and why."""
    moves: tuple[Move, ...]
    """Ranks that changed, the largest steps first."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Versions that could not be played, and why."""
    too_large: tuple[str, ...] = ()
    """Cells with more seats than there were bots of different owners."""
    last: int = 0
    """The last block of the night."""
    results: str = ""
    """A hash over all results up to that block; empty if it was played before hashes were kept."""
    counted: tuple[Cell, ...] = ()
    """Cells that are part of the overall rating from then on; none in those of older versions."""


def shorten(text: str, longest: int) -> str:
    """A text without its middle if it is too long; its length then is exactly the longest."""
    return text if len(text) <= longest else cut_middle(text, longest - len(ELLIPSIS))
