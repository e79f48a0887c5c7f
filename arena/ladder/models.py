"""Versions, submissions, messages and nights as the ladder stores them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Self

from msgspec import Struct, field, structs

from arena.ratings.cell import Cell
from arena.report.data.ladder_info import PublishedVersion, RankChange
from arena.sanitize import cut_middle

SubmissionState = Literal["waiting", "running", "accepted", "refused", "broken"]
"""`broken`: an error of the program, not of the bot."""

MAX_TEXT: Final = 1000
"""Characters of the text of a message."""
MAX_EVIDENCE: Final = 4000
"""Characters of a piece of evidence, and of a cell of a table."""
ELLIPSIS: Final = " ... "
"""Replaces the middle of a text that is too long."""


@dataclass(frozen=True, kw_only=True)
class Version(PublishedVersion):
    """A version of a bot on the ladder, with what the pages do not show of it."""

    digest: str
    """The hash of its content."""
    until: str | None = None
    """When it ceased to be active."""


class Submission(Struct, frozen=True, kw_only=True):
    """An upload that may become a version."""

    id: str
    owner: str
    file: str
    """The file name that its sender gave it."""
    name: str
    """The bot's name on the ladder, if its sender named one."""
    message: str
    size: int
    state: SubmissionState
    sent: str
    begun: str | None = None
    ended: str | None = None
    bot: str | None = None
    """The version that it became."""
    tries: int = 0
    """How often a server has begun to process it."""

    @property
    def placement_salt(self) -> str:
        """The salt that makes the deals of its placement games different from all others."""
        return f"placement {self.id}"

    @property
    def is_over(self) -> bool:
        """Whether it has a final state."""
        return self.state not in {"waiting", "running"}


class SubmissionMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message to the sender of a submission about one of its steps."""

    step: str
    passed: bool | None = None
    """None: the step goes on."""
    text: str = ""
    evidence: dict[str, str] = field(default_factory=dict)
    """What shows why the step failed, by kind."""
    table: list[list[str]] = field(default_factory=list)
    """Rows of a table, the first with its titles."""

    def within_limits(self, text: int = MAX_TEXT, evidence: int = MAX_EVIDENCE) -> Self:
        """The same message with texts of limited length."""
        return structs.replace(
            self,
            text=shorten(self.text, text),
            evidence={what: shorten(one, evidence) for what, one in self.evidence.items()},
            table=[[shorten(one, evidence) for one in row] for row in self.table],
        )


class NightLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The limits of a night, and the size of its rounds."""

    round: int
    """Tables that are chosen together."""
    games: int | None = None
    """It is over after so many games."""
    until: str | None = None
    """It is over at this time, given with its time zone."""

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
    """A night, with its limits, its bots and its summary."""

    number: int
    began: str
    ended: str | None
    aim: NightLimits
    bots: tuple[str, ...]
    """The versions that take part."""
    last: int
    """The number of the last block that was stored before it."""
    summary: "NightSummary | None"

    @property
    def salt(self) -> str:
        """The salt that makes its deals different from those of all other nights."""
        return f"night {self.number}"


class NightSummary(Struct, frozen=True, kw_only=True):
    """The results of a night: what was played, and how the ladder changed."""

    blocks: int
    games: int
    seconds: float
    """Time spent on playing."""
    new: tuple[str, ...]
    """Versions that were not ranked before."""
    retired: tuple[tuple[str, str], ...]
    """Versions, and why."""
    moves: tuple[RankChange, ...]
    """The largest changes first."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Versions that could not be played, and why."""
    too_large: tuple[str, ...] = ()
    """Cells with more seats than there were bots of different owners."""
    last: int = 0
    """The last block of the night."""
    results: str = ""
    """A hash over all results up to that block; empty if it was played before hashes were kept."""
    counted: tuple[Cell, ...] = ()
    """Cells that are part of the overall rating from then on; empty in old summaries."""


def shorten(text: str, longest: int) -> str:
    """Cut the middle out of a text that is longer than so many characters."""
    return text if len(text) <= longest else cut_middle(text, longest - len(ELLIPSIS))
