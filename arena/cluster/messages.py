"""Messages and events between coordinator and workers, and bots packed for transport.

Orders are pickled, as whoever sends them may run programs on a worker anyway. What a worker sends
back is MessagePack: the coordinator unpickles nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.bundle import pack
from arena.bots.digest import bot_digest
from arena.bots.interpreters import required_programs
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.referee.record import Record
from arena.store.block import PlayedBlock
from arena.tournaments.play.backend import ChunkTask, TaskFailure

MAX_MESSAGE_BYTES: Final = 1 << 29
"""Bytes of a message. Honest ones stay below: a chunk whose bots fill all of stderr has some 100
million."""


class BotEntry(Struct, frozen=True):
    """A bot that is to be played elsewhere."""

    digest: str
    """The hash of all it consists of, which its bundle is known by."""
    name: str
    """Under which it takes part."""
    script: str = ""
    """Its file, if it is a script or a program without a folder."""


@dataclass(frozen=True)
class PlayOrder:
    """What a worker is to do: a chunk to be played, with all it needs for that."""

    task: ChunkTask
    """The numbers at its table are those of the entries."""
    attempt: int
    entries: tuple[BotEntry, ...]
    config: RefereeConfig
    """The walls are only asked for: the worker makes its own."""
    variants: tuple[str, ...] = ()
    """What bots are to be ready for; where a chunk has no blocks, that is all they are asked."""
    network: bool = False
    """Whether builds that ask for it may use the network."""
    bundles: Mapping[str, bytes] = field(default_factory=dict)
    """Of bots that the worker may not have yet, by their digests."""


class LogMessage(Struct, frozen=True):
    """Something that a worker has logged."""

    name: str
    level: int
    text: str
    created: float
    """When, by the worker's clock."""


class TaskProgress(Struct, frozen=True):
    """What is heard of a task while it is worked on."""

    number: int
    attempt: int
    games: int = 0
    """That are over."""
    logged: tuple[LogMessage, ...] = ()


class PlayedTask(Struct, frozen=True, tag=True):
    """The blocks of a task, packed."""

    blocks: bytes
    seconds: float
    """That the games took, without what had to be prepared."""


class Lacking(Struct, frozen=True, tag=True):
    """A task that waits for bundles which are not there."""

    digests: tuple[str, ...]


class Unfit(Struct, frozen=True, tag=True):
    """A task that cannot be played here, and why."""

    text: str
    digest: str = ""
    """The bot that cannot be played; if it is not due to one, nothing can."""


class NotPlayed(Struct, frozen=True, tag=True):
    """A task that was not played to its end, and why."""

    text: str
    killed: str | None = None
    """The bot that somebody has killed, if it was that."""


class StoppedByFault(Struct, frozen=True, tag=True):
    """A task that a fault has ended, where faults are to stop everything."""

    fault: Fault
    record: Record
    """The game as far as it went."""


Outcome = PlayedTask | Lacking | Unfit | NotPlayed | StoppedByFault
"""What comes of an order."""


class Requirements(Struct, frozen=True):
    """What a worker is asked about when it comes."""

    programs: tuple[str, ...]
    level: str
    """Of the walls around bots."""
    digests: tuple[str, ...] = ()
    """Of all bots."""


class WorkerInfo(Struct, frozen=True):
    """What a worker is, as far as it matters here."""

    edition: str
    """Of the program: those that play the same games alike have the same."""
    missing: dict[str, str]
    """Programs that are needed and not there, each with how to get it."""
    walls: str
    """Why bots cannot be walled in as they are to be; empty if they can."""
    there: tuple[str, ...] = ()
    """The digests of bots that need not be sent."""


class InvalidReply(Struct, frozen=True):
    """What a worker sent in place of an outcome or of facts cannot be read."""

    text: str


def pack_message(message: Outcome | WorkerInfo) -> bytes:
    """Return what a worker sends as bytes."""
    return msgspec.msgpack.encode(message)


def unpack_outcome(data: object) -> Outcome | InvalidReply:
    """Return the outcome that a worker sent, if it is one."""
    try:
        if not isinstance(data, bytes):
            return InvalidReply("it is not an outcome in MessagePack")
        found: Outcome = OUTCOME_DECODER.decode(data)
    except DECODE_ERRORS as error:
        return InvalidReply(f"what it sent cannot be read: {error}")
    return found


def unpack_worker_info(data: object) -> WorkerInfo | InvalidReply:
    """Return the facts that a worker sent, if they are."""
    try:
        if not isinstance(data, bytes):
            return InvalidReply("what it says of itself is not MessagePack")
        return WORKER_INFO_DECODER.decode(data)
    except DECODE_ERRORS as error:
        return InvalidReply(f"what it sent cannot be read: {error}")


def unpack_blocks(data: bytes) -> list[PlayedBlock] | InvalidReply:
    """Return the blocks that a worker sent, if they are."""
    try:
        return BLOCKS_DECODER.decode(data)
    except DECODE_ERRORS as error:
        return InvalidReply(f"its blocks cannot be read: {error}")


OUTCOME_DECODER: Final = msgspec.msgpack.Decoder(Outcome)
WORKER_INFO_DECODER: Final = msgspec.msgpack.Decoder(WorkerInfo)
BLOCKS_DECODER: Final = msgspec.msgpack.Decoder(list[PlayedBlock])
DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True)
class ShippedBot:
    """A bot that is played elsewhere: as it travels, where it comes from, and what it needs."""

    entry: BotEntry
    version: str
    path: Path
    ignored: tuple[str, ...]
    programs: tuple[str, ...]
    """By which it is built and run."""

    @cached_property
    def bundle(self) -> bytes:
        """All it consists of, packed once."""
        return pack(self.path, self.ignored)


def ship_bot(bot: Bot, path: Path) -> ShippedBot:
    """A bot that lies in a folder or is a script."""
    entry = BotEntry(bot_digest(path, bot.ignored), bot.name, "" if path.is_dir() else path.name)
    return ShippedBot(entry, bot.version, path, bot.ignored, required_programs(path))


@dataclass(frozen=True)
class DaskWorker:
    """A worker as the scheduler knows it."""

    name: str
    threads: int


@dataclass(frozen=True)
class WorkerList:
    """Those that are there, by their addresses."""

    workers: Mapping[str, DaskWorker]


@dataclass(frozen=True)
class WorkerLeft:
    """A worker is gone."""

    address: str
    is_expected: bool
    """Whether it has said so, and did not die."""


@dataclass(frozen=True)
class WorkerInfoReply:
    """A worker has answered what it is."""

    address: str
    info: WorkerInfo | None
    refusal: str = ""
    """Why it cannot take part, where there are no facts."""


@dataclass(frozen=True)
class ProgressReport:
    """A worker has said something about a task."""

    address: str
    progress: TaskProgress


@dataclass(frozen=True)
class TaskReturned:
    """A task has come back."""

    number: int
    attempt: int
    outcome: Outcome | InvalidReply | TaskFailure | None
    """Failed if Dask could not have it played; None if nobody knows what became of it."""


@dataclass(frozen=True)
class SchedulerLost:
    """The scheduler does not answer any more."""


ClusterEvent = (
    WorkerList | WorkerLeft | WorkerInfoReply | ProgressReport | TaskReturned | SchedulerLost
)
