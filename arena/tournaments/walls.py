"""The walls around the bots of a tournament: those its file asks for, or who runs it."""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import asdict

from arena.bots.bot import reference
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import Sandbox, chosen, wanted
from arena.bots.sandbox.system_image import System
from arena.tournaments.document import BadTournament
from arena.tournaments.keys import Asked

USUAL = "none"
"""The limits that hold if a file names none. What blocks are known by depends on this word."""


def walls(
    file: Path,
    key: Level | Asked | None,
    level: Level | None,
    *,
    elsewhere: bool = False,
) -> Sandbox:
    """The sandbox that a file asks for; a level that is named here counts more than its own.

    Where bots are played elsewhere, it is only asked for: no machine gets away with a weaker one.
    """
    asked = key if isinstance(key, Asked) else Asked(level=key)
    check(file, asked)
    limits = Limits(**{name: getattr(asked, name) for name in Limits.__struct_fields__})
    stopped = asked.waiting == "stopped"
    system = System(asked.system) if asked.system else System.AUTO
    if elsewhere:
        return wanted(
            level or asked.level or Level.STANDARD, limits, stopped=stopped, system=system
        )
    try:
        return chosen(level or asked.level, limits, stopped=stopped, system=system)
    except NoWalls as error:
        if level:
            raise
        raise NoWalls(f"{file}: $.sandbox: {error}") from error


def usual_system(bots: Iterable[str]) -> System:
    """Where the system lies that bots see if nobody says so: they are named by paths or names.

    Bots that come with the program do not try to remember deals.
    """
    return System.HOST if set(bots) <= set(reference()) else System.AUTO


def check(file: Path, asked: Asked) -> None:
    """Refuse what contradicts itself."""
    if asked.level is Level.NONE and asked != Asked(level=Level.NONE):
        raise BadTournament(
            f"{file}: $.sandbox: without walls nobody holds the limits; say 'level: standard', or "
            "nothing but 'sandbox: none'"
        )
    if asked.level is Level.STRICT and asked.waiting == "charged":
        raise BadTournament(
            f"{file}: $.sandbox.waiting: 'strict' stops bots that nobody asks anything; say "
            "'level: standard', or leave 'waiting' out"
        )


def limits_told(sandbox: Sandbox) -> str:
    """Limits as they would stand in a file, as far as they are not as usual."""
    usual = asdict(Limits())
    other = [(key, most) for key, most in asdict(sandbox.limits).items() if most != usual[key]]
    other += [("waiting", "stopped")] if sandbox.stopped else []
    return f"{{{', '.join(f'{key}: {value}' for key, value in other)}}}" if other else USUAL
