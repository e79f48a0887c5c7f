"""The rules of a variant in words, generated from the docstrings of its rule functions."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arena.cards import COLOURS, NUMBER
from arena.games.base import Rules, Term
from arena.games.catalog import MODIFIERS, Modifier, Variant
from arena.games.sticheln import STICHELN

HOUSE_PREFIX: Final = "House ruling: "
"""How the paragraph of a docstring begins that states what no printed rule settles."""

AXIS_TITLES: Final = {
    "deck": "Cards",
    "phases": "Special colours",
    "colours": "How many",
    "shown": "Who sees them",
    "legal": "Playing",
    "trump": "Winning a trick",
    "balance": "Scoring",
    "ending": "End of the game",
    "double": "Double tricks",
    "winner": "Winning a trick",
    "leader": "Next leader",
    "kept": "End of a round",
    "score": "Scoring",
    "secret": "Who sees them",
    "columns": "Layout",
    "picks_first": "Draft",
    "hint": "Hints",
    "chooses": "Tasks",
    "suit": "Suits",
    "follow": "Playing",
    "strength": "Winning a trick",
    "fulfilled": "Fulfilling a task",
    "dealer": "The dealer",
    "last_round": "Rounds",
}
"""What an axis is called in a rulebook, where its own name will not do."""


GENERAL_RULINGS: Final = (
    "The starting seat, or first dealer, is seat 0 unless the table says otherwise.",
    "Nothing that once lay face up is forgotten: a bot is shown all of the round again.",
)
"""House rulings that hold for every variant."""


class Rule(Struct, frozen=True, omit_defaults=True):
    """What holds on one axis."""

    axis: str
    title: str
    text: str
    house: tuple[str, ...] = ()
    changed_by: tuple[str, ...] = ()


class TableSetup(Struct, frozen=True):
    """What is played with at a table of a certain size."""

    seats: int
    colours: tuple[str, ...]
    numbers: tuple[int, int]
    cards: int
    hand: int
    left_over: int
    tricks: int
    rounds: int | None


class Rulebook(Struct, frozen=True, omit_defaults=True):
    """The rules of a variant."""

    variant: str
    title: str
    summary: str
    tables: tuple[TableSetup, ...]
    rules: tuple[Rule, ...]
    house: tuple[str, ...]
    """House rulings about the variant as a whole."""
    terms: tuple[Term, ...] = ()


def rulebook(variant: Variant[Rules]) -> Rulebook:
    """The rules of exactly this variant."""
    return Rulebook(
        variant.name,
        variant.title,
        variant.summary,
        table_setups(variant),
        tuple(axis_rules(variant)),
        (*variant.house, *GENERAL_RULINGS),
        tuple(variant.rules.terms()),
    )


def table_setups(variant: Variant[Rules]) -> tuple[TableSetup, ...]:
    """What each number of players plays with."""
    return tuple(table_setup(variant, seats) for seats in variant.seats)


def table_setup(variant: Variant[Rules], seats: int) -> TableSetup:
    """What this many players play with."""
    game = variant.game(seats)
    sizes, numbers = game.sizes, [NUMBER[card] for card in game.cards]
    return TableSetup(
        seats,
        tuple(COLOURS[colour] for colour in dict.fromkeys(card[0] for card in game.cards)),
        (min(numbers), max(numbers)),
        sizes.cards,
        sizes.hand,
        sizes.left_over,
        sizes.tricks,
        sizes.rounds,
    )


def axis_rules(variant: Variant[Rules]) -> Iterator[Rule]:
    """What holds on each axis, and which modifiers made it so."""
    changes = {name: changed_axes(MODIFIERS[name]) for name in variant.modifiers}
    for axis, function in variant.rules.axes():
        text, *more = [" ".join(part.split()) for part in (function.__doc__ or "").split("\n\n")]
        rulings = [part.removeprefix(HOUSE_PREFIX) for part in more]
        house = tuple(ruling[:1].upper() + ruling[1:] for ruling in rulings)
        by = tuple(name for name, axes in changes.items() if axis in axes)
        yield Rule(axis, AXIS_TITLES.get(axis, axis.capitalize()), text, house, by)


def changed_axes(modifier: Modifier) -> set[str]:
    """The axes a modifier changes."""
    plain = dict(STICHELN.axes())
    return {axis for axis, rule in modifier(STICHELN).axes() if rule is not plain[axis]}
