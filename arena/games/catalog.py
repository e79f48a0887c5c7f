"""Every variant by name, and the modifiers that variants are combined from."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from itertools import chain, combinations
from typing import Any, Final, Generic, TypeVar

from arena.errors import UnknownVariant
from arena.games.base import Game, Rules
from arena.games.hat_trick import HAT_TRICK
from arena.games.sticheln import STICHELN, aggravated, delayed, hazy, mild, reverse
from arena.games.sticheln_engine import StichelnRules
from arena.games.stick_em import STICK_EM
from arena.games.was_sticht.rules import WAS_STICHT
from arena.text import english_list

Modifier = Callable[[StichelnRules], StichelnRules]

MODIFIERS: Final[dict[str, Modifier]] = {
    modifier.__name__: modifier for modifier in (reverse, mild, aggravated, hazy, delayed)
}
"""In the order they have in a canonical name."""

REDUNDANT_PAIRS: Final = {
    ("hazy", "delayed"): "with Delayed there is no designating card for Hazy to hide",
}
"""Pairs of modifiers of which the first means nothing beside the second, and why."""

COMBINATION_RULING: Final = (
    "No printed rule combines modifiers; each changes its own part of the rules and leaves the "
    "others alone."
)


R_co = TypeVar("R_co", bound=Rules, covariant=True)


@dataclass(frozen=True)
class Variant(Generic[R_co]):
    """A rule set by its name."""

    name: str
    title: str
    seats: range
    summary: str
    rules: R_co
    modifiers: tuple[str, ...] = ()
    house: tuple[str, ...] = ()
    """House rulings about it as a whole."""

    def game(self, seats: int) -> Game[Any]:
        """The game at a table of this size."""
        if seats not in self.seats:
            raise UnknownVariant(
                f"{self.name} is played by {self.seats[0]} to {self.seats[-1]}, not by {seats!r}"
            )
        return _cached_game(self, seats)


@cache
def _cached_game(variant: Variant[Rules], seats: int) -> Game[Any]:
    return variant.rules.game(variant.name, seats)


def modifier_sets() -> Iterable[tuple[str, ...]]:
    """All sets of modifiers that mean something, the smaller ones first."""
    sizes = range(len(MODIFIERS) + 1)
    for chosen in chain.from_iterable(combinations(MODIFIERS, size) for size in sizes):
        if not any(set(pair) <= set(chosen) for pair in REDUNDANT_PAIRS):
            yield chosen


ModifiableVariant = Variant[StichelnRules]
"""A variant that modifiers apply to."""


def variant_family(plain: ModifiableVariant, house: str = "") -> Iterable[ModifiableVariant]:
    """A game with all its modifiers, on which there may be a house ruling."""
    for modifiers in modifier_sets():
        changed, clauses = plain.rules, []
        for modifier in modifiers:
            changed = MODIFIERS[modifier](changed)
            clauses.append(docstring_clause(MODIFIERS[modifier]))
        rulings = [house] if house and modifiers else []
        yield replace(
            plain,
            name="+".join((plain.name, *modifiers)),
            title=" ".join((plain.title, *(modifier.capitalize() for modifier in modifiers))),
            summary=f"{plain.title} where {'; '.join(clauses)}." if clauses else plain.summary,
            rules=changed,
            modifiers=modifiers,
            house=(*rulings, COMBINATION_RULING) if len(modifiers) > 1 else tuple(rulings),
        )


def docstring_clause(rule: Callable[..., object]) -> str:
    """The sentence in a function's docstring, as a part of another sentence."""
    sentence = (rule.__doc__ or "").strip().rstrip(".")
    return sentence[:1].lower() + sentence[1:]


VARIANTS: Final[dict[str, Variant[Rules]]] = {
    variant.name: variant
    for variant in (
        *variant_family(
            Variant(
                "sticheln",
                "Sticheln",
                range(3, 9),
                "Win cards, but not those of the colour you have designated for yourself.",
                STICHELN,
            ),
        ),
        *variant_family(
            Variant(
                "stick-em",
                "Stick 'Em",
                range(3, 7),
                "Sticheln with as many rounds as players, where a 0 never wins a trick.",
                STICK_EM,
            ),
            "Stick 'Em prints no variants of its own; it takes the modifiers of Sticheln.",
        ),
        Variant(
            "hat-trick",
            "Hat Trick",
            range(4, 8),
            "Collect one colour, in tricks that may split in two, and pass as little as you can.",
            HAT_TRICK,
        ),
        Variant(
            "was-sticht",
            "Was sticht",
            range(3, 5),
            "Draft a hand under hidden trumps, then be the first to fulfil five tasks.",
            WAS_STICHT,
        ),
    )
}
"""Every variant by its canonical name."""

GAMES: Final = tuple(name for name, variant in VARIANTS.items() if not variant.modifiers)
UNMODIFIABLE_GAMES: Final = tuple(
    game for game in GAMES if f"{game}+{next(iter(MODIFIERS))}" not in VARIANTS
)
"""The games without modifiers."""


def variant(name: str) -> Variant[Rules]:
    """The variant of this name; its modifiers may stand in any order."""
    base, *given = name.strip().lower().split("+")
    known = [word for word in MODIFIERS if word in given]
    canonical = "+".join((base, *known))
    if canonical in VARIANTS and len(known) == len(given):
        return VARIANTS[canonical]
    why, nearest = _diagnose_name(base, given)
    raise UnknownVariant(f"there is no variant {name!r}: {why}; did you mean {nearest!r}?")


def _diagnose_name(base: str, modifiers: list[str]) -> tuple[str, str]:
    """Why this is no variant, and the nearest name that is one."""
    strange = [word for word in modifiers if word not in MODIFIERS]
    repeated = [word for word in modifiers if modifiers.count(word) > 1]
    vacuous = [why for (a, b), why in REDUNDANT_PAIRS.items() if {a, b} <= set(modifiers)]
    if base not in GAMES:
        why = f"the games are {english_list(GAMES)}"
    elif base in UNMODIFIABLE_GAMES:
        why = f"{VARIANTS[base].title} has no modifiers"
    elif "" in modifiers:
        why = "a modifier is missing after '+'"
    elif strange:
        why = f"{strange[0]!r} is no modifier, those are {english_list(MODIFIERS)}"
    elif repeated:
        why = f"it says {repeated[0]!r} more than once"
    else:
        why = vacuous[0]
    return why, _nearest_name(base, modifiers)


def _nearest_name(base: str, modifiers: list[str]) -> str:
    """The legal name most like this one."""
    name = "+".join((base, *modifiers))
    game = next((game for game in GAMES if game in name), None)
    first, *words = re.split(r"[+\s_,/]+", name)
    if game is None:
        game = next(iter(get_close_matches(first, GAMES, n=1)), None)
    else:
        words = re.findall(r"[a-z]+", name.replace(game, ""))
    if game is None:
        close = get_close_matches(name, VARIANTS, n=1, cutoff=0.5)
        return close[0] if close else get_close_matches(name, GAMES, n=1, cutoff=0)[0]
    if game in UNMODIFIABLE_GAMES:
        return game
    meant = set(chain.from_iterable(get_close_matches(word, MODIFIERS, n=1) for word in words))
    for idle, beside in REDUNDANT_PAIRS:
        if {idle, beside} <= meant:
            meant.remove(idle)
    return "+".join((game, *(word for word in MODIFIERS if word in meant)))
