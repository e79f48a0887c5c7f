"""A contest: what a ladder tells of its versions and nights, for the pages about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from arena.ratings.cell import Cell

State = Literal["active", "superseded", "retired"]
STATES: tuple[State, ...] = ("active", "superseded", "retired")


@dataclass(frozen=True)
class Version:
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
    state: State = "active"
    why: str = ""
    """Why it was retired, for its owner."""
    description: str = ""
    author: str = ""
    language: str = ""


@dataclass(frozen=True)
class Change:
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
class Night:
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
    changes: tuple[Change, ...] = ()
    """The biggest first."""
    remarks: tuple[str, ...] = ()
    """What else is worth a sentence."""
    counted: tuple[Cell, ...] = ()
    """The cells that are part of the overall rating from then on, as far as that is known."""


@dataclass(frozen=True)
class Contest:
    """A ladder as it stands."""

    versions: Sequence[Version]
    nights: Sequence[Night] = ()
    """In their order."""
    ends: Sequence[int] = ()
    """For each of these nights the number of its last block, as `Run.stored` has them."""
    submit: bool = False
    """Whether bots can be submitted where the pages are served."""

    def __post_init__(self) -> None:
        if len(self.ends) != len(self.nights):
            raise ValueError(f"{len(self.nights)} nights have {len(self.ends)} ends")

    @cached_property
    def of(self) -> dict[str, Version]:
        """Every version by the bot that plays it."""
        return {one.bot: one for one in self.versions}

    @cached_property
    def active(self) -> frozenset[str]:
        """The bots that are in the standings."""
        return frozenset(one.bot for one in self.versions if one.state == "active")

    @property
    def counted(self) -> frozenset[Cell]:
        """The cells that are part of the overall rating today."""
        return frozenset(self.nights[-1].counted if self.nights else ())

    @cached_property
    def named(self) -> dict[str, list[Version]]:
        """All versions of each name, the latest first."""
        found: dict[str, list[Version]] = {}
        for one in sorted(self.versions, key=lambda one: -one.number):
            found.setdefault(one.name, []).append(one)
        return found
