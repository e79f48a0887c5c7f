"""The settings of a ladder: read and check `ladder.yaml`, parse durations."""

import re
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, field

from arena.bots.bot import Bot
from arena.bots.sandbox.limits import SandboxLevel
from arena.errors import ArenaError
from arena.games.catalog import VARIANTS
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.ratings.results import RankBy
from arena.referee.config import RefereeConfig
from arena.text import english_list
from arena.tournaments.config import yaml_file
from arena.tournaments.config.keys import KEY_HELP as TOURNAMENT_KEY_HELP
from arena.tournaments.config.keys import (
    BackendKeys,
    BackendSetting,
    Count,
    DaskKeys,
    Name,
    RatingKeys,
    SandboxKeys,
    Text,
)
from arena.tournaments.config.resolve import find_sandbox, find_variants, limits_text, seat_counts
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.config.yaml_file import BadTournament
from arena.tournaments.seatings import design

UNIT_SECONDS: Final = {"d": 86400, "h": 3600, "m": 60, "s": 1}
DURATION_PATTERN: Final = re.compile(r"([0-9]{1,9}[dhms]){1,4}\Z")
UNIT_PATTERN: Final = re.compile(r"([0-9]+)([dhms])")
DURATION_EXAMPLES: Final = "a time such as 2h, 90m or 1h30m"
MAX_DURATION: Final = 366 * 86400


def parse_duration(text: str) -> int:
    """Convert a duration such as 1h30m to seconds."""
    plain = text.strip().lower().replace(" ", "")
    if not DURATION_PATTERN.match(plain):
        raise ArenaError(f"{text!r} is no time; it takes {DURATION_EXAMPLES}")
    found = sum(int(number) * UNIT_SECONDS[unit] for number, unit in UNIT_PATTERN.findall(plain))
    if not 0 < found <= MAX_DURATION:
        raise ArenaError(
            f"{text!r} is no time that one could wait for; it takes {DURATION_EXAMPLES}"
        )
    return found


def next_time_of_day(text: str, now: datetime) -> datetime:
    """Find the next moment at which the clocks of this machine show a time such as 06:00.

    A time that is skipped when clocks are put forward is as much later as they are.
    """
    found = re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", text.strip())
    if not found:
        raise ArenaError(f"{text!r} is no time of day; it takes one such as 06:00")
    # Without a zone: the one of now is a fixed offset, and the night may have another at its end.
    today = datetime.combine(now.astimezone().date(), time(int(found[1]), int(found[2])))
    shown = (
        (today + timedelta(days=days)).replace(fold=fold).timestamp()
        for days in range(3)
        for fold in (0, 1)  # when clocks are put back, they show some times twice
    )
    then = next(moment for moment in shown if moment > now.timestamp())
    return datetime.fromtimestamp(then, UTC).astimezone()


SETTINGS_FILE: Final = "ladder.yaml"

Share = Annotated[float, Meta(gt=0, le=1)]


class RetirementKeys(Struct, frozen=True, kw_only=True):
    """The keys of `retire`: when a bot with too many faults stops playing."""

    share: Share = 0.1
    """Of its games, those with a fault of it."""
    games: Count = 40
    """Not before it has played so many."""


class PlacementKeys(Struct, frozen=True, kw_only=True):
    """The keys of `placement`: the games of a new version before it is accepted."""

    games: Count = 60
    share: Share = 0.1
    """Of these games; with more faults it is refused."""
    minutes: Annotated[float, Meta(gt=0, le=1440)] = 30
    """After which no further cell is played, however few games there were."""


class SubmissionKeys(Struct, frozen=True, kw_only=True):
    """The keys of `submissions`: limits for uploads and builds."""

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


class RetentionKeys(Struct, frozen=True, kw_only=True):
    """The keys of `keep`: after how many nights large files are removed."""

    records: Count = 30
    """Nights after which the records of games without an active version are dropped."""
    logs: Count = 14
    """Logs of nights."""
    files: Count = 7
    """Nights after which the files of versions that play no more are removed."""


