"""A game written down as seed and choices comes back as it was."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import replace

from arena.errors import BadReplay, UnknownSeat, UnknownVariant
from arena.games.catalog import variant
from arena.games.replay import GameRecord, play_game, play_steps, replay_game
from tests.games.game_states import SEEDS, TABLES, limit_examples, random_chooser

RECORD = play_game(variant("sticheln+hazy").game(4), 17, random_chooser(Random(17)), first=2)


@pytest.mark.parametrize(("name", "seats"), TABLES)
@limit_examples(8)
@given(seed=SEEDS)
def test_a_replay_has_the_same_states(name: str, seats: int, seed: int) -> None:
    game, first = variant(name).game(seats), seed % seats
    once = list(play_steps(game, seed, random_chooser(Random(seed)), first))
    record = play_game(game, seed, random_chooser(Random(seed)), first)
    text = msgspec.json.encode(record)
    again = list(replay_game(msgspec.json.decode(text, type=GameRecord)))
    assert [step.after for step in again] == [step.after for step in once]
    assert [list(step.events()) for step in again] == [list(step.events()) for step in once]


def test_a_game_is_small() -> None:
    text = msgspec.json.encode(RECORD)
    assert text.startswith(b'{"variant":"sticheln+hazy","seats":4,"seed":17,"choices":["')
    assert len(text) < 2000


def test_cut_off() -> None:
    with pytest.raises(BadReplay, match=r"end after 99, before seat \d is done; is it cut off\?"):
        list(replay_game(replace(RECORD, choices=RECORD.choices[:99])))


def test_too_long() -> None:
    with pytest.raises(BadReplay, match="the game is over, and 2 more choices are recorded"):
        list(replay_game(replace(RECORD, choices=(*RECORD.choices, "R1", "R2"))))


def test_another_seed() -> None:
    with pytest.raises(BadReplay, match="these choices were not made with seed 18: sticheln"):
        list(replay_game(replace(RECORD, seed=18)))


def test_no_such_variant() -> None:
    with pytest.raises(UnknownVariant):
        list(replay_game(replace(RECORD, variant="poker")))
    with pytest.raises(UnknownVariant):
        list(replay_game(replace(RECORD, seats=9)))
    with pytest.raises(UnknownSeat):
        list(replay_game(replace(RECORD, first=4)))
