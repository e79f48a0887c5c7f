"""The keys of a tournament file: their types, defaults and help texts."""

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from arena.bots import manifest
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.tournaments.config.yaml_file import BadTournament, check_keys, convert_keys, parse_yaml
from arena.tournaments.seatings import Design

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}\Z")]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Text = Annotated[str, Meta(min_length=1)]

MAX_CHUNK_DEALS = 4096
MAX_CHOSEN_TABLES = 100_000
"""Tables of one cell that are chosen one by one; they take some seconds and are all stored."""

TableCount = Annotated[int, Meta(ge=1, le=MAX_CHOSEN_TABLES)]


class BotKeys(Struct, frozen=True, kw_only=True):
    """A bot, with another name to take part under."""

    bot: Text
    alias: Name | None = field(name="as", default=None)


class TableKeys(Struct, frozen=True, kw_only=True):
    """Which bots sit together; one of the three keys is set."""

    gauntlet: str | None = None
    """The bot that sits at all tables."""
    sample: TableCount | None = None
    """How many tables to draw, with every bot and every pair as equally often as possible."""
    adaptive: TableCount | None = None
    """How many tables to play, the later ones where the order of the bots is open."""


class FaultKeys(Struct, frozen=True, kw_only=True):
    """What happens after faults."""

    policy: FaultPolicy = RefereeConfig().policy
    retire: Count = RefereeConfig().max_faults


class RatingKeys(Struct, frozen=True, kw_only=True):
    """How the bots are rated, which does not change any game."""

    standing: Literal["score", "placement"] = "score"
    """What decides the ranks of a block."""
    anchors: tuple[str, ...] = ()
    """Bots whose mean rating is 25; by default all."""


class SandboxKeys(ResourceLimits, frozen=True, kw_only=True):
    """The sandbox of the bots, and the resources of each bot."""

    level: SandboxLevel | None = SandboxLevel.STANDARD
    """None: the best level that this machine supports."""
    waiting: Literal["charged", "stopped"] | None = None
    """Whether waiting bots are stopped or charged for their time; None: the level's default."""
    system: Literal["host", "memory"] | None = None
    """Where the programs and libraries lie that bots see; None: the level's default."""


class StopKeys(Struct, frozen=True, kw_only=True):
    """When a run stops before everything is played."""

    when: Literal["order"]
    """As soon as the order of the bots is certain."""
    confidence: Annotated[float, Meta(ge=0.5, lt=1)] = 0.95
    by: Literal["rating", "points"] = "rating"
    """What has to be certain: the rating; or the points, if they agree with it, which is sooner."""


class DaskKeys(Struct, frozen=True, kw_only=True):
    """A Dask scheduler, and the certificates for its connections."""

    scheduler: Text
    ca: Text | None = None
    cert: Text | None = None
    key: Text | None = None
    replay: Annotated[float, Meta(ge=0, le=1)] = 0.02


class BackendKeys(Struct, frozen=True, kw_only=True):
    """The backend, if it is not this machine."""

    dask: Text | DaskKeys


BackendSetting = Literal["local"] | BackendKeys


class TournamentKeys(Struct, frozen=True, kw_only=True):
    """The keys of a tournament file; those without a default are required."""

    name: Name | None = None
    seed: int | str | None = None
    variants: Text | Annotated[tuple[Text, ...], Meta(min_length=1)]
    seats: int | Literal["all"] | Annotated[tuple[int, ...], Meta(min_length=1)]
    bots: Annotated[tuple[str | BotKeys, ...], Meta(min_length=1)]
    deals: Count = 12
    seating: Design = "balanced"
    tables: Literal["all", "adaptive"] | TableKeys = "all"
    chunk: Annotated[int, Meta(ge=1, le=MAX_CHUNK_DEALS)] = 32
    clock: Limits | Literal["none"] = field(default_factory=Limits)
    faults: FaultPolicy | FaultKeys = field(default_factory=FaultKeys)
    workers: Annotated[int, Meta(ge=1, le=1024)] | Literal["all"] = "all"
    backend: BackendSetting = "local"
    anonymous: bool = True
    rating: RatingKeys = field(default_factory=RatingKeys)
    sandbox: SandboxLevel | SandboxKeys | None = None
    stop: StopKeys | None = None


NESTED_KEYS: dict[str, type[Struct]] = {
    "bots": BotKeys,
    "tables": TableKeys,
    "clock": Limits,
    "faults": FaultKeys,
    "rating": RatingKeys,
    "sandbox": SandboxKeys,
    "stop": StopKeys,
    "backend": BackendKeys,
    "backend.dask": DaskKeys,
}
"""The keys whose values have keys of their own."""

SECONDS_HELP = "a number of seconds, such as 0.5"
KEY_HELP = {
    "name": "letters, digits, space, dot, dash and underscore, at most 40: the run's folder is "
    "called so",
    "seed": "any text, in quotes if YAML sees something else in it, or a whole number; the deals "
    "are made from it, so it is a secret until the tournament is over",
    "variants": "a name or a list of names and patterns, such as [hat-trick, sticheln+*], or all",
    "seats": "a number, a list such as [3, 4], or all",
    "bots": "a list of folders, scripts, patterns such as ../bots/*, and names of bots that come "
    "with the program; with another name: {bot: ../bots/fox, as: fox-2}",
    "bots.as": manifest.KEY_HELP["name"],
    "deals": "a whole number from 1, such as 12: the deals each table plays of each variant",
    "seating": "balanced, all, rotations or random",
    "tables": "all, adaptive, {gauntlet: BOT}, {sample: NUMBER} or {adaptive: NUMBER}",
    "tables.gauntlet": "the name of one of the bots",
    "tables.sample": f"a whole number from 1 to {MAX_CHOSEN_TABLES}",
    "tables.adaptive": f"a whole number from 1 to {MAX_CHOSEN_TABLES}",
    "chunk": f"a whole number from 1 to {MAX_CHUNK_DEALS}: the deals that a process of a bot meets",
    "clock": "none, or any of start, move, bank and wall in seconds, such as {move: 0.5, bank: 2}",
    **{f"clock.{key}": SECONDS_HELP for key in Limits.__struct_fields__},
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
"""The values of each key, in words."""


def parse_keys(file: Path, text: str) -> TournamentKeys:
    """Parse the text of a tournament file."""
    values = parse_yaml(file, text)
    bots = values.get("bots")
    for number, entry in enumerate(bots if isinstance(bots, list) else ()):
        if isinstance(entry, dict) and list(entry) == ["ladder"]:
            raise BadTournament(
                f"{file}: $.bots[{number}]: write 'ladder:{entry['ladder']}', without a space"
            )
    check_keys(file, values, TournamentKeys, NESTED_KEYS)
    return convert_keys(file, values, TournamentKeys, KEY_HELP)
