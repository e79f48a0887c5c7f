"""The rules of Sticheln and its modifiers, case by case."""

import pytest

from arena.games.base import Sizes
from arena.games.catalog import VARIANTS, variant
from arena.games.sticheln_engine import StichelnGame, StichelnRules, colours_of
from tests.card_texts import cards


def game(name: str, seats: int = 8) -> StichelnGame:
    """With eight seats the deck has every number the tables below use."""
    made = variant(name).game(seats)
    assert isinstance(made, StichelnGame)
    return made


def rules(name: str) -> StichelnRules:
    return game(name).rules


def score(name: str, owned: str, special: str) -> int:
    return sum(rules(name).points(card, special) for card in cards(owned))


@pytest.mark.parametrize(
    ("name", "seats", "sizes"),
    [
        ("sticheln", 3, (45, 15, 0, 14, 5)),
        ("sticheln", 4, (60, 15, 0, 14, 5)),
        ("sticheln", 5, (75, 15, 0, 14, 5)),
        ("sticheln", 6, (90, 15, 0, 14, 5)),
        ("sticheln", 7, (108, 15, 3, 14, 5)),
        ("sticheln", 8, (114, 14, 2, 13, 5)),
        ("sticheln+aggravated", 7, (108, 15, 3, 13, 5)),
        ("sticheln+aggravated", 8, (114, 14, 2, 12, 5)),
        ("sticheln+delayed", 7, (108, 15, 3, 15, 5)),
        ("sticheln+delayed", 8, (114, 14, 2, 14, 5)),
        ("sticheln+aggravated+delayed", 8, (114, 14, 2, 14, 5)),
    ],
)
def test_sizes(name: str, seats: int, sizes: tuple[int, int, int, int, int]) -> None:
    assert game(name, seats).sizes == Sizes(*sizes)


@pytest.mark.parametrize(
    ("name", "trick", "place"),
    [
        pytest.param("sticheln", "B6 B9 R2 B8", 2, id="a lone trump wins"),
        pytest.param("sticheln", "R0 B0 R5 G0", 2, id="a led 0 sets the colour"),
        pytest.param("sticheln", "R8 B0 G0", 0, id="a 0 is no trump"),
        pytest.param("sticheln", "G0 B0 R0", 0, id="only zeros: the first"),
        pytest.param("sticheln", "Y1 Y11 B1 N1", 2, id="equal trumps: the first"),
        pytest.param("sticheln", "V18 V17 R0 B3 V16 G3 N2 Y0", 3, id="eight cards"),
        pytest.param("sticheln", "R0 R14 R13 R12 B1", 4, id="the last one trumps"),
        pytest.param("sticheln+reverse", "R5 B7 G3 Y0", 2, id="reverse: the lowest trump"),
        pytest.param("sticheln+reverse", "R5 B3 G3", 1, id="reverse: equal ones, the first"),
        pytest.param("sticheln+reverse", "R5 R9 R2", 1, id="reverse: no trump, the highest"),
        pytest.param("sticheln+reverse", "R4 B0 R7", 2, id="reverse: a 0 is no trump"),
        pytest.param("sticheln+reverse", "B0 R0 G0 N0", 0, id="reverse: only zeros"),
    ],
)
def test_winner(name: str, trick: str, place: int) -> None:
    taken, leader = game(name).take_trick(0, cards(trick))
    assert taken.winner == place
    assert leader == place
    taken, leader = game(name).take_trick(5, cards(trick))
    assert taken.winner == (5 + place) % 8


@pytest.mark.parametrize(
    ("name", "owned", "special", "points"),
    [
        ("sticheln", "R4 R2 R5 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 G1 G2 G3", "R", 3),
        ("sticheln", "R1 R0 R2 R8 B1 B2 B3 B4 B5 B6 B7 B8 B9 G1 G2 G3 G4", "R", 2),
        ("sticheln", "V0 R0 B0 V18 G18", "V", -15),
        ("sticheln", "N7", "N", -7),
        ("sticheln+reverse", "B8 B0 B3 R8 G0", "B", 9),
        ("sticheln+reverse", "R0", "R", 0),
        ("sticheln+mild", "R0", "R", -5),
        ("sticheln+mild", "R4 R2 R5 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 G1 G2 G3", "R", -1),
        ("sticheln+mild", "B14 B0 G0 G14", "B", -8),
        ("sticheln+mild", "G1 R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 B6 B7", "G", 10),
        ("sticheln+mild", "Y0 Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 R3", "Y", -44),
        ("sticheln+aggravated", "R3 B2 R5 B0 G9 Y0", "RB", -8),
        ("sticheln+aggravated", "R0 B0", "RB", 0),
        ("sticheln+aggravated", "G1 V2 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12", "GV", 9),
        ("sticheln+aggravated", "R1 R2 R5 B5", "R", -7),
        ("sticheln+delayed", "", "", 0),
        ("sticheln+reverse+mild", "B8 B0 R8 G0", "B", 8),
        ("sticheln+reverse+aggravated", "B8 G0 R8 G5", "BG", 12),
        ("sticheln+mild+aggravated", "B8 G0 R8 G5", "BG", -14),
        ("stick-em", "Y2 Y5 Y4 B1 B2 B3 B4 B5 B6", "Y", -5),
        ("stick-em", "R0 R2 R4 R1 B1 B2 B3 B4 B5 B6 B7 B8 B9", "R", 2),
    ],
)
def test_score(name: str, owned: str, special: str, points: int) -> None:
    found = VARIANTS[name].rules
    assert isinstance(found, StichelnRules)
    assert sum(found.points(card, special) for card in cards(owned)) == points


@pytest.mark.parametrize(
    ("name", "hand", "options"),
    [
        ("sticheln", "B3 R1 R2", "B3 R1 R2"),
        ("sticheln+aggravated", "B3 R1 R2", "B3+R1 B3+R2"),
        ("sticheln+aggravated", "R1 R2 R3", "R1+R2 R1+R3 R2+R3"),
    ],
)
def test_designating_options(name: str, hand: str, options: str) -> None:
    assert rules(name).colours(cards(hand)) == tuple(options.split())


@pytest.mark.parametrize(
    ("name", "won", "options", "best"),
    [
        ("sticheln+delayed", "R3 R4 B1 G0", "B G R", ("G", 3)),
        ("sticheln+delayed", "R5 R6", "R", ("R", -11)),
        ("sticheln+delayed", "B0", "B", ("B", 0)),
        ("sticheln+delayed", "R7 B1 B2 B3", "B R", ("R", -4)),
        ("sticheln+aggravated+delayed", "R5 R6", "R", ("R", -11)),
        ("sticheln+aggravated+delayed", "R5 B1 N2", "B+N B+R N+R", ("B+N", -2)),
    ],
)
def test_delayed_options(name: str, won: str, options: str, best: tuple[str, int]) -> None:
    found = rules(name).colours(colours_of(cards(won)))
    assert found == tuple(options.split())
    choice, points = best
    assert max(score(name, won, option) for option in found) == points
    assert score(name, won, choice) == points
