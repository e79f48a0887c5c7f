"""The settings of a ladder: the keys of its `ladder.yaml`, checked."""

import shlex
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, field

from arena.bots.bot import Bot
from arena.bots.sandbox.level import Level
from arena.errors import ArenaError
from arena.games.catalog import VARIANTS, listed
from arena.ladder import durations
from arena.match.terms import Terms
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.ratings.standing import By
from arena.tournaments import document
from arena.tournaments.cells import sizes, variants
from arena.tournaments.config import Tournament
from arena.tournaments.designs import design
from arena.tournaments.document import BadTournament
from arena.tournaments.keys import MEANT as MEANT_OF_TOURNAMENTS
from arena.tournaments.keys import Asked, Count, Dask, Elsewhere, Name, Rating, Text, Where, names
from arena.tournaments.walls import limits_told, walls

FILE: Final = "ladder.yaml"

Share = Annotated[float, Meta(gt=0, le=1)]


class Retiring(Struct, frozen=True, kw_only=True):
    """When a bot that is at fault again and again plays no more."""

    share: Share = 0.1
    """Of its games, those with a fault of it."""
    games: Count = 40
    """Not before it has played so many."""


class Placing(Struct, frozen=True, kw_only=True):
    """What a new version plays before it is accepted."""

    games: Count = 60
    share: Share = 0.1
    """Of these games; with more faults it is refused."""
    minutes: Annotated[float, Meta(gt=0, le=1440)] = 30
    """After which no further cell is played, however few games there were."""


class Submissions(Struct, frozen=True, kw_only=True):
    """What people may send."""

    size: Annotated[int, Meta(ge=1, le=1024)] = 10
    """MiB of an upload."""
    unpacked: Annotated[int, Meta(ge=1, le=16384)] = 64
    """MiB of what is in it."""
    a_day: Count = 10
    """For each owner."""
    waiting: Count = 100
    """In the queue, of all owners together."""
    build: Annotated[int, Meta(ge=1, le=2048)] = 200
    """MiB that a build may leave."""
    quota: Count = 1024
    """MiB on the disk for each owner: files, builds and what is being worked on."""
    build_network: bool = False
    """Whether builds that ask for it may use the network."""


class Keeping(Struct, frozen=True, kw_only=True):
    """How long what is large is kept; results are kept for ever."""

    records: Count = 30
    """Nights after which the records of games without an active version are dropped."""
    logs: Count = 14
    """Logs of nights."""
    files: Count = 7
    """Nights after which the files of versions that play no more are removed."""


class Keys(Struct, frozen=True, kw_only=True):
    """The keys of `ladder.yaml`."""

    name: Name = "ladder"
    variants: Text | Annotated[tuple[Text, ...], Meta(min_length=1)]
    seats: int | Literal["all"] | Annotated[tuple[int, ...], Meta(min_length=1)]
    deals: Annotated[int, Meta(ge=1, le=4096)] = 12
    night: Text = "2h"
    clock: Limits = field(default_factory=Limits)
    sandbox: Level | Asked = Level.STANDARD
    workers: Annotated[int, Meta(ge=1, le=1024)] | Literal["all"] = "all"
    backend: Where = "local"
    standing: By = "score"
    retire: Retiring = field(default_factory=Retiring)
    placement: Placing = field(default_factory=Placing)
    submissions: Submissions = field(default_factory=Submissions)
    keep: Keeping = field(default_factory=Keeping)


INSIDE: Final[dict[str, type[Struct]]] = {
    "clock": Limits,
    "sandbox": Asked,
    "backend": Elsewhere,
    "backend.dask": Dask,
    "retire": Retiring,
    "placement": Placing,
    "submissions": Submissions,
    "keep": Keeping,
}
COUNT: Final = "a whole number from 1"
MEANT: Final = {
    **{
        key: told
        for key, told in MEANT_OF_TOURNAMENTS.items()
        if key.partition(".")[0] in {"variants", "seats", "clock", "sandbox", "workers", "backend"}
    },
    "name": "letters, digits, space, dot, dash and underscore, at most 40",
    "clock": "any of start, move, bank and wall in seconds, such as {move: 0.5, bank: 2}",
    "deals": f"{COUNT}, such as 12: the deals that a table plays when it meets",
    "night": f"how long a night is unless it is said: {durations.MEANT}",
    "standing": "score or placement: what a block is won by",
    "retire": "share and games, such as {share: 0.1, games: 40}",
    "retire.share": "the share of games with faults, such as 0.1, above which a bot is retired",
    "retire.games": f"{COUNT}: the games before which nobody is retired",
    "placement": "games, share and minutes, such as {games: 60, share: 0.1, minutes: 30}",
    "placement.games": f"{COUNT}: about so many games a new version plays at first",
    "placement.share": "the share of these games with faults above which it is refused",
    "placement.minutes": "the minutes, such as 30, after which no further games are begun",
    "submissions": "size, unpacked, a_day, waiting, build, quota and build_network",
    "submissions.size": "a whole number of MiB, such as 10, that an upload may have",
    "submissions.unpacked": "a whole number of MiB, such as 64, that it may have unpacked",
    "submissions.a_day": f"{COUNT}: the submissions of one owner in a day",
    "submissions.waiting": f"{COUNT}: the submissions that may wait",
    "submissions.build": "a whole number of MiB up to 2048, such as 200, that a build may leave",
    "submissions.quota": f"{COUNT}: the MiB that the bots of one owner may take up, such as 1024",
    "submissions.build_network": "true or false: whether builds that ask for it get the network",
    "keep": "records, logs and files, such as {records: 30, logs: 14, files: 7}",
    "keep.records": f"{COUNT}: the nights for which records of old versions' games are kept",
    "keep.logs": f"{COUNT}: the nights whose logs are kept",
    "keep.files": f"{COUNT}: the nights for which files of versions that play no more are kept",
}
"""What a key takes, in words."""


