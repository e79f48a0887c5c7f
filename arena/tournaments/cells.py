"""Cells: the variants and numbers of seats that a tournament file asks for."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import permutations
from pathlib import Path

from arena.errors import UnknownVariant
from arena.games.base import Rules
from arena.games.catalog import VARIANTS, Variant, listed, variant
from arena.ratings.cell import Cell
from arena.tournaments.designs import MOST_IN_ALL, Design
from arena.tournaments.document import BadTournament
from arena.tournaments.keys import Keys

ALL = "all"


def cells(file: Path, keys: Keys, bots: int) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """The cells of a tournament of so many bots, and sentences on what was left out of them."""
    wanted = variants(file, keys.variants)
    found: list[Cell] = []
    few = set()
    for name, explicit in wanted.items():
        possible = VARIANTS[name].seats
        for seats in sizes(keys.seats, possible):
            if seats not in possible:
                if explicit:
                    raise cannot(file, VARIANTS[name], seats, keys.seats)
            elif seats > bots:
                if keys.seats != ALL:
                    raise too_few(file, bots, seats)
                few.add(seats)
            else:
                found.append(Cell(name, seats))
    if not found and few:
        raise too_few(file, bots, min(few))
    if not found:
        tables = listed(map(str, sizes(keys.seats, range(0))))
        raise BadTournament(f"{file}: $.seats: no variant here is played by {tables}")
    for cell in found:
        check_seating(file, cell, keys.seating)
    left_out = listed(map(str, sorted(few))) if few else ""
    played = listed(map(str, sorted({cell.seats for cell in found})))
    notes = (f"There are {bots} bots: tables of {played}, none of {left_out}.",) if few else ()
    return tuple(dict.fromkeys(found)), notes


def variants(file: Path, given: str | Sequence[str]) -> dict[str, bool]:
    """The names of variants that are meant, and whether each of them is meant by its own name."""
    wanted: dict[str, bool] = {}
    single = isinstance(given, str)
    for number, text in enumerate([given] if isinstance(given, str) else given):
        at = f"{file}: $.variants" + ("" if single else f"[{number}]")
        if text == ALL or set(text) & set("*?["):
            matched = [name for name, each in VARIANTS.items() if text == ALL or match(each, text)]
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


def match(known: Variant[Rules], pattern: str) -> bool:
    """Whether a pattern matches the name of a variant, its modifiers in any order."""
    base = known.name.partition("+")[0]
    return any(
        fnmatchcase("+".join((base, *order)), pattern.lower())
        for order in permutations(known.modifiers)
    )


def sizes(given: int | str | Sequence[int], possible: range) -> Sequence[int]:
    """The numbers of seats that are asked for."""
    if given == ALL or isinstance(given, str):
        return possible
    return [given] if isinstance(given, int) else given


def cannot(
    file: Path, known: Variant[Rules], seats: int, given: int | str | Sequence[int]
) -> BadTournament:
    """Why a variant is not played at tables of this size, and what to do about it."""
    number = f"[{given.index(seats)}]" if isinstance(given, tuple) else ""
    return BadTournament(
        f"{file}: $.seats{number}: {known.name} is played by {known.seats[0]} to "
        f"{known.seats[-1]}, not by {seats}; take out one of the two, or say 'seats: all' for "
        "every number that a variant can be played by"
    )


def too_few(file: Path, bots: int, seats: int) -> BadTournament:
    """That there are not enough bots."""
    bots_are = "1 bot" if bots == 1 else f"{bots} bots"
    return BadTournament(
        f"{file}: $.bots: {bots_are} cannot fill {seats} seats; name more, or one of them again "
        "under another name: {bot: PATH, as: NAME}"
    )


def check_seating(file: Path, cell: Cell, seating: Design) -> None:
    """Refuse to play millions of games of one deal."""
    if seating == "all" and cell.seats > MOST_IN_ALL:
        raise BadTournament(
            f"{file}: $.seating: all permutations are for tables of at most {MOST_IN_ALL}, and "
            f"{cell} are asked for; 'balanced' is as fair with a few games a deal"
        )
