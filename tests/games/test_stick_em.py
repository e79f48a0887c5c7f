"""The rules of Stick 'Em where they differ from Sticheln, case by case."""

import pytest

from arena.games.base import Sizes
from arena.games.catalog import variant
from arena.games.events import SetAside
from arena.games.sticheln_engine import StichelnGame
from tests.card_texts import cards
from tests.games.game_states import apply_option, state_in_phase


def game(name: str, seats: int = 6) -> StichelnGame:
    made = variant(name).game(seats)
    assert isinstance(made, StichelnGame)
    return made


@pytest.mark.parametrize(
    ("seats", "sizes"),
    [
        (3, (45, 15, 0, 14, 3)),
        (4, (60, 15, 0, 14, 4)),
        (5, (75, 15, 0, 14, 5)),
        (6, (90, 15, 0, 14, 6)),
    ],
)
def test_sizes(seats: int, sizes: tuple[int, int, int, int, int]) -> None:
    assert game("stick-em", seats).sizes == Sizes(*sizes)


@pytest.mark.parametrize(
    ("name", "trick", "place"),
    [
        pytest.param("stick-em", "B3 B10 Y0 B7", 1, id="a 0 is neutral"),
        pytest.param("stick-em", "Y9 G5 R6 B4", 2, id="the highest of several colours"),
        pytest.param("stick-em", "G11 R5 Y5 G8", 1, id="equal trumps: the first"),
        pytest.param("stick-em", "R0 B0 R1", 2, id="a led 0 sets the colour"),
        pytest.param("stick-em", "R0 B1 R8", 1, id="a led 0 is trumped"),
        pytest.param("stick-em", "E14 E13 V1 R0 B1 Y1", 2, id="six players, grey led"),
        pytest.param("stick-em", "R0 Y0 G0", None, id="only zeros: nobody"),
        pytest.param("stick-em+reverse", "R0 Y0 G0", None, id="reverse: only zeros, nobody"),
    ],
)
def test_winner(name: str, trick: str, place: int | None) -> None:
    taken, leader = game(name).take_trick(0, cards(trick))
    assert taken.winner == place
    assert leader == (place or 0)


@pytest.mark.parametrize("last", [False, True])
def test_a_trick_of_zeros_is_set_aside(last: bool) -> None:
    """Nobody scores its cards and the same seat leads again; as the last trick it just ends."""
    table = game("stick-em", 3)
    hands = ("B0 Y8", "G0 Y7", "R0 Y6") if not last else ("B0", "G0", "R0")
    state = state_in_phase(table, "play", hands=hands, leader=1)
    before = state
    for card in ("G0", "R0", "B0"):
        before, state = state, table.apply(state, (card,))
    assert SetAside(cards("G0 R0 B0")) in table.events(before, ("B0",), state)
    if last:
        assert state.round.number == 1
        assert state.round.past is not None
        assert state.round.past.tricks[-1].winner is None
        own = [-table.rules.worth(cards[0]) for cards in state.round.past.designated]
        assert state.round.past.points == tuple(own)
    else:
        assert [decision.seat for decision in table.pending(state)] == [1]
        apply_option(table, state)
