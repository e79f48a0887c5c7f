"""Find the variants, seat counts, bots and sandbox that a tournament file asks for."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import asdict

from arena.bots.bot import Bot, builtin_bots, load_bot, looks_like_a_bot
from arena.bots.build import UNSANDBOXED_BUILDS, BuildSettings
from arena.bots.manifest import MANIFEST_FILE
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, requested_sandbox, select_sandbox
from arena.bots.sandbox.system_image import SystemLocation
from arena.errors import BadBot, UnknownVariant
from arena.games.base import Rules
from arena.games.catalog import VARIANTS, Variant, variant
from arena.ratings.cell import Cell
from arena.text import english_list, plural, spelling_hint
from arena.tournaments.config.keys import KEY_HELP, BotKeys, Name, SandboxKeys, TournamentKeys
from arena.tournaments.config.yaml_file import BadTournament
from arena.tournaments.seatings import MAX_SEATS_FOR_ALL, Design

ALL = "all"
LADDER_PREFIX = "ladder:"

DEFAULT_LIMITS = "none"
"""The text for limits that a file does not change; the keys of blocks depend on this word."""


def find_cells(
    file: Path, keys: TournamentKeys, bot_count: int
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """The cells of a tournament of so many bots, and notes on cells that were left out."""
    cells: list[Cell] = []
    too_large = set()
    for name, is_explicit in find_variants(file, keys.variants).items():
        possible = VARIANTS[name].seats
        for seats in seat_counts(keys.seats, possible):
            if seats not in possible:
                if is_explicit:
                    raise wrong_seats_error(file, VARIANTS[name], seats, keys.seats)
            elif seats > bot_count:
                if keys.seats != ALL:
                    raise too_few_bots_error(file, bot_count, seats)
                too_large.add(seats)
            else:
                cells.append(Cell(name, seats))
    if not cells and too_large:
        raise too_few_bots_error(file, bot_count, min(too_large))
    if not cells:
        tables = english_list(map(str, seat_counts(keys.seats, range(0))))
        raise BadTournament(f"{file}: $.seats: no variant here is played by {tables}")
    for cell in cells:
        check_seating(file, cell, keys.seating)
    notes: tuple[str, ...] = ()
    if too_large:
        played = english_list(map(str, sorted({cell.seats for cell in cells})))
        left_out = english_list(map(str, sorted(too_large)))
        notes = (f"There are {bot_count} bots: tables of {played}, none of {left_out}.",)
    return tuple(dict.fromkeys(cells)), notes


def find_variants(file: Path, given: str | Sequence[str]) -> dict[str, bool]:
    """The variants that names and patterns select, and whether each is given by its own name."""
    is_explicit: dict[str, bool] = {}
    is_single = isinstance(given, str)
    for number, text in enumerate([given] if isinstance(given, str) else given):
        at = f"{file}: $.variants" + ("" if is_single else f"[{number}]")
        if text == ALL or set(text) & set("*?["):
            matched = [
                name for name, each in VARIANTS.items() if text == ALL or is_match(each, text)
            ]
            if not matched:
                raise BadTournament(
                    f"{at}: no variant matches {text!r}; 'arena variants' lists them"
                )
            is_explicit |= {name: is_explicit.get(name, False) for name in matched}
            continue
        try:
            is_explicit[variant(text).name] = True
        except UnknownVariant as error:
            raise BadTournament(f"{at}: {error}") from error
    return is_explicit


def is_match(known: Variant[Rules], pattern: str) -> bool:
    """Whether a pattern matches the name of a variant, its modifiers in any order."""
    base = known.name.partition("+")[0]
    return any(
        fnmatchcase("+".join((base, *order)), pattern.lower())
        for order in permutations(known.modifiers)
    )


def seat_counts(given: int | str | Sequence[int], possible: range) -> Sequence[int]:
    """The numbers of seats that the file asks for."""
    if given == ALL or isinstance(given, str):
        return possible
    return [given] if isinstance(given, int) else given


def wrong_seats_error(
    file: Path, known: Variant[Rules], seats: int, given: int | str | Sequence[int]
) -> BadTournament:
    """The error for a variant that is not played at tables of this size."""
    number = f"[{given.index(seats)}]" if isinstance(given, tuple) else ""
    return BadTournament(
        f"{file}: $.seats{number}: {known.name} is played by {known.seats[0]} to "
        f"{known.seats[-1]}, not by {seats}; take out one of the two, or say 'seats: all' for "
        "every number that a variant can be played by"
    )


def too_few_bots_error(file: Path, bot_count: int, seats: int) -> BadTournament:
    """The error for tables that are larger than the number of bots."""
    bots_are = plural(bot_count, "bot")
    return BadTournament(
        f"{file}: $.bots: {bots_are} cannot fill {seats} seats; name more, or one of them again "
        "under another name: {bot: PATH, as: NAME}"
    )


def check_seating(file: Path, cell: Cell, seating: Design) -> None:
    """Reject a design with thousands of games of one deal."""
    if seating == "all" and cell.seats > MAX_SEATS_FOR_ALL:
        raise BadTournament(
            f"{file}: $.seating: all permutations are for tables of at most "
            f"{MAX_SEATS_FOR_ALL}, and "
            f"{cell} are asked for; 'balanced' is as fair with a few games a deal"
        )


class ResolvedEntrant(NamedTuple):
    """A bot, and its path, or its name if it comes with the program."""

    bot: Bot
    path: str


def find_bots(
    file: Path,
    entries: Sequence[str | BotKeys],
    build_settings: BuildSettings | None = UNSANDBOXED_BUILDS,
) -> list[ResolvedEntrant]:
    """All bots of a tournament in the order of their names."""
    entrants: dict[str, tuple[ResolvedEntrant, str]] = {}
    for number, entry in enumerate(entries):
        keys = BotKeys(bot=entry) if isinstance(entry, str) else entry
        at = f"{file}: $.bots[{number}]"
        paths = list(bot_paths(at, file.parent, keys.bot))
        if keys.alias and len(paths) > 1:
            raise BadTournament(
                f"{at}: 'as: {keys.alias}' names one bot, but {keys.bot} are {len(paths)}; "
                "name each by itself"
            )
        for path in paths:
            entrant = find_bot(at, path, keys.alias, build_settings)
            name = entrant.bot.name
            if name in entrants:
                raise BadTournament(
                    f"{at}: {name!r} already takes part, as {entrants[name][1]}; give one of them "
                    f"another name: {{bot: {path_in_file(file, path)}, as: {name[:38]}-2}}"
                )
            entrants[name] = entrant, f"$.bots[{number}]"
    return [entrants[name][0] for name in sorted(entrants)]


def path_in_file(file: Path, path: str) -> str:
    """A path as it is written in the file."""
    return os.path.relpath(path, file.parent) if os.sep in path else path


def bot_paths(at: str, folder: Path, entry: str) -> Iterator[str]:
    """The paths and names of bots that an entry of the file selects."""
    builtin = builtin_bots()
    if entry.startswith(LADDER_PREFIX):
        name = entry.removeprefix(LADDER_PREFIX).strip()
        if name not in builtin:
            hint = spelling_hint(name, builtin)
            raise BadTournament(f"{at}: there is no bot {entry!r}; {hint}")
        yield name
    elif (folder / entry).exists() or not set(entry) & set("*?["):
        yield entry if entry in builtin and not (folder / entry).exists() else str(folder / entry)
    else:
        yield from match_pattern(at, folder, entry)


def match_pattern(at: str, folder: Path, pattern: str) -> list[str]:
    """The bots that a pattern matches, in a fixed order."""
    try:
        start = Path(pattern).anchor
        root = Path(start) if start else folder
        paths = sorted(root.glob(pattern.removeprefix(start)))
    except (ValueError, OSError, NotImplementedError) as error:
        raise BadTournament(f"{at}: {pattern} is no pattern of paths: {error}") from error
    bots = [str(path) for path in paths if looks_like_a_bot(path)]
    if not bots:
        other = f", only {len(paths)} of something else" if paths else ""
        raise BadTournament(
            f"{at}: {pattern} matches no bot in {root}{other}; a bot is a folder with "
            f"{MANIFEST_FILE} or a script"
        )
    return bots


def find_bot(
    at: str, path: str, alias: str | None, build_settings: BuildSettings | None
) -> ResolvedEntrant:
    """Load and build the bot at a path, under the name with which it takes part."""
    if Path(path).name == MANIFEST_FILE:
        path = str(Path(path).parent)
    try:
        bot = load_bot(Path(path), build_settings)
    except BadBot as error:
        raise BadTournament(f"{at}: {error}") from error
    name = alias or bot.name
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        raise BadTournament(
            f"{at}: {name!r} cannot be a bot's name in a tournament; "
            f"add 'as:' with another one, it takes {KEY_HELP['bots.as']}"
        ) from None
    is_builtin = path in builtin_bots() and not Path(path).exists()
    return ResolvedEntrant(
        replace(bot, name=name), path if is_builtin else str(Path(path).resolve())
    )


def find_sandbox(
    file: Path,
    key: SandboxLevel | SandboxKeys | None,
    level: SandboxLevel | None,
    *,
    is_remote: bool = False,
) -> Sandbox:
    """The sandbox that a file asks for; a level that is given here replaces that of the file.

    Where bots are played on other machines it is only requested: a machine that has a weaker one is
    not used.
    """
    keys = key if isinstance(key, SandboxKeys) else SandboxKeys(level=key)
    check_sandbox(file, keys)
    limits = ResourceLimits(
        **{name: getattr(keys, name) for name in ResourceLimits.__struct_fields__}
    )
    stopped = keys.waiting == "stopped"
    system = SystemLocation(keys.system) if keys.system else SystemLocation.AUTO
    if is_remote:
        return requested_sandbox(
            level or keys.level or SandboxLevel.STANDARD,
            limits,
            stops_idle_bots=stopped,
            system=system,
        )
    try:
        return select_sandbox(level or keys.level, limits, stops_idle_bots=stopped, system=system)
    except SandboxUnavailable as error:
        if level:
            raise
        raise SandboxUnavailable(f"{file}: $.sandbox: {error}") from error


def default_system(bots: Iterable[str]) -> SystemLocation:
    """Where the system that bots see lies by default; bots are given by their paths or names.

    Bots that come with the program do not try to remember deals.
    """
    return SystemLocation.HOST if set(bots) <= set(builtin_bots()) else SystemLocation.AUTO


def check_sandbox(file: Path, keys: SandboxKeys) -> None:
    """Reject settings of the sandbox that contradict each other."""
    if keys.level is SandboxLevel.NONE and keys != SandboxKeys(level=SandboxLevel.NONE):
        raise BadTournament(
            f"{file}: $.sandbox: resource limits need a sandbox; use 'level: standard', or "
            "'sandbox: none' without limits"
        )
    if keys.level is SandboxLevel.STRICT and keys.waiting == "charged":
        raise BadTournament(
            f"{file}: $.sandbox.waiting: 'strict' stops bots that nobody asks anything; say "
            "'level: standard', or leave 'waiting' out"
        )


def limits_text(sandbox: Sandbox) -> str:
    """Limits as they are written in a file, without those that have their defaults."""
    defaults = asdict(ResourceLimits())
    changed = [
        (key, value) for key, value in asdict(sandbox.limits).items() if value != defaults[key]
    ]
    changed += [("waiting", "stopped")] if sandbox.stops_idle_bots else []
    if not changed:
        return DEFAULT_LIMITS
    return f"{{{', '.join(f'{key}: {value}' for key, value in changed)}}}"
