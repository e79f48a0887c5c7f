"""A game written down as seed and choices comes back as it was."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import BadReplay, UnknownVariant
from arena.games.catalog import variant
from arena.games.replay import Played, play, replay, steps
from tests.games.situations import EVERY_TABLE, at_random

PLAYED = play(variant("sticheln+hazy").game(4), 17, at_random(Random(17)), first=2)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(EVERY_TABLE), st.integers(0, 2**64 - 1), st.integers(0, 2))
def test_the_same_states_again(table: tuple[str, int], seed: int, first: int) -> None:
    game = variant(table[0]).game(table[1])
    once = list(steps(game, seed, at_random(Random(seed)), first))
    played = play(game, seed, at_random(Random(seed)), first)
    text = msgspec.json.encode(played)
    again = list(replay(msgspec.json.decode(text, type=Played)))
    assert [step.after for step in again] == [step.after for step in once]
    assert [list(step.events()) for step in again] == [list(step.events()) for step in once]


def test_a_game_is_small() -> None:
    text = msgspec.json.encode(PLAYED)
    assert text.startswith(b'{"variant":"sticheln+hazy","seats":4,"seed":17,"choices":["')
    assert len(text) < 2000


def test_cut_off() -> None:
    with pytest.raises(BadReplay, match=r"end after 99, before seat \d is done; is it cut off\?"):
        list(replay(replace(PLAYED, choices=PLAYED.choices[:99])))


def test_too_long() -> None:
    with pytest.raises(BadReplay, match="the game is over, and 2 more choices are written down"):
        list(replay(replace(PLAYED, choices=(*PLAYED.choices, "R1", "R2"))))


def test_another_seed() -> None:
    with pytest.raises(BadReplay, match="these choices were not made with seed 18: sticheln"):
        list(replay(replace(PLAYED, seed=18)))


def test_no_such_variant() -> None:
    with pytest.raises(UnknownVariant):
        list(replay(replace(PLAYED, variant="poker")))
    with pytest.raises(UnknownVariant):
        list(replay(replace(PLAYED, seats=9)))
