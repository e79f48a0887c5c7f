"""Backends: where chunks are played."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from arena.match.faults import Fault
from arena.match.record import Record
from arena.store.block import Block
from arena.tournaments.block import Chunk


@dataclass(frozen=True)
class Task:
    """A chunk to be played."""

    number: int
    chunk: Chunk
    paying: frozenset[str] = frozenset()
    """Bots without excuses: if the machine kills one of them, the task has failed once more."""


@dataclass(frozen=True)
class Ticked:
    """So many games of a task were played by now."""

    number: int
    games: int


@dataclass(frozen=True)
class Done:
    """A task's blocks."""

    number: int
    blocks: list[Block]
    seconds: float = 0.0
    """That the games took."""


@dataclass(frozen=True)
class Failed:
    """A task that nobody has played to its end, and why."""

    number: int
    text: str
    killed: str | None = None
    """The bot that somebody has killed, if it was that."""
    hopeless: bool = False
    """Whether to try again is of no use."""
    counts: bool = True
    """Whether it counts as one of the tries that a task has."""
    doubted: tuple[bytes, ...] = ()
    """Keys of blocks that the same worker returned before and that were not replayed yet."""


@dataclass(frozen=True)
class Broken:
    """A task that a fault has ended, since faults are to stop everything."""

    number: int
    fault: Fault
    record: Record
    """The game as far as it went."""

    @property
    def text(self) -> str:
        """What happened."""
        return f"{self.record.bots[self.fault.seat].name}: {self.fault.text}"


News = Ticked | Done | Failed | Broken


class Backend(Protocol):
    """Plays chunks, as many at a time as it has room for."""

    def room(self) -> int:
        """How many tasks it would take now."""

    def give(self, task: Task) -> None:
        """Let it play a task."""

    def recall(self) -> Iterable[int]:
        """Take back the tasks that were not begun, as nothing more is to be."""

    def wait(self, seconds: float) -> Iterable[News]:
        """What has happened, as soon as something has, or nothing after so many seconds."""
