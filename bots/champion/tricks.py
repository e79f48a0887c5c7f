"""Sticheln, Stick 'Em and Hat Trick: the question as the core reads it."""

import ctypes
from functools import cache
from typing import Any

import core

from arena.reference.counter import hat_trick, sticheln

SHARE = 0.04
"""Of the time for a decision that is spent on it."""
RATE = 1.5e8
"""Work done in a second on a slow machine."""
SAFE = 0.6
"""Of the time for a decision that is never exceeded, whatever the machine."""
TINY = 0.01
"""With fewer seconds than these for a decision nothing is played out."""

KINDS = {"designate": 0, "play": 1, "delayed": 2}
MODIFIERS = ("reverse", "mild", "aggravated", "hazy", "delayed")

_choose = core.LIBRARY.tricks_choose
_choose.argtypes = [
    ctypes.POINTER(ctypes.c_int),
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_uint64,
    ctypes.c_double,
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_int),
]


@cache
def numbered(colours: str) -> dict[str, int]:
    """Every card and colour as a number."""
    cards = {f"{c}{n}": at << 5 | n for at, c in enumerate(colours) for n in range(21)}
    return cards | {colour: at for at, colour in enumerate(colours)}


def colours_of(start: dict[str, Any]) -> str:
    """The colours of a game; in Hat Trick from the worst to the best."""
    present = {card[0] for card in start["cards"]}
    return "".join(colour for colour in "GBRVYNE" if colour in present)


def words(start: dict[str, Any], question: dict[str, Any]) -> list[int]:
    """A question as a list of whole numbers."""
    view, colours = question["view"], colours_of(start)
    number, seats, cards = numbered(colours), start["seats"], start["cards"]
    game, *modifiers = start["variant"].split("+")
    numbers = [int(card[1:]) for card in cards]
    tricks, trick = view["tricks"], view["trick"]
    left_over = view.get("left_over", ())
    found = [int(game == "hat-trick"), int(game == "stick-em")]
    found += [int(modifier in modifiers) for modifier in MODIFIERS]
    found += [seats, len(colours), min(numbers), max(numbers)]
    found += [(len(cards) - len(left_over)) // seats, KINDS[question["kind"]], view["seat"]]
    found.append(tricks[0]["leader"] if tricks else view["leader"])
    found += listed(number, left_over)
    for laid in view.get("designated") or [()] * seats:
        found += [-1] if laid is None else listed(number, laid)
    found += listed(number, [*(card for old in tricks for card in old["cards"]), *trick])
    found += listed(number, view["hand"])
    found.append(len(question["options"]))
    for option in question["options"]:
        first, _, second = option.partition("+")
        found += [number[first], number[second] if second else -1]
    return found


def listed(number: dict[str, int], cards: Any) -> list[int]:
    """How many cards, and which."""
    return [len(cards), *[number[card] for card in cards]]


def seed_of(start: dict[str, Any], question: dict[str, Any]) -> int:
    """The chance of this decision: the same whenever this game comes to it."""
    view = question["view"]
    seen = len(view["tricks"]) * start["seats"] + len(view["trick"])
    return core.mixed(start["seed"], view["round"], KINDS[question["kind"]], seen)


def opinions(start: dict[str, Any], question: dict[str, Any]) -> list[float]:
    """What the counter thinks of each option."""
    kind, options, view = question["kind"], question["options"], question["view"]
    if start["variant"] == "hat-trick":
        table = hat_trick.Table(view, start["cards"])
        return [hat_trick.score(card, table) for card in options]
    return sticheln.scores(kind, options, view, start["variant"], start["cards"])


def choose(start: dict[str, Any], question: dict[str, Any], seconds: float) -> tuple[str, str]:
    """The choice for a question with so many seconds for it, and a word about it."""
    options = question["options"]
    opinion = opinions(start, question)
    if seconds < TINY:
        choice = options[opinion.index(max(opinion))]
        return choice, f"{choice}: at a glance"
    points, deals = ctypes.c_double(), ctypes.c_int()
    at = _choose(
        core.ints(words(start, question)),
        core.doubles(opinion),
        seed_of(start, question),
        seconds * SHARE * RATE,
        seconds * SAFE,
        points,
        deals,
    )
    choice = options[at]
    if question["kind"] == "delayed":
        return choice, f"{choice}: {points.value:+.0f} points, as all can see"
    return choice, f"{choice}: {points.value:+.1f} points, {deals.value:,} deals"
