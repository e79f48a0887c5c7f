"""Cards and their order."""

import pytest

from arena.cards import COLOURS, NUMBER, POSITION_OF, deck, sort_cards, without
from tests.card_texts import cards


def test_the_order_is_by_colour_name_then_number() -> None:
    assert list(COLOURS.values()) == sorted(COLOURS.values())
    assert sort_cards(cards("Y1 R10 R9 E3 G2 N1 B20 B3 V0")) == cards(
        "B3 B20 N1 G2 E3 R9 R10 V0 Y1"
    )
    by_name = sorted(NUMBER, key=lambda card: (COLOURS[card[0]], NUMBER[card]))
    assert by_name == sorted(NUMBER, key=POSITION_OF.__getitem__)


def test_a_deck_is_in_the_order_given() -> None:
    assert deck("RB", range(1, 3)) == cards("R1 R2 B1 B2")


def test_all_decks_share_one_string_per_card() -> None:
    assert deck("R", range(21))[20] is deck("BR", range(21))[-1]


def test_without() -> None:
    assert without(cards("B1 R2 R3"), "R2") == cards("B1 R3")
    assert without(("no_red", "no_red"), "no_red") == ("no_red",)
    with pytest.raises(ValueError, match="not in list"):
        without(cards("B1"), "R2")
