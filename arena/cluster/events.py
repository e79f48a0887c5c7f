"""What happens on a cluster, as its coordinator hears of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.cluster.messages import Facts, Outcome, Said, Unreadable
from arena.tournaments.backend import Failed


@dataclass(frozen=True)
class Machine:
    """A worker as the scheduler knows it."""

    name: str
    threads: int


@dataclass(frozen=True)
class Census:
    """Those that are there, by their addresses."""

    machines: Mapping[str, Machine]


@dataclass(frozen=True)
class Left:
    """A worker is gone."""

    address: str
    expected: bool
    """Whether it has said so, and did not die."""


@dataclass(frozen=True)
class Examined:
    """A worker has answered what it is."""

    address: str
    facts: Facts | None
    refused: str = ""
    """Why it cannot take part, where there are no facts."""


@dataclass(frozen=True)
class Heard:
    """A worker has said something about a task."""

    address: str
    said: Said


@dataclass(frozen=True)
class Returned:
    """A task has come back."""

    number: int
    attempt: int
    outcome: Outcome | Unreadable | Failed | None
    """Failed if Dask could not have it played; None if nobody knows what became of it."""


@dataclass(frozen=True)
class Lost:
    """The scheduler does not answer any more."""


Event = Census | Left | Examined | Heard | Returned | Lost
