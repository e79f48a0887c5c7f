"""The versions, nights and rank changes of a ladder, as the report pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from arena.ratings.cell import Cell

VersionState = Literal["active", "superseded", "retired"]
VERSION_STATES: tuple[VersionState, ...] = ("active", "superseded", "retired")


@dataclass(frozen=True)
class PublishedVersion:
    """A version of somebody's bot, which plays under a name of its own and never changes."""

    bot: str
    """What it is called among the bots of the run, such as `ann v3`."""
    name: str
    """What all versions of this bot share."""
    number: int
    owner: str
    """Empty: nobody's, as reference bots are."""
    message: str
    """What its owner said when it was submitted."""
    submitted: str
    """When, in UTC, as ISO 8601 has it."""
    state: VersionState = "active"
    why: str = ""
    """Why it was retired, for its owner."""
    description: str = ""
    author: str = ""
    language: str = ""


@dataclass(frozen=True)
class RankChange:
    """A version whose rank a night has changed; who had none before, or has none now, has None."""

    bot: str
    before: int | None
    after: int | None
    mu_before: float | None = None
    mu_after: float | None = None

    @property
    def step(self) -> int | None:
        """How many ranks it went up; below 0 down."""
        return None if self.before is None or self.after is None else self.before - self.after


@dataclass(frozen=True)
class NightSummary:
    """A session of play, and what it has changed."""

    number: int
    began: str
    ended: str | None
    """None while it goes on."""
    blocks: int
    games: int
    new: tuple[str, ...] = ()
    """Versions that are in the standings for the first time."""
    retired: tuple[tuple[str, str], ...] = ()
    """Versions, and why."""
    changes: tuple[RankChange, ...] = ()
    """The biggest first."""
    remarks: tuple[str, ...] = ()
    """What else is worth a sentence."""
    counted_cells: tuple[Cell, ...] = ()
    """The cells that are part of the overall rating from then on, as far as that is known."""


@dataclass(frozen=True)
class LadderInfo:
    """A ladder as it stands."""

    versions: Sequence[PublishedVersion]
    nights: Sequence[NightSummary] = ()
    """In their order."""
    last_blocks: Sequence[int] = ()
    """For each of these nights the number of its last block, as `Run.stored` has them."""
    accepts_submissions: bool = False
    """Whether bots can be submitted where the pages are served."""

    def __post_init__(self) -> None:
        if len(self.last_blocks) != len(self.nights):
            raise ValueError(f"{len(self.nights)} nights have {len(self.last_blocks)} ends")

    @cached_property
    def of(self) -> dict[str, PublishedVersion]:
        """Every version by the bot that plays it."""
        return {one.bot: one for one in self.versions}

    @cached_property
    def active_bots(self) -> frozenset[str]:
        """The bots that are in the standings."""
        return frozenset(one.bot for one in self.versions if one.state == "active")

    @property
    def counted_cells(self) -> frozenset[Cell]:
        """The cells that are part of the overall rating today."""
        return frozenset(self.nights[-1].counted_cells if self.nights else ())

    @cached_property
    def versions_by_name(self) -> dict[str, list[PublishedVersion]]:
        """All versions of each name, the latest first."""
        found: dict[str, list[PublishedVersion]] = {}
        for one in sorted(self.versions, key=lambda one: -one.number):
            found.setdefault(one.name, []).append(one)
        return found
