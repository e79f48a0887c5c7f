"""Messages and events between coordinator and workers, and bots packed for transport.

Orders are pickled, since the coordinator may run programs on a worker anyway. Workers answer in
MessagePack: the coordinator unpickles nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.bundle import pack_bot
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
    """A bot that a worker is to play."""

    digest: str
    """The hash of all its files, which identifies its bundle."""
    name: str
    """Its name in the tournament."""
    script: str = ""
    """Its file, if it is a script or a program without a folder."""


@dataclass(frozen=True)
class PlayOrder:
    """The order to play a chunk, with all that a worker needs for it."""

    task: ChunkTask
    """The numbers at its table are indices of `entries`."""
    attempt: int
    entries: tuple[BotEntry, ...]
    config: RefereeConfig
    """Its sandbox is a request: the worker creates its own."""
    variants: tuple[str, ...] = ()
    """Variants that bots have to be ready for; a chunk without blocks checks only that."""
    network: bool = False
    """Whether builds that ask for it may use the network."""
    bundles: Mapping[str, bytes] = field(default_factory=dict)
    """The bundles of bots that the worker may not have yet, by digest."""


class LogMessage(Struct, frozen=True):
    """A line that a worker has logged."""

    name: str
    level: int
    text: str
    created: float
    """The time by the worker's clock."""


class TaskProgress(Struct, frozen=True):
    """The progress of a task that a worker has started."""

    number: int
    attempt: int
    games: int = 0
    """The number of finished games."""
    logged: tuple[LogMessage, ...] = ()


class PlayedTask(Struct, frozen=True, tag=True):
    """The blocks of a task, packed."""

    blocks: bytes
    seconds: float
    """The duration of the games, without the preparation of bots."""


class BotsMissing(Struct, frozen=True, tag="Lacking"):
    """A task was not played because the worker lacks bundles."""

    digests: tuple[str, ...]


class WorkerUnfit(Struct, frozen=True, tag="Unfit"):
    """A task cannot be played on this worker, and why."""

    text: str
    digest: str = ""
    """The bot that the worker cannot play; if empty, it cannot play any task."""


class TaskNotPlayed(Struct, frozen=True, tag="NotPlayed"):
    """A task was not played to its end, and why."""

    text: str
    killed: str | None = None
    """The name of the bot that was killed from outside, if that is the reason."""


class StoppedByFault(Struct, frozen=True, tag=True):
    """A fault ended a task, under the policy that a fault stops the run."""

    fault: Fault
    record: Record
    """The game up to the fault."""


Outcome = PlayedTask | BotsMissing | WorkerUnfit | TaskNotPlayed | StoppedByFault
"""The result of an order."""


class Requirements(Struct, frozen=True):
    """What a run needs of each worker."""

    programs: tuple[str, ...]
    level: str
    """The sandbox level."""
    digests: tuple[str, ...] = ()
    """The digests of all bots."""


class WorkerInfo(Struct, frozen=True):
    """What a worker has of what a run needs."""

    edition: str
    """The version of the program's code, see `compatibility.EDITION`."""
    missing: dict[str, str]
    """Required programs that are missing, each with how to install it."""
    sandbox_problem: str
    """Why it cannot create the requested sandbox; empty if it can."""
    cached: tuple[str, ...] = ()
    """The digests of bots in its cache, which need not be sent."""


class InvalidWorkerReply(Struct, frozen=True):
    """What a worker sent is not a valid outcome or worker info."""

    text: str


def pack_message(message: Outcome | WorkerInfo) -> bytes:
    """Encode a message of a worker."""
    return msgspec.msgpack.encode(message)


def unpack_outcome(data: object) -> Outcome | InvalidWorkerReply:
    """Decode an outcome that a worker sent."""
    try:
        if not isinstance(data, bytes):
            return InvalidWorkerReply("it is not an outcome in MessagePack")
        found: Outcome = OUTCOME_DECODER.decode(data)
    except DECODE_ERRORS as error:
        return InvalidWorkerReply(f"what it sent cannot be read: {error}")
    return found


def unpack_worker_info(data: object) -> WorkerInfo | InvalidWorkerReply:
    """Decode the information that a worker sent about itself."""
    try:
        if not isinstance(data, bytes):
            return InvalidWorkerReply("what it says of itself is not MessagePack")
        return WORKER_INFO_DECODER.decode(data)
    except DECODE_ERRORS as error:
        return InvalidWorkerReply(f"what it sent cannot be read: {error}")


def unpack_blocks(data: bytes) -> list[PlayedBlock] | InvalidWorkerReply:
    """Decode the blocks that a worker sent."""
    try:
        return BLOCKS_DECODER.decode(data)
    except DECODE_ERRORS as error:
        return InvalidWorkerReply(f"its blocks cannot be read: {error}")


OUTCOME_DECODER: Final = msgspec.msgpack.Decoder(Outcome)
WORKER_INFO_DECODER: Final = msgspec.msgpack.Decoder(WorkerInfo)
BLOCKS_DECODER: Final = msgspec.msgpack.Decoder(list[PlayedBlock])
DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True)
class ShippedBot:
    """A bot that is sent to workers: its entry, its files, and the programs that it needs."""

    entry: BotEntry
    version: str
    path: Path
    ignored: tuple[str, ...]
    programs: tuple[str, ...]
    """The names of the programs by which it is built and run."""

    @cached_property
    def bundle(self) -> bytes:
        """Its files, packed once."""
        return pack_bot(self.path, self.ignored)


def ship_bot(bot: Bot, path: Path) -> ShippedBot:
    """Prepare a bot, a folder or a script, to be sent to workers."""
    entry = BotEntry(bot_digest(path, bot.ignored), bot.name, "" if path.is_dir() else path.name)
    return ShippedBot(entry, bot.version, path, bot.ignored, required_programs(path))


@dataclass(frozen=True)
class DaskWorker:
    """A worker as the scheduler knows it."""

    name: str
    threads: int


@dataclass(frozen=True)
class WorkerList:
    """The workers that are connected, by address."""

    workers: Mapping[str, DaskWorker]


@dataclass(frozen=True)
class WorkerLeft:
    """A worker has disconnected."""

    address: str
    is_expected: bool
    """Whether it shut down in order, and did not die."""


@dataclass(frozen=True)
class WorkerInfoReply:
    """A worker has sent its information, or it cannot take part."""

    address: str
    info: WorkerInfo | None
    refusal: str = ""
    """Why it cannot take part; empty if it can."""


@dataclass(frozen=True)
class ProgressReport:
    """A worker has reported the progress of a task."""

    address: str
    progress: TaskProgress


@dataclass(frozen=True)
class TaskReturned:
    """A task has ended on a worker."""

    number: int
    attempt: int
    outcome: Outcome | InvalidWorkerReply | TaskFailure | None
    """A failure if Dask could not run it; None if Dask has cancelled it."""


@dataclass(frozen=True)
class SchedulerLost:
    """The scheduler does not answer any more."""


ClusterEvent = (
    WorkerList | WorkerLeft | WorkerInfoReply | ProgressReport | TaskReturned | SchedulerLost
)
