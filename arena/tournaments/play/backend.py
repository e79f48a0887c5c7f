"""The interface of backends, the tasks they take and the events they report."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from arena.referee.faults import Fault
from arena.referee.record import Record
from arena.store.block import PlayedBlock
from arena.tournaments.plan.blocks import Chunk


@dataclass(frozen=True)
class ChunkTask:
    """A chunk to be played."""

    number: int
    chunk: Chunk
    bots_without_excuses: frozenset[str] = frozenset()
    """Bots without excuses: if the machine kills one of them, the task has failed once more."""


@dataclass(frozen=True)
class GamesFinished:
    """So many games of a task were played by now."""

    number: int
    games: int


@dataclass(frozen=True)
class TaskResult:
    """A task's blocks."""

    number: int
    blocks: list[PlayedBlock]
    seconds: float = 0.0
    """That the games took."""


@dataclass(frozen=True)
class TaskFailure:
    """A task that nobody has played to its end, and why."""

    number: int
    text: str
    killed_bot: str | None = None
    """The bot that somebody has killed, if it was that."""
    is_hopeless: bool = False
    """Whether to try again is of no use."""
    counts_as_try: bool = True
    """Whether it counts as one of the tries that a task has."""
    suspect_blocks: tuple[bytes, ...] = ()
    """Keys of blocks that the same worker returned before and that were not replayed yet."""


@dataclass(frozen=True)
class StrictFault:
    """A task that a fault has ended, since faults are to stop everything."""

    number: int
    fault: Fault
    record: Record
    """The game as far as it went."""

    @property
    def text(self) -> str:
        """What happened."""
        return f"{self.record.bots[self.fault.seat].name}: {self.fault.text}"


BackendEvent = GamesFinished | TaskResult | TaskFailure | StrictFault


class Backend(Protocol):
    """Plays chunks, as many at a time as it has room for."""

    def free_slots(self) -> int:
        """How many tasks it would take now."""

    def submit(self, task: ChunkTask) -> None:
        """Let it play a task."""

    def cancel_waiting(self) -> Iterable[int]:
        """Take back the tasks that were not begun, as nothing more is to be."""

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        """What has happened, as soon as something has, or nothing after so many seconds."""