class LadderKeys(Struct, frozen=True, kw_only=True):
    """The keys of `ladder.yaml`."""

    name: Name = "ladder"
    variants: Text | Annotated[tuple[Text, ...], Meta(min_length=1)]
    seats: int | Literal["all"] | Annotated[tuple[int, ...], Meta(min_length=1)]
    deals: Annotated[int, Meta(ge=1, le=4096)] = 12
    night: Text = "2h"
    clock: Limits = field(default_factory=Limits)
    sandbox: SandboxLevel | SandboxKeys = SandboxLevel.STANDARD
    workers: Annotated[int, Meta(ge=1, le=1024)] | Literal["all"] = "all"
    backend: BackendSetting = "local"
    standing: RankBy = "score"
    retire: RetirementKeys = field(default_factory=RetirementKeys)
    placement: PlacementKeys = field(default_factory=PlacementKeys)
    submissions: SubmissionKeys = field(default_factory=SubmissionKeys)
    keep: RetentionKeys = field(default_factory=RetentionKeys)


NESTED_KEYS: Final[dict[str, type[Struct]]] = {
    "clock": Limits,
    "sandbox": SandboxKeys,
    "backend": BackendKeys,
    "backend.dask": DaskKeys,
    "retire": RetirementKeys,
    "placement": PlacementKeys,
    "submissions": SubmissionKeys,
    "keep": RetentionKeys,
}
COUNT_HELP: Final = "a whole number from 1"
KEY_HELP: Final = {
    **{
        key: text
        for key, text in TOURNAMENT_KEY_HELP.items()
        if key.partition(".")[0] in {"variants", "seats", "clock", "sandbox", "workers", "backend"}
    },
    "name": "letters, digits, space, dot, dash and underscore, at most 40",
    "clock": "any of start, move, bank and wall in seconds, such as {move: 0.5, bank: 2}",
    "deals": f"{COUNT_HELP}, such as 12: the deals that a table plays when it meets",
    "night": f"how long a night is unless it is said: {DURATION_EXAMPLES}",
    "standing": "score or placement: what a block is won by",
    "retire": "share and games, such as {share: 0.1, games: 40}",
    "retire.share": "the share of games with faults, such as 0.1, above which a bot is retired",
    "retire.games": f"{COUNT_HELP}: the games before which nobody is retired",
    "placement": "games, share and minutes, such as {games: 60, share: 0.1, minutes: 30}",
    "placement.games": f"{COUNT_HELP}: about so many games a new version plays at first",
    "placement.share": "the share of these games with faults above which it is refused",
    "placement.minutes": "the minutes, such as 30, after which no further games are begun",
    "submissions": "size, unpacked, a_day, waiting, build, quota and build_network",
    "submissions.size": "a whole number of MiB, such as 10, that an upload may have",
    "submissions.unpacked": "a whole number of MiB, such as 64, that it may have unpacked",
    "submissions.a_day": f"{COUNT_HELP}: the submissions of one owner in a day",
    "submissions.waiting": f"{COUNT_HELP}: the submissions that may wait",
    "submissions.build": "a whole number of MiB up to 2048, such as 200, that a build may leave",
    "submissions.quota": (
        f"{COUNT_HELP}: the MiB that the bots of one owner may take up, such as 1024"
    ),
    "submissions.build_network": "true or false: whether builds that ask for it get the network",
    "keep": "records, logs and files, such as {records: 30, logs: 14, files: 7}",
    "keep.records": f"{COUNT_HELP}: the nights for which records of old versions' games are kept",
    "keep.logs": f"{COUNT_HELP}: the nights whose logs are kept",
    "keep.files": (
        f"{COUNT_HELP}: the nights for which files of versions that play no more are kept"
    ),
}
"""What a key takes, in words."""


