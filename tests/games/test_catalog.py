"""Names of variants, and what each modifier changes."""

from itertools import permutations
from typing import Any

import pytest

from arena.errors import UnknownVariant
from arena.games.catalog import GAMES, MODIFIERS, VARIANTS, variant
from arena.games.sticheln_engine import StichelnGame

FAMILIES = ("sticheln", "stick-em")
AXES = {
    "reverse": {"trump", "balance"},
    "mild": {"worth"},
    "aggravated": {"colours"},
    "hazy": {"shown"},
    "delayed": {"phases"},
}


def test_every_variant_is_there() -> None:
    assert len(VARIANTS) == 50
    assert sum(len(found.seats) for found in VARIANTS.values()) == 246
    assert GAMES == ("sticheln", "stick-em", "hat-trick", "was-sticht")
    for family in FAMILIES:
        assert sum(name.split("+")[0] == family for name in VARIANTS) == 24


@pytest.mark.parametrize("name", VARIANTS)
def test_modifiers_in_any_order(name: str) -> None:
    base, *modifiers = name.split("+")
    for order in permutations(modifiers):
        assert variant("+".join((base, *order))) is VARIANTS[name]
    assert variant(f" {name.upper()} ") is VARIANTS[name]


@pytest.mark.parametrize(
    ("name", "why", "nearest"),
    [
        ("stichelm", "the games are", "sticheln"),
        ("stickem+reverse", "the games are", "stick-em+reverse"),
        ("sticheln mild", "the games are", "sticheln+mild"),
        ("hat trick", "the games are", "hat-trick"),
        ("sticheln+milt", "'milt' is no modifier", "sticheln+mild"),
        ("sticheln+aggrevated+hazy", "'aggrevated' is no modifier", "sticheln+aggravated+hazy"),
        ("sticheln+", "a modifier is missing after '+'", "sticheln"),
        ("sticheln-mild", "the games are", "sticheln+mild"),
        ("skat", "the games are", "stick-em"),
        ("sticheln+mild+mild", "it says 'mild' more than once", "sticheln+mild"),
        ("sticheln+hazy+delayed", "no designating card for Hazy to hide", "sticheln+delayed"),
        ("stick-em+delayed+mild+hazy", "for Hazy to hide", "stick-em+mild+delayed"),
        ("hat-trick+mild", "Hat Trick has no modifiers", "hat-trick"),
        ("was-sticht+hazy", "Was sticht has no modifiers", "was-sticht"),
        ("", "the games are", ""),
        ("poker", "the games are", ""),
    ],
)
def test_a_wrong_name_says_why_and_suggests_a_right_one(name: str, why: str, nearest: str) -> None:
    with pytest.raises(UnknownVariant) as caught:
        variant(name)
    text = str(caught.value)
    assert text.startswith(f"there is no variant {name!r}: ")
    assert why in text
    suggested = text.rsplit("did you mean '", 1)[1].removesuffix("'?")
    assert suggested in VARIANTS
    assert suggested == nearest or not nearest


@pytest.mark.parametrize("seats", [0, 2, 7, -1])
def test_a_table_of_the_wrong_size(seats: int) -> None:
    with pytest.raises(UnknownVariant, match=f"stick-em is played by 3 to 6, not by {seats}"):
        variant("stick-em").game(seats)


def test_a_game_is_made_once() -> None:
    assert variant("sticheln+hazy+mild").game(4) is variant("sticheln+mild+hazy").game(4)


def pairs() -> list[tuple[str, str, str]]:
    """Every pair of variants that differ in one modifier: without it, it, with it."""
    found = []
    for name, with_it in VARIANTS.items():
        for modifier in AXES.keys() & with_it.modifiers:
            rest = [other for other in with_it.modifiers if other != modifier]
            found.append(("+".join((name.split("+")[0], *rest)), modifier, name))
    return sorted(found)


def behaviour(game: StichelnGame) -> dict[str, Any]:
    """What a game does on each axis, in every case there is."""
    seats = range(game.seats)
    hands = [game.cards[at : at + 5] for at in range(0, len(game.cards), 3)]
    return {
        "deck": (game.deck, game.cards, game.sizes.hand, game.sizes.left_over),
        "rounds": game.rounds,
        "phases": game.phases,
        "colours": [game.rules.colours(hand) for hand in hands],
        "shown": [[game.rules.shown(owner, viewer) for owner in seats] for viewer in seats],
        "legal": [game.legal(hand, ()) for hand in hands],
        "trump": game.strengths,
        "zeros": [game.rules.zeros(leader) for leader in seats],
        "worth": {card: abs(game.rules.points(card, card[0])) for card in game.cards},
        "balance": {
            card: (game.rules.points(card, card[0]) > 0, game.rules.points(card, ""))
            for card in game.cards
            if card[1:] != "0"
        },
        "ending": game.rules.ending((3, 1, 2)),
    }


def test_number_of_pairs() -> None:
    """Each of 24 sets has as many neighbours below it as modifiers: 52 in a family."""
    assert len(pairs()) == 2 * 52


@pytest.mark.parametrize(("without", "modifier", "with_it"), pairs())
def test_a_modifier_changes_its_own_axis_and_nothing_else(
    without: str, modifier: str, with_it: str
) -> None:
    rules, changed = VARIANTS[without].rules, VARIANTS[with_it].rules
    differ = {axis for axis in rules.__dict__ if getattr(rules, axis) != getattr(changed, axis)}
    assert differ == AXES[modifier]
    assert VARIANTS[without].seats == VARIANTS[with_it].seats
    for seats in VARIANTS[without].seats:
        one, other = (variant(name).game(seats) for name in (without, with_it))
        assert isinstance(one, StichelnGame)
        assert isinstance(other, StichelnGame)
        plain, modified = behaviour(one), behaviour(other)
        assert {axis for axis in plain if plain[axis] != modified[axis]} == AXES[modifier]


@pytest.mark.parametrize("name", [name for _, modifier, name in pairs() if modifier == "reverse"])
def test_reverse_turns_every_score_around(name: str) -> None:
    plain = VARIANTS[name.replace("+reverse", "")].game(3)
    turned = VARIANTS[name].game(3)
    assert isinstance(plain, StichelnGame)
    assert isinstance(turned, StichelnGame)
    for special, points in plain.card_points.items():
        assert turned.card_points[special] == {card: -value for card, value in points.items()}


def test_every_modifier_says_what_it_changes() -> None:
    """For a new modifier, write down in `AXES` what it is meant to change."""
    assert set(AXES) == set(MODIFIERS)
