"""The keys of a tournament file."""

from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import fields

from arena.bots.manifest import MEANT as MEANT_OF_BOTS
from arena.bots.sandbox.level import Level
from arena.bots.sandbox.level import Limits as Room
from arena.match.faults import Policy
from arena.match.terms import Terms
from arena.protocol.messages import Limits
from arena.tournaments.designs import Design
from arena.tournaments.document import BadTournament, known, parse, typed

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}\Z")]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Text = Annotated[str, Meta(min_length=1)]

LONGEST_CHUNK = 4096
MOST_CHOSEN = 100_000
"""Tables of one cell that are chosen one by one; it takes some seconds, and they are all kept."""

Chosen = Annotated[int, Meta(ge=1, le=MOST_CHOSEN)]


class Entry(Struct, frozen=True, kw_only=True):
    """A bot that takes part under another name."""

    bot: Text
    alias: Name | None = field(name="as", default=None)


class Tables(Struct, frozen=True, kw_only=True):
    """Who sits together; one of the three."""

    gauntlet: str | None = None
    """All tables with this bot."""
    sample: Chosen | None = None
    """So many tables, every bot and every pair as equally often as can be."""
    adaptive: Chosen | None = None
    """So many tables, the later ones where the order is open."""


class Faults(Struct, frozen=True, kw_only=True):
    """What follows from faults."""

    policy: Policy = Terms().policy
    retire: Count = Terms().retire


class Rating(Struct, frozen=True, kw_only=True):
    """How the bots are rated; it decides no game."""

    standing: Literal["score", "placement"] = "score"
    """What a block is won by."""
    anchors: tuple[str, ...] = ()
    """Bots whose mean rating is 25; by default all."""


class Asked(Room, frozen=True, kw_only=True):
    """The walls around bots, and what each may use within them."""

    level: Level | None = Level.STANDARD
    """None: the best there is."""
    waiting: Literal["charged", "stopped"] | None = None
    system: Literal["host", "memory"] | None = None
    """What becomes of bots that nobody asks anything; None: as the level has it."""


class Stop(Struct, frozen=True, kw_only=True):
    """When to stop before everything is played."""

    when: Literal["order"]
    """As soon as the order is known."""
    confidence: Annotated[float, Meta(ge=0.5, lt=1)] = 0.95
    by: Literal["rating", "points"] = "rating"
    """What has to be sure of it: the rating, or sooner the points where they agree with it."""


class Dask(Struct, frozen=True, kw_only=True):
    """A Dask scheduler, and the files by which both sides prove who they are."""

    scheduler: Text
    ca: Text | None = None
    cert: Text | None = None
    key: Text | None = None
    replay: Annotated[float, Meta(ge=0, le=1)] = 0.02


class Elsewhere(Struct, frozen=True, kw_only=True):
    """Who plays, if not this machine."""

    dask: Text | Dask


Where = Literal["local"] | Elsewhere


class Keys(Struct, frozen=True, kw_only=True):
    """The keys of a tournament file; those without a default have to be there."""

    name: Name | None = None
    seed: int | str | None = None
    variants: Text | Annotated[tuple[Text, ...], Meta(min_length=1)]
    seats: int | Literal["all"] | Annotated[tuple[int, ...], Meta(min_length=1)]
    bots: Annotated[tuple[str | Entry, ...], Meta(min_length=1)]
    deals: Count = 12
    seating: Design = "balanced"
    tables: Literal["all", "adaptive"] | Tables = "all"
    chunk: Annotated[int, Meta(ge=1, le=LONGEST_CHUNK)] = 32
    clock: Limits | Literal["none"] = field(default_factory=Limits)
    faults: Policy | Faults = field(default_factory=Faults)
    workers: Annotated[int, Meta(ge=1, le=1024)] | Literal["all"] = "all"
    backend: Where = "local"
    anonymous: bool = True
    rating: Rating = field(default_factory=Rating)
    sandbox: Level | Asked | None = None
    stop: Stop | None = None


INSIDE: dict[str, type[Struct]] = {
    "bots": Entry,
    "tables": Tables,
    "clock": Limits,
    "faults": Faults,
    "rating": Rating,
    "sandbox": Asked,
    "stop": Stop,
    "backend": Elsewhere,
    "backend.dask": Dask,
}
"""The keys that may hold keys of their own."""