@dataclass(frozen=True)
class LadderSettings:
    """The settings of a ladder, checked and resolved."""

    file: Path
    text: str
    keys: LadderKeys
    cells: tuple[Cell, ...]
    deals_per_visit: tuple[int, ...]
    """For each cell, the blocks of one visit to a table."""
    referee_config: RefereeConfig
    sandbox_limits: str
    """The limits of the sandbox that differ from the defaults, as text."""

    @property
    def night_seconds(self) -> int:
        """The default duration of a night in seconds."""
        return parse_duration(self.keys.night)

    @property
    def workers(self) -> int | None:
        """Cores to play on; None: all."""
        workers = self.keys.workers
        return workers if isinstance(workers, int) else None

    @property
    def games_per_visit(self) -> tuple[int, ...]:
        """For each cell, the games of one visit."""
        return tuple(
            deals * len(design("balanced", cell.seats)[0])
            for cell, deals in zip(self.cells, self.deals_per_visit, strict=True)
        )

    def tournament(
        self, bots: tuple[Bot, ...], paths: tuple[str, ...], anchors: tuple[str, ...], seed: str
    ) -> Tournament:
        """Make a tournament of these bots with the settings of the ladder."""
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
            referee_config=self.referee_config,
            workers=self.workers,
            cluster=None,
            rating=RatingKeys(standing=self.keys.standing, anchors=anchors),
            sandbox=self.sandbox_limits,
            stop=None,
        )


def load_settings(folder: Path, level: SandboxLevel | None = None) -> LadderSettings:
    """Load the settings of the ladder in a folder; errors name the file and the key."""
    file = find_settings_file(folder)
    text = yaml_file.read_yaml_file(file)
    found: dict[Any, Any] = yaml_file.parse_yaml(file, text)
    yaml_file.check_keys(file, found, LadderKeys, NESTED_KEYS)
    keys = yaml_file.convert_keys(file, found, LadderKeys, KEY_HELP)
    try:
        parse_duration(keys.night)
    except ArenaError as error:
        raise BadTournament(f"{file}: $.night: {error}") from error
    for key, limit in msgspec.structs.asdict(keys.clock).items():
        if not isfinite(limit):  # JSON has no word for it
            raise BadTournament(f"{file}: $.clock.{key}: it takes {KEY_HELP[f'clock.{key}']}")
    played = find_ladder_cells(file, keys)
    sandbox = find_sandbox(file, keys.sandbox, level)
    return LadderSettings(
        file=file,
        text=text,
        keys=keys,
        cells=played,
        deals_per_visit=tuple(round_up_deals(cell.seats, keys.deals) for cell in played),
        referee_config=RefereeConfig(limits=keys.clock, sandbox=sandbox),
        sandbox_limits=limits_text(sandbox),
    )


def find_settings_file(folder: Path) -> Path:
    """Return the path of the settings file; reject a folder without one."""
    file = folder / SETTINGS_FILE
    try:
        found = file.is_file()
    except OSError as error:
        raise ArenaError(f"{folder}: {error.strerror}") from error
    if not found:
        raise ArenaError(
            f"{folder} is not a ladder: it has no {SETTINGS_FILE}; make one with "
            f"'arena ladder init {shlex.quote(str(folder))}'"
        )
    return file


def find_ladder_cells(file: Path, keys: LadderKeys) -> tuple[Cell, ...]:
    """Find the cells that a ladder plays: each variant with the seat counts it allows."""
    found: list[Cell] = []
    for name in find_variants(file, keys.variants):
        possible = VARIANTS[name].seats
        wanted = [seats for seats in seat_counts(keys.seats, possible) if seats in possible]
        if not wanted:
            raise BadTournament(
                f"{file}: $.seats: {name} is played by {possible[0]} to {possible[-1]}, and only "
                f"{english_list(map(str, seat_counts(keys.seats, possible)))} are asked "
                f"for; take out one of "
                "the two"
            )
        found += [Cell(name, seats) for seats in wanted]
    played = {cell.seats for cell in found}
    for seats in seat_counts(keys.seats, range(0)):
        if seats not in played:
            raise BadTournament(f"{file}: $.seats: no variant here is played by {seats}")
    return tuple(dict.fromkeys(found))


def round_up_deals(seats: int, deals: int) -> int:
    """Round the blocks of one visit up to a multiple of the design."""
    size = len(design("balanced", seats))
    return -(-deals // size) * size
