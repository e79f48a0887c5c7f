"""The rules of Hat Trick, case by case."""

import pytest

from arena.games.base import Sizes
from arena.games.catalog import variant
from arena.games.events import Event, Passed, Played, Took
from arena.games.hat_trick import HatTrickGame
from tests.card_texts import cards
from tests.games.game_states import state_in_phase


def game(seats: int = 7) -> HatTrickGame:
    """With seven seats the deck has the 0 too."""
    made = variant("hat-trick").game(seats)
    assert isinstance(made, HatTrickGame)
    return made


@pytest.mark.parametrize(
    ("seats", "sizes"),
    [
        (4, (60, 15, 0, 14, 5)),
        (5, (60, 12, 0, 11, 5)),
        (6, (60, 10, 0, 9, 5)),
        (7, (63, 9, 0, 8, 5)),
    ],
)
def test_sizes(seats: int, sizes: tuple[int, int, int, int, int]) -> None:
    assert game(seats).sizes == Sizes(*sizes)


@pytest.mark.parametrize(
    ("trick", "takers", "leader"),
    [
        pytest.param("R10 R12 R3 R15", (3, 3, 3, 3), 3, id="a single trick"),
        pytest.param("R10 B4 G20 R2", (0, 1, None, 0), 0, id="a pass"),
        pytest.param("R15 B15 R8 B10", (0, 1, 0, 1), 3, id="a tie: the next card leads"),
        pytest.param("G9 B9 R1 R20", (0, 1, None, None), 1, id="a tie: the colour leads"),
        pytest.param("B12 R12 R5 B5 G20", (0, 1, 1, 0, None), 1, id="two ties: the colour leads"),
        pytest.param("R15 B15 B3 B2", (0, 1, 1, 1), 2, id="uneven tricks"),
        pytest.param("G0 R7 R20 R1 R2 R3 R4", (0, 2, 2, 2, 2, 2, 2), 2, id="a lone 0 wins itself"),
        pytest.param("G5 G9 G7 B8", (1, 1, 1, 3), 1, id="a second colour late"),
        pytest.param("R15 B10 R10 B2", (0, 1, 0, 1), 0, id="a tie lower down is none"),
    ],
)
def test_taking(trick: str, takers: tuple[int | None, ...], leader: int) -> None:
    taken, next_leader = game().take_trick(0, cards(trick))
    assert taken.takers == takers
    assert next_leader == leader


@pytest.mark.parametrize(
    ("won", "passed", "points"),
    [
        ("RRRRRRRRR BB GGGG", 1, 1),
        ("RRRRRRRR GGGG BBB", 0, 1),
        ("RRR BBB GGG", 0, -3),
        ("", 2, -4),
        ("RRRRR", 2, 1),
    ],
)
def test_score(won: str, passed: int, points: int) -> None:
    assert game().rules.score(won.replace(" ", ""), passed) == points


def test_passed_cards_do_not_count_towards_a_colour() -> None:
    """A round of one trick: seat 2 passes a green card while red and blue are taken."""
    table = game(4)
    state = state_in_phase(table, "play", hands=("R10 R1", "B4 R2", "G20 R3", "R5 R4"), leader=0)
    events: list[Event] = []
    for card in cards("R10 B4 G20 R5"):
        before, state = state, table.apply(state, (card,))
        events += table.events(before, (card,), state)
    assert events[:6] == [
        Played(0, "R10"),
        Played(1, "B4"),
        Passed(2, "G20"),
        Played(3, "R5"),
        Took(0, cards("R10 R5")),
        Took(1, cards("B4")),
    ]
    assert table.scores(state) == (2, 1, -2, 0)