SECONDS = "a number of seconds, such as 0.5"
MEANT = {
    "name": "letters, digits, space, dot, dash and underscore, at most 40: the run's folder is "
    "called so",
    "seed": "any text, in quotes if YAML sees something else in it, or a whole number; the deals "
    "are made from it, so it is a secret until the tournament is over",
    "variants": "a name or a list of names and patterns, such as [hat-trick, sticheln+*], or all",
    "seats": "a number, a list such as [3, 4], or all",
    "bots": "a list of folders, scripts, patterns such as ../bots/*, and names of bots that come "
    "with the program; with another name: {bot: ../bots/fox, as: fox-2}",
    "bots.as": MEANT_OF_BOTS["name"],
    "deals": "a whole number from 1, such as 12: the deals each table plays of each variant",
    "seating": "balanced, all, rotations or random",
    "tables": "all, adaptive, {gauntlet: BOT}, {sample: NUMBER} or {adaptive: NUMBER}",
    "tables.gauntlet": "the name of one of the bots",
    "tables.sample": f"a whole number from 1 to {MOST_CHOSEN}",
    "tables.adaptive": f"a whole number from 1 to {MOST_CHOSEN}",
    "chunk": f"a whole number from 1 to {LONGEST_CHUNK}: the deals that a process of a bot meets",
    "clock": "none, or any of start, move, bank and wall in seconds, such as {move: 0.5, bank: 2}",
    **{f"clock.{key}": SECONDS for key in Limits.__struct_fields__},
    "faults": "strict, stand-in or forfeit, or {policy: stand-in, retire: 10}",
    "faults.policy": "strict, stand-in or forfeit",
    "faults.retire": "a whole number from 1: the faults after which a bot is asked no more",
    "workers": "a whole number from 1, or all: one for each core",
    "backend": "local, or a cluster such as {dask: tcp://HOST:8786}",
    "backend.dask": "the address of a scheduler, or {scheduler: tls://HOST:8786, ca: FILE, cert: "
    "FILE, key: FILE}",
    "backend.dask.scheduler": "an address such as tcp://HOST:8786",
    "backend.dask.ca": "a file with the certificate that signed all others",
    "backend.dask.cert": "a file with the certificate of this side",
    "backend.dask.key": "a file with the key of this side",
    "backend.dask.replay": "a number from 0 to 1: the part of all blocks that is replayed",
    "anonymous": "true or false",
    "rating": "standing and anchors, such as {standing: placement, anchors: [random]}",
    "rating.standing": "score or placement",
    "rating.anchors": "a list of names of bots",
    "sandbox": "strict, standard or none, or limits such as {level: standard, memory: 256}",
    "sandbox.level": "strict, standard or none",
    "sandbox.memory": "a whole number from 16: the MiB that a bot may use",
    "sandbox.processes": "a whole number from 1 to 4096: processes and threads of a bot",
    "sandbox.files": "a whole number from 16 to 65536: files that a process may have open",
    "sandbox.tmp": "a whole number from 1 to 65536: MiB of a bot's files in its own /tmp",
    "sandbox.entries": "a whole number from 16: files and folders in a bot's own /tmp",
    "sandbox.waiting": "charged or stopped: what becomes of bots that nobody asks anything",
    "sandbox.system": "host or memory: where the programs and libraries lie that bots see",
    "stop": "{when: order, confidence: 0.95}",
    "stop.when": "order",
    "stop.by": "rating or points",
    "stop.confidence": "a number from 0.5 to below 1, such as 0.95",
}
"""What a key takes, in words."""


def names(kind: type[Struct]) -> tuple[str, ...]:
    """The keys of a struct as they stand in a file."""
    return tuple(each.encode_name for each in fields(kind))


def keys_of(file: Path, text: str) -> Keys:
    """The keys that a file's text has."""
    found: dict[Any, Any] = parse(file, text)
    bots = found.get("bots")
    for number, entry in enumerate(bots if isinstance(bots, list) else ()):
        if isinstance(entry, dict) and list(entry) == ["ladder"]:
            raise BadTournament(
                f"{file}: $.bots[{number}]: write 'ladder:{entry['ladder']}', without a space"
            )
    known(file, found, {"": names(Keys), **{key: names(kind) for key, kind in INSIDE.items()}})
    return typed(file, found, Keys, MEANT)
