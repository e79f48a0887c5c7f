"""Find the variants, seat counts, bots and sandbox that a tournament file asks for."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import asdict

from arena.bots.bot import Bot, builtin_bots, load_bot
from arena.bots.build import UNSANDBOXED_BUILDS, BuildSettings
from arena.bots.interpreters import INTERPRETER_OF_SUFFIX
from arena.bots.manifest import MANIFEST_FILE
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, requested_sandbox, select_sandbox
from arena.bots.sandbox.system_image import SystemLocation
from arena.errors import BadBot, UnknownVariant
from arena.games.base import Rules
from arena.games.catalog import VARIANTS, Variant, english_list, variant
from arena.ratings.cell import Cell
from arena.tournaments.config.keys import KEY_HELP, BotKeys, Name, SandboxKeys, TournamentKeys
from arena.tournaments.config.yaml_file import BadTournament
from arena.tournaments.seatings import MAX_SEATS_FOR_ALL, Design

ALL = "all"


def find_cells(
    file: Path, keys: TournamentKeys, bot_count: int
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """The cells of a tournament of so many bots, and sentences on what was left out of them."""
    wanted = find_variants(file, keys.variants)
    found: list[Cell] = []
    few = set()
    for name, explicit in wanted.items():
        possible = VARIANTS[name].seats
        for seats in seat_counts(keys.seats, possible):
            if seats not in possible:
                if explicit:
                    raise wrong_seats_error(file, VARIANTS[name], seats, keys.seats)
            elif seats > bot_count:
                if keys.seats != ALL:
                    raise too_few_bots_error(file, bot_count, seats)
                few.add(seats)
            else:
                found.append(Cell(name, seats))
    if not found and few:
        raise too_few_bots_error(file, bot_count, min(few))
    if not found:
        tables = english_list(map(str, seat_counts(keys.seats, range(0))))
        raise BadTournament(f"{file}: $.seats: no variant here is played by {tables}")
    for cell in found:
        check_seating(file, cell, keys.seating)
    left_out = english_list(map(str, sorted(few))) if few else ""
    played = english_list(map(str, sorted({cell.seats for cell in found})))
    notes = (f"There are {bot_count} bots: tables of {played}, none of {left_out}.",) if few else ()
    return tuple(dict.fromkeys(found)), notes


def find_variants(file: Path, given: str | Sequence[str]) -> dict[str, bool]:
    """The names of variants that are meant, and whether each of them is meant by its own name."""
    wanted: dict[str, bool] = {}
    single = isinstance(given, str)
    for number, text in enumerate([given] if isinstance(given, str) else given):
        at = f"{file}: $.variants" + ("" if single else f"[{number}]")
        if text == ALL or set(text) & set("*?["):
            matched = [
                name for name, each in VARIANTS.items() if text == ALL or is_match(each, text)
            ]
            if not matched:
                raise BadTournament(
                    f"{at}: no variant matches {text!r}; 'arena variants' lists them"
                )
            wanted |= {name: wanted.get(name, False) for name in matched}
            continue
        try:
            wanted[variant(text).name] = True
        except UnknownVariant as error:
            raise BadTournament(f"{at}: {error}") from error
    return wanted


def is_match(known: Variant[Rules], pattern: str) -> bool:
    """Whether a pattern matches the name of a variant, its modifiers in any order."""
    base = known.name.partition("+")[0]
    return any(
        fnmatchcase("+".join((base, *order)), pattern.lower())
        for order in permutations(known.modifiers)
    )


def seat_counts(given: int | str | Sequence[int], possible: range) -> Sequence[int]:
    """The numbers of seats that are asked for."""
    if given == ALL or isinstance(given, str):
        return possible
    return [given] if isinstance(given, int) else given


def wrong_seats_error(
    file: Path, known: Variant[Rules], seats: int, given: int | str | Sequence[int]
) -> BadTournament:
    """Why a variant is not played at tables of this size, and what to do about it."""
    number = f"[{given.index(seats)}]" if isinstance(given, tuple) else ""
    return BadTournament(
        f"{file}: $.seats{number}: {known.name} is played by {known.seats[0]} to "
        f"{known.seats[-1]}, not by {seats}; take out one of the two, or say 'seats: all' for "
        "every number that a variant can be played by"
    )


def too_few_bots_error(file: Path, bot_count: int, seats: int) -> BadTournament:
    """That there are not enough bots."""
    bots_are = "1 bot" if bot_count == 1 else f"{bot_count} bots"
    return BadTournament(
        f"{file}: $.bots: {bots_are} cannot fill {seats} seats; name more, or one of them again "
        "under another name: {bot: PATH, as: NAME}"
    )


def check_seating(file: Path, cell: Cell, seating: Design) -> None:
    """Refuse to play millions of games of one deal."""
    if seating == "all" and cell.seats > MAX_SEATS_FOR_ALL:
        raise BadTournament(
            f"{file}: $.seating: all permutations are for tables of at most "
            f"{MAX_SEATS_FOR_ALL}, and "
            f"{cell} are asked for; 'balanced' is as fair with a few games a deal"
        )


LADDER_PREFIX = "ladder:"


class ResolvedEntrant(NamedTuple):
    """A bot, and the path it was found at or the name it was known by."""

    bot: Bot
    path: str


def find_bots(
    file: Path,
    entries: Sequence[str | BotKeys],
    workshop: BuildSettings | None = UNSANDBOXED_BUILDS,
) -> list[ResolvedEntrant]:
    """All bots of a tournament in the order of their names."""
    found: dict[str, tuple[ResolvedEntrant, str]] = {}
    for number, entry in enumerate(entries):
        told = BotKeys(bot=entry) if isinstance(entry, str) else entry
        at = f"{file}: $.bots[{number}]"
        paths = list(bot_paths(at, file.parent, told.bot))
        if told.alias and len(paths) > 1:
            raise BadTournament(
                f"{at}: 'as: {told.alias}' names one bot, but {told.bot} are {len(paths)}; "
                "name each by itself"
            )
        for path in paths:
            entrant = find_bot(at, path, told.alias, workshop)
            name = entrant.bot.name
            if name in found:
                raise BadTournament(
                    f"{at}: {name!r} already takes part, as {found[name][1]}; give one of them "
                    f"another name: {{bot: {path_in_file(file, path)}, as: {name[:38]}-2}}"
                )
            found[name] = entrant, f"$.bots[{number}]"
    return [found[name][0] for name in sorted(found)]


def path_in_file(file: Path, path: str) -> str:
    """A path as it would stand in the file."""
    return os.path.relpath(path, file.parent) if os.sep in path else path


def bot_paths(at: str, folder: Path, entry: str) -> Iterator[str]:
    """The paths and names of bots that are meant by what stands in the file."""
    known = builtin_bots()
    if entry.startswith(LADDER_PREFIX):
        name = entry.removeprefix(LADDER_PREFIX).strip()
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise BadTournament(f"{at}: there is no bot {entry!r}; {hint}")
        yield name
    elif (folder / entry).exists() or not set(entry) & set("*?["):
        yield entry if entry in known and not (folder / entry).exists() else str(folder / entry)
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
    found = [str(path) for path in paths if is_bot(path)]
    if not found:
        other = f", only {len(paths)} of something else" if paths else ""
        raise BadTournament(
            f"{at}: {pattern} matches no bot in {root}{other}; a bot is a folder with "
            f"{MANIFEST_FILE} or a "
            "script"
        )
    return found


def is_bot(path: Path) -> bool:
    """Whether a bot is meant where a pattern matches."""
    if path.is_dir():
        return (path / MANIFEST_FILE).is_file()
    return path.suffix in INTERPRETER_OF_SUFFIX or (path.is_file() and os.access(path, os.X_OK))


def find_bot(
    at: str, path: str, alias: str | None, workshop: BuildSettings | None
) -> ResolvedEntrant:
    """The bot at a path, built, under the name it takes part with."""
    if Path(path).name == MANIFEST_FILE:
        path = str(Path(path).parent)
    try:
        bot = load_bot(Path(path), workshop)
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
    known = (
        path if path in builtin_bots() and not Path(path).exists() else str(Path(path).resolve())
    )
    return ResolvedEntrant(replace(bot, name=name), known)


DEFAULT_LIMITS = "none"
"""The limits that hold if a file names none. What blocks are known by depends on this word."""


def find_sandbox(
    file: Path,
    key: SandboxLevel | SandboxKeys | None,
    level: SandboxLevel | None,
    *,
    is_remote: bool = False,
) -> Sandbox:
    """The sandbox that a file asks for; a level that is named here counts more than its own.

    Where bots are played elsewhere, it is only asked for: no machine gets away with a weaker one.
    """
    asked = key if isinstance(key, SandboxKeys) else SandboxKeys(level=key)
    check_sandbox(file, asked)
    limits = ResourceLimits(
        **{name: getattr(asked, name) for name in ResourceLimits.__struct_fields__}
    )
    stopped = asked.waiting == "stopped"
    system = SystemLocation(asked.system) if asked.system else SystemLocation.AUTO
    if is_remote:
        return requested_sandbox(
            level or asked.level or SandboxLevel.STANDARD,
            limits,
            stops_idle_bots=stopped,
            system=system,
        )
    try:
        return select_sandbox(level or asked.level, limits, stops_idle_bots=stopped, system=system)
    except SandboxUnavailable as error:
        if level:
            raise
        raise SandboxUnavailable(f"{file}: $.sandbox: {error}") from error


def default_system(bots: Iterable[str]) -> SystemLocation:
    """Where the system lies that bots see if nobody says so: they are named by paths or names.

    Bots that come with the program do not try to remember deals.
    """
    return SystemLocation.HOST if set(bots) <= set(builtin_bots()) else SystemLocation.AUTO


def check_sandbox(file: Path, keys: SandboxKeys) -> None:
    """Refuse what contradicts itself."""
    if keys.level is SandboxLevel.NONE and keys != SandboxKeys(level=SandboxLevel.NONE):
        raise BadTournament(
            f"{file}: $.sandbox: without walls nobody holds the limits; say 'level: standard', or "
            "nothing but 'sandbox: none'"
        )
    if keys.level is SandboxLevel.STRICT and keys.waiting == "charged":
        raise BadTournament(
            f"{file}: $.sandbox.waiting: 'strict' stops bots that nobody asks anything; say "
            "'level: standard', or leave 'waiting' out"
        )


def limits_text(sandbox: Sandbox) -> str:
    """Limits as they would stand in a file, as far as they are not as usual."""
    usual = asdict(ResourceLimits())
    other = [(key, most) for key, most in asdict(sandbox.limits).items() if most != usual[key]]
    other += [("waiting", "stopped")] if sandbox.stops_idle_bots else []
    return (
        f"{{{', '.join(f'{key}: {value}' for key, value in other)}}}" if other else DEFAULT_LIMITS
    )
