"""The interface of backends: the tasks they take and the events they report."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.bots.bot import Bot
from arena.referee.faults import Fault
from arena.referee.record import Record
from arena.store.block import PlayedBlock
from arena.tournaments.plan.blocks import Chunk


@dataclass(frozen=True)
class ChunkTask:
    """A chunk for a backend to play."""

    number: int
    chunk: Chunk
    bots_without_excuses: frozenset[str] = frozenset()
    """Bots without excuses: if the machine kills one of them, the task has failed once more."""


@dataclass(frozen=True)
class GamesFinished:
    """How many games of a task are finished so far."""

    number: int
    games: int


@dataclass(frozen=True)
class TaskResult:
    """The blocks of a task that was played."""

    number: int
    blocks: list[PlayedBlock]
    seconds: float = 0.0
    """How long the games took."""


@dataclass(frozen=True)
class TaskFailure:
    """A task that was not played to its end, and why."""

    number: int
    text: str
    killed_bot: str | None = None
    """The bot that the machine or a person killed, if that is the reason."""
    is_hopeless: bool = False
    """Whether another try would fail as well."""
    counts_as_try: bool = True
    """Whether it uses up one of the tries that a task has."""
    suspect_blocks: tuple[bytes, ...] = ()
    """Keys of blocks that the same worker returned before and that were not replayed yet."""


@dataclass(frozen=True)
class StrictFault:
    """A fault that ended a task, where the tournament stops at the first fault."""

    number: int
    fault: Fault
    record: Record
    """The game up to the fault."""

    @property
    def text(self) -> str:
        """What happened."""
        return f"{self.record.bots[self.fault.seat].name}: {self.fault.text}"


BackendEvent = GamesFinished | TaskResult | TaskFailure | StrictFault


class Backend(Protocol):
    """Plays chunks, as many at a time as it has free slots."""

    def free_slots(self) -> int:
        """How many more tasks it can take now."""

    def submit(self, task: ChunkTask) -> None:
        """Play a task."""

    def cancel_waiting(self) -> Iterable[int]:
        """Take back the tasks that were not begun, and return their numbers."""

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        """Return new events as soon as there are some, or none after so many seconds."""


class SizedBackend(Backend, Protocol):
    """A backend that knows on how many cores it plays."""

    @property
    def cores(self) -> int:
        """How many chunks it can play at once."""


class RemoteBackend(SizedBackend, Protocol):
    """A backend that is given its bots after it was opened, such as a cluster."""

    def check_bots(self, bots: Iterable[tuple[Bot, Path]]) -> Mapping[str, str]:
        """Take the bots that will play; return those that cannot be played, and why."""

    def check_ready(self, variants: tuple[str, ...]) -> None:
        """Start each of these bots; raise if one does not become ready for the variants."""