@dataclass(frozen=True)
class Settings:
    """What is played on a ladder, and on which terms."""

    file: Path
    text: str
    keys: Keys
    cells: tuple[Cell, ...]
    deals: tuple[int, ...]
    """For each cell, the blocks of one visit to a table."""
    terms: Terms
    sandbox: str
    """What bots may use, as far as it is not as usual."""

    @property
    def night(self) -> int:
        """Seconds of a night, unless something else is said."""
        return durations.seconds(self.keys.night)

    @property
    def workers(self) -> int | None:
        """Cores to play on; None: all."""
        workers = self.keys.workers
        return workers if isinstance(workers, int) else None

    @property
    def games(self) -> tuple[int, ...]:
        """For each cell, the games of one visit."""
        return tuple(
            deals * len(design("balanced", cell.seats)[0])
            for cell, deals in zip(self.cells, self.deals, strict=True)
        )

    def tournament(
        self, bots: tuple[Bot, ...], paths: tuple[str, ...], anchors: tuple[str, ...], seed: str
    ) -> Tournament:
        """The ladder as a tournament of these bots, which is what a run of them is about."""
        return Tournament(
            file=self.file,
            text=self.text,
            name=self.keys.name,
            seed=seed,
            cells=self.cells,
            bots=bots,
            paths=paths,
            deals=self.keys.deals,
            seating="balanced",
            tables="adaptive",
            chunk=self.keys.deals,
            terms=self.terms,
            workers=self.workers,
            cluster=None,
            rating=Rating(standing=self.keys.standing, anchors=anchors),
            sandbox=self.sandbox,
            stop=None,
        )


def load(folder: Path, level: Level | None = None) -> Settings:
    """The settings of the ladder in a folder; what is wrong is said with file and key."""
    file = there(folder)
    text = document.read(file)
    found: dict[Any, Any] = document.parse(file, text)
    known = {"": names(Keys), **{key: names(kind) for key, kind in INSIDE.items()}}
    document.known(file, found, known)
    keys = document.typed(file, found, Keys, MEANT)
    try:
        durations.seconds(keys.night)
    except ArenaError as error:
        raise BadTournament(f"{file}: $.night: {error}") from error
    for key, limit in msgspec.structs.asdict(keys.clock).items():
        if not isfinite(limit):  # JSON has no word for it
            raise BadTournament(f"{file}: $.clock.{key}: it takes {MEANT[f'clock.{key}']}")
    played = cells(file, keys)
    sandbox = walls(file, keys.sandbox, level)
    return Settings(
        file=file,
        text=text,
        keys=keys,
        cells=played,
        deals=tuple(visit(cell.seats, keys.deals) for cell in played),
        terms=Terms(limits=keys.clock, sandbox=sandbox),
        sandbox=limits_told(sandbox),
    )


def there(folder: Path) -> Path:
    """The file of the ladder in a folder."""
    file = folder / FILE
    try:
        found = file.is_file()
    except OSError as error:
        raise ArenaError(f"{folder}: {error.strerror}") from error
    if not found:
        raise ArenaError(
            f"{folder} is no ladder: it has no {FILE}; make one with "
            f"'arena ladder init {shlex.quote(str(folder))}'"
        )
    return file


def cells(file: Path, keys: Keys) -> tuple[Cell, ...]:
    """The cells that a ladder plays: each variant at those sizes that it can be played at."""
    found: list[Cell] = []
    for name in variants(file, keys.variants):
        possible = VARIANTS[name].seats
        wanted = [seats for seats in sizes(keys.seats, possible) if seats in possible]
        if not wanted:
            raise BadTournament(
                f"{file}: $.seats: {name} is played by {possible[0]} to {possible[-1]}, and only "
                f"{listed(map(str, sizes(keys.seats, possible)))} are asked for; take out one of "
                "the two"
            )
        found += [Cell(name, seats) for seats in wanted]
    played = {cell.seats for cell in found}
    for seats in sizes(keys.seats, range(0)):
        if seats not in played:
            raise BadTournament(f"{file}: $.seats: no variant here is played by {seats}")
    return tuple(dict.fromkeys(found))


def visit(seats: int, deals: int) -> int:
    """The blocks of one visit: as many as are asked for, rounded up to a whole design."""
    size = len(design("balanced", seats))
    return -(-deals // size) * size


def as_json(settings: Settings) -> dict[str, Any]:
    """The keys as they are in force, for a program."""
    told: dict[str, Any] = msgspec.to_builtins(settings.keys)
    return told
