"""What a coordinator and its workers say to each other; both run the same program.

Orders are pickled, as whoever sends them may run programs on a worker anyway. What a worker sends
back is MessagePack: the coordinator unpickles nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec import Struct

from arena.match.faults import Fault
from arena.match.record import Record
from arena.match.terms import Terms
from arena.store.block import Block
from arena.tournaments.backend import Task

LARGEST: Final = 1 << 29
"""Bytes of a message. Honest ones stay below: a chunk whose bots fill all of stderr has some 100
million."""


class Entry(Struct, frozen=True):
    """A bot that is to be played elsewhere."""

    digest: str
    """The hash of all it consists of, which its bundle is known by."""
    name: str
    """Under which it takes part."""
    script: str = ""
    """Its file, if it is a script or a program without a folder."""


@dataclass(frozen=True)
class Order:
    """What a worker is to do: a chunk to be played, with all it needs for that."""

    task: Task
    """The numbers at its table are those of the entries."""
    attempt: int
    entries: tuple[Entry, ...]
    terms: Terms
    """The walls are only asked for: the worker makes its own."""
    variants: tuple[str, ...] = ()
    """What bots are to be ready for; where a chunk has no blocks, that is all they are asked."""
    network: bool = False
    """Whether builds that ask for it may use the network."""
    bundles: Mapping[str, bytes] = field(default_factory=dict)
    """Of bots that the worker may not have yet, by their digests."""


class Logged(Struct, frozen=True):
    """Something that a worker has logged."""

    name: str
    level: int
    text: str
    created: float
    """When, by the worker's clock."""


class Said(Struct, frozen=True):
    """What is heard of a task while it is worked on."""

    number: int
    attempt: int
    games: int = 0
    """That are over."""
    logged: tuple[Logged, ...] = ()


class Played(Struct, frozen=True, tag=True):
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


Outcome = Played | Lacking | Unfit | NotPlayed | StoppedByFault
"""What comes of an order."""


class Needs(Struct, frozen=True):
    """What a worker is asked about when it comes."""

    programs: tuple[str, ...]
    level: str
    """Of the walls around bots."""
    digests: tuple[str, ...] = ()
    """Of all bots."""


class Facts(Struct, frozen=True):
    """What a worker is, as far as it matters here."""

    edition: str
    """Of the program: those that play the same games alike have the same."""
    missing: dict[str, str]
    """Programs that are needed and not there, each with how to get it."""
    walls: str
    """Why bots cannot be walled in as they are to be; empty if they can."""
    there: tuple[str, ...] = ()
    """The digests of bots that need not be sent."""


class Unreadable(Struct, frozen=True):
    """What a worker sent in place of an outcome or of facts cannot be read."""

    text: str


def pack(told: Outcome | Facts) -> bytes:
    """Return what a worker sends as bytes."""
    return msgspec.msgpack.encode(told)


def unpack_outcome(sent: object) -> Outcome | Unreadable:
    """Return the outcome that a worker sent, if it is one."""
    try:
        if not isinstance(sent, bytes):
            return Unreadable("it is not an outcome in MessagePack")
        found: Outcome = OUTCOMES.decode(sent)
    except UNDECODED as error:
        return Unreadable(f"what it sent cannot be read: {error}")
    return found


def unpack_facts(sent: object) -> Facts | Unreadable:
    """Return the facts that a worker sent, if they are."""
    try:
        if not isinstance(sent, bytes):
            return Unreadable("what it says of itself is not MessagePack")
        return FACTS.decode(sent)
    except UNDECODED as error:
        return Unreadable(f"what it sent cannot be read: {error}")


def unpack_blocks(sent: bytes) -> list[Block] | Unreadable:
    """Return the blocks that a worker sent, if they are."""
    try:
        return BLOCKS.decode(sent)
    except UNDECODED as error:
        return Unreadable(f"its blocks cannot be read: {error}")


OUTCOMES: Final = msgspec.msgpack.Decoder(Outcome)
FACTS: Final = msgspec.msgpack.Decoder(Facts)
BLOCKS: Final = msgspec.msgpack.Decoder(list[Block])
UNDECODED: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
