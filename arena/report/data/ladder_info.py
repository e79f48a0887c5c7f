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
    """A version of a bot: it plays under a name of its own and never changes."""

    bot: str
    """Its name among the bots of the run, such as `ann v3`."""
    name: str
    """The name that all versions of this bot share."""
    number: int
    owner: str
    """Empty for reference bots."""
    message: str
    """The message that its owner sent with it."""
    submitted: str
    """When it was submitted, in UTC, as ISO 8601."""
    state: VersionState = "active"
    why: str = ""
    """Why it was retired, for its owner."""
    description: str = ""
    author: str = ""
    language: str = ""


@dataclass(frozen=True)
class RankChange:
    """A version whose rank a night has changed; None stands for no rank."""

    bot: str
    before: int | None
    after: int | None
    mu_before: float | None
    mu_after: float | None

    @property
    def rank_gain(self) -> int | None:
        """By how many ranks it rose; negative if it fell."""
        return None if self.before is None or self.after is None else self.before - self.after


@dataclass(frozen=True)
class PublishedNight:
    """A night of a ladder, and what it has changed."""

    number: int
    began: str
    ended: str | None
    """None while the night is being played."""
    blocks: int
    games: int
    new: tuple[str, ...] = ()
    """Versions that entered the standings."""
    retired: tuple[tuple[str, str], ...] = ()
    """Versions, each with the reason."""
    changes: tuple[RankChange, ...] = ()
    """The biggest first."""
    remarks: tuple[str, ...] = ()
    """Further sentences."""
    counted_cells: tuple[Cell, ...] = ()
    """The cells of the overall rating from this night on; empty if that is unknown."""


@dataclass(frozen=True)
class LadderInfo:
    """The versions and nights of a ladder as it stands."""

    versions: Sequence[PublishedVersion]
    nights: Sequence[PublishedNight] = ()
    """In the order in which they were played."""
    last_blocks: Sequence[int] = ()
    """For each night the number of its last block, as `Run.storage_order` numbers them."""
    accepts_submissions: bool = False
    """Whether the pages are served together with a form to submit bots."""

    def __post_init__(self) -> None:
        if len(self.last_blocks) != len(self.nights):
            raise ValueError(f"{len(self.nights)} nights have {len(self.last_blocks)} ends")

    @cached_property
    def versions_by_bot(self) -> dict[str, PublishedVersion]:
        """All versions by the names of their bots."""
        return {one.bot: one for one in self.versions}

    @cached_property
    def active_bots(self) -> frozenset[str]:
        """The bots that are in the standings."""
        return frozenset(one.bot for one in self.versions if one.state == "active")

    @property
    def counted_cells(self) -> frozenset[Cell]:
        """The cells of the overall rating today."""
        return frozenset(self.nights[-1].counted_cells if self.nights else ())

    @cached_property
    def versions_by_name(self) -> dict[str, list[PublishedVersion]]:
        """All versions of each name, the latest first."""
        by_name: dict[str, list[PublishedVersion]] = {}
        for version in sorted(self.versions, key=lambda one: -one.number):
            by_name.setdefault(version.name, []).append(version)
        return by_name

    @property
    def latest_night(self) -> PublishedNight | None:
        """The last night that has ended."""
        return next((one for one in reversed(self.nights) if one.ended is not None), None)
