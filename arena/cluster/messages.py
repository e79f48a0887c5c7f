"""What a coordinator and its workers say to each other; both run the same program."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from arena.match.terms import Terms
from arena.tournaments.backend import Broken, Failed, Task


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


class Played(Struct, frozen=True):
    """The blocks of a task, packed."""

    blocks: bytes
    seconds: float
    """That the games took, without what had to be prepared."""


class Lacking(Struct, frozen=True):
    """A task that waits for bundles which are not there."""

    digests: tuple[str, ...]


class Unfit(Struct, frozen=True):
    """A task that cannot be played here, and why."""

    text: str
    digest: str = ""
    """The bot that cannot be played; if it is not due to one, nothing can."""


Outcome = Played | Lacking | Unfit | Failed | Broken


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
