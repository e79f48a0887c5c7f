"""Changes: what became of a tournament's settings since its run began, and whether that matters."""

from collections.abc import Iterator, Mapping
from typing import Any

from arena.bots.contents import SHOWN, is_same
from arena.games.catalog import listed
from arena.tournaments.walls import USUAL

Settings = Mapping[str, Any]

FIXED = {
    "protocol": "the protocol",
    "seating": "'seating'",
    "clock": "'clock'",
    "faults": "'faults'",
    "games": "the number of games at once",
    "anonymous": "'anonymous'",
    "chunk": "'chunk'",
}
"""Under others of these the same games would be others."""

FREE = {"stop": "'stop'"}
"""These decide no game, only in which order and until when they are played."""


def differences(old: Settings, new: Settings) -> tuple[list[str], list[str]]:
    """What makes it another run, and what may change while it goes on; each a part of a sentence.

    A run goes on if everything it has played would be planned again. Seeds are not compared here:
    a drawn one stands in no file.
    """
    refused = [
        f"{what} was {shown(old.get(key))} and is now {shown(new.get(key))}"
        for key, what in FIXED.items()
        if old.get(key) != new.get(key)
    ]
    allowed = [
        f"{what} was {shown(old.get(key))} and is now {shown(new.get(key))}"
        for key, what in FREE.items()
        if old.get(key) != new.get(key)
    ]
    chosen = kind(old["tables"]) in {"sample", "adaptive"}
    for gone, come, fixed in (cells(old, new), bots(old, new)):
        refused += gone
        if fixed and chosen:
            refused += [f"{change}, with which other tables would be chosen" for change in come]
        else:
            allowed += come
    for change, harmless in (*deals(old, new), *tables(old, new), *limits(old, new)):
        (allowed if harmless else refused).append(change)
    return refused, allowed


def cells(old: Settings, new: Settings) -> tuple[list[str], list[str], bool]:
    """Variants and seats that are gone, and those that came, on which adaptive tables depend."""
    before, now = ([f"{name} with {seats} seats" for name, seats in x["cells"]] for x in (old, new))
    gone = [f"{cell} is gone" for cell in before if cell not in now]
    come = [f"{cell} is new" for cell in now if cell not in before]
    return gone, come, kind(old["tables"]) == "adaptive"


def bots(old: Settings, new: Settings) -> tuple[list[str], list[str], bool]:
    """Bots that are gone or changed, and those that came; the choice of tables depends on them."""
    before, now = old["bots"], new["bots"]
    gone = [f"{name} is gone" for name in before if name not in now]
    other = [
        f"{name} is another version than this run began with "
        f"({digest[:SHOWN]}, now {now[name][:SHOWN]})"
        for name, digest in before.items()
        if not is_same(now.get(name, digest), digest)
    ]
    return [*gone, *other], [f"{name} is new" for name in now if name not in before], True


def deals(old: Settings, new: Settings) -> Iterator[tuple[str, bool]]:
    """Another number of deals: more do no harm unless tables are chosen by what has been played."""
    before, now = old["deals"], new["deals"]
    if before != now:
        harmless = before < now and kind(old["tables"]) != "adaptive"
        yield f"'deals' was {before} and is now {now}", harmless


def tables(old: Settings, new: Settings) -> Iterator[tuple[str, bool]]:
    """Other tables: a longer sample begins like a shorter one."""
    before, now = old["tables"], new["tables"]
    if before != now:
        harmless = kind(before) == kind(now) == "sample" and before["sample"] < now["sample"]
        yield f"'tables' was {shown(before)} and is now {shown(now)}", harmless


def limits(old: Settings, new: Settings) -> Iterator[tuple[str, bool]]:
    """Other limits of the sandbox, within which bots may play otherwise."""
    before, now = old["sandbox"], new["sandbox"]
    if before != now:
        told = ["as usual" if each == USUAL else each for each in (before, now)]
        yield f"the limits of 'sandbox' were {told[0]} and are now {told[1]}", False


def kind(tables: str | Mapping[str, Any]) -> str:
    """How tables are asked for."""
    return tables if isinstance(tables, str) else next(iter(tables))


def shown(value: object) -> str:
    """A setting as it would stand in a file."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {shown(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return listed(map(shown, value)) if value else "nothing"
    if value is None:
        return "not there"
    return str(value).lower() if isinstance(value, bool) else str(value)
