"""A bot is asked what a seat was asked, and the game goes on as recorded."""

import pytest
from msgspec.structs import replace

from arena.games.replay import replay_game as steps
from arena.referee.record import Record
from arena.referee.recorded_questions import ReaskedGame, RecordedGame, reask_seat
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.records import random_record
from tests.referee.game_helpers import CONFIG, choices_of_seat, misbehaving_bot


def reask_bot(record: Record, seat: int, name: str) -> ReaskedGame:
    with check_no_leftovers():
        return reask_seat(record, seat, misbehaving_bot(name), CONFIG)


@pytest.mark.parametrize(
    ("name", "seats"),
    [("sticheln+aggravated+hazy", 4), ("stick-em+delayed", 3), ("hat-trick", 5), ("was-sticht", 3)],
)
def test_a_recorded_game_asks_the_same_questions(name: str, seats: int) -> None:
    record = random_record(name, seats)
    game = RecordedGame(record)
    state = 0
    for step in list(steps(record))[1:]:
        real = step.game
        assert game.pending(state) == real.pending(step.before)
        assert [game.view(state, s) for s in range(seats)] == [
            real.view(step.before, s) for s in range(seats)
        ]
        after = game.apply(state, ["whatever"])
        assert list(game.events(state, (), after)) == list(step.events())
        state = after
    assert game.pending(state) == ()
    assert game.scores(state) == record.scores
    assert game.ranks(state) == record.ranks


@pytest.mark.parametrize(("name", "seats"), [("sticheln", 3), ("was-sticht", 4)])
def test_choices_of_an_innocent_bot(name: str, seats: int) -> None:
    """It takes its last option in every question of the record, whatever it took before."""
    record = random_record(name, seats)
    found = reask_bot(record, 1, "innocent")
    assert [answer.place for answer in found.answers] == choices_of_seat(record, 1)
    assert not found.faults
    last = {}
    place = 0
    for step in list(steps(record))[1:]:
        for decision in step.game.pending(step.before):
            last[place] = decision.options[-1]
            place += 1
    for answer in found.answers:
        assert answer.recorded == record.choices[answer.place]
        assert answer.choice == last[answer.place]
    assert found.agrees == sum(
        record.choices[place] == last[place] for place in choices_of_seat(record, 1)
    )
    rounds = [answer.round for answer in found.answers if answer.round is not None]
    assert rounds == sorted(rounds)
    assert {a.trick for a in found.answers if a.kind != "play"} == {None}


def test_one_bad_answer() -> None:
    record = random_record("sticheln", 3)
    found = reask_bot(record, 0, "illegal")
    assert [fault.fault for fault in found.faults] == ["illegal"]
    (bad,) = [answer for answer in found.answers if answer.choice is None]
    assert bad == found.answers[2]
    assert bad.fault == found.faults[0].text


def test_a_bot_that_ends() -> None:
    record = random_record("sticheln", 3)
    found = reask_bot(record, 2, "exits")
    assert [fault.fault for fault in found.faults] == ["exited"]
    assert [answer.choice is None for answer in found.answers[:2]] == [False, False]
    assert all(answer.choice is None for answer in found.answers[2:])
    assert found.answers[2].fault
    assert not any(answer.fault for answer in found.answers[3:])


def test_a_game_that_was_stopped() -> None:
    record = random_record("sticheln", 3)
    short = replace(record, choices=record.choices[:30], stopped=True)
    found = reask_bot(short, 0, "innocent")
    assert [answer.place for answer in found.answers] == [
        p for p in choices_of_seat(record, 0) if p < 30
    ]
    assert not found.faults
