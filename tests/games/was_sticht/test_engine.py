"""How a round of Was sticht goes."""

import dataclasses
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.games.base import DISCARD, OVER, PICK, PLAY, TASK, TOKEN
from arena.games.catalog import variant
from arena.games.replay import play_steps
from arena.games.shuffle import SeededShuffle
from arena.games.was_sticht.engine import WasStichtGame
from arena.games.was_sticht.state import DraftState
from arena.games.was_sticht.tasks import TASKS
from tests.games.game_states import apply_option, random_chooser


def game(seats: int) -> WasStichtGame:
    made = variant("was-sticht").game(seats)
    assert isinstance(made, WasStichtGame)
    return made


def reach(table: WasStichtGame, phase: str, seed: int = 1) -> DraftState:
    """The first state of this phase in a game of first options."""
    state = table.start(SeededShuffle(seed))
    while state.round.phase != phase:
        state = apply_option(table, state)
    return state


@pytest.mark.parametrize("seats", [3, 4])
def test_tokens_are_taken_in_turn(seats: int) -> None:
    table = game(seats)
    state, asked = table.start(SeededShuffle(1), first=1), []
    while state.round.phase == TOKEN:
        (decision,) = table.pending(state)
        assert set(decision.options) == set(state.round.supply)
        asked.append(decision.seat)
        state = table.apply(state, (decision.options[-1],))
    assert asked == [(1 + turn) % seats for turn in range(5 * seats)]
    assert all(len(held) == 5 for held in state.round.tokens)
    assert state.round.supply == ()


def test_a_second_token_of_a_kind_may_be_taken_but_not_a_third() -> None:
    table = game(3)
    state = table.start(SeededShuffle(1))
    for _ in range(2):
        state = table.apply(state, ("no_trick",))
    assert "no_trick" not in table.pending(state)[0].options
    assert state.round.tokens[0] == state.round.tokens[1] == ("no_trick",)
    assert len(state.round.supply) == 2 * len(TASKS) - 2


@pytest.mark.parametrize("seats", [3, 4])
def test_the_right_to_pick_first_moves_on(seats: int) -> None:
    table = game(seats)
    state, leaders, asked = reach(table, PICK), [], []
    dealer = state.round.dealer
    while state.round.phase == PICK:
        (decision,) = table.pending(state)
        if not state.trick:
            leaders.append(state.leader)
        asked.append((decision.seat, len(decision.options)))
        state = apply_option(table, state)
    assert leaders == [(dealer + 1 + column) % seats for column in range(9)]
    turns = [((leader + k) % seats, 4 - k) for leader in leaders for k in range(seats)]
    assert asked == turns
    assert all(len(hand) == 9 for hand in state.hands)
    assert all(len(column.cards) == 4 for column in state.picks)


@pytest.mark.parametrize("seats", [3, 4])
def test_hints_are_true(seats: int) -> None:
    table = game(seats)
    ghosts = 0
    for seed in range(40):
        state = reach(table, TASK, seed)
        for column in state.picks:
            strength = table.rankings[state.round.trumps].strength[column.cards[0]]
            place = max(range(4), key=lambda at: strength[column.cards[at]])
            owner = (column.leader + place) % seats if place < seats else seats
            assert column.hint == owner
            ghosts += owner == 3
    assert ghosts


@pytest.mark.parametrize("seats", [3, 4])
def test_all_but_the_dealer_choose_a_task_at_once(seats: int) -> None:
    table = game(seats)
    state = reach(table, TASK)
    dealer = state.round.dealer
    decisions = table.pending(state)
    assert [decision.seat for decision in decisions] == [s for s in range(seats) if s != dealer]
    for decision in decisions:
        assert set(decision.options) == set(state.round.tokens[decision.seat])
    after = apply_option(table, state)
    assert after.round.phase == PLAY
    assert after.round.tasks[dealer] is None
    assert table.pending(after)[0].seat == (dealer + 1) % seats


def outcome(
    tokens: list[str], tasks: list[str | None], seed: int
) -> tuple[WasStichtGame, Any, Any]:
    """A round played out by first options with these tokens and tasks; before and after it."""
    table = game(4)
    state = reach(table, PLAY, seed)
    held = tuple(tuple(sorted(line.split())) for line in tokens)
    state = replace(state, round=replace(state.round, tokens=held, tasks=tuple(tasks)))
    after = state
    while after.round.phase == PLAY and after.round.number == state.round.number:
        before, after = after, apply_option(table, after)
    return table, before, after


def test_the_dealer_still_discards_when_a_player_has_finished() -> None:
    """All discards of the last round count, the dealer's too."""
    seen = set()
    for seed in range(60):
        tasks = [None, "no_trick", "exactly_1", "last_trick"]
        table, _, after = outcome(["exactly_2", "no_trick", "exactly_1", "last_trick"], tasks, seed)
        finished = [seat for seat in (1, 2, 3) if not after.round.tokens[seat]]
        if after.round.phase == DISCARD:
            (decision,) = table.pending(after)
            assert decision.seat == 0
            assert decision.options == ("exactly_2",)
            last = table.apply(after, ("exactly_2",))
            assert last.round.phase == OVER
            assert last.round.discarded[0] == ("exactly_2",)
            assert last.round.past is not None
            assert last.round.past.discards[0] == "exactly_2"
            seen.add(("dealer", bool(finished)))
        elif finished:
            assert after.round.phase == OVER
            seen.add(("owners", True))
        else:
            assert after.round.phase == PICK
            assert after.round.number == 1
            assert after.round.dealer == 1
            seen.add(("nobody", False))
    assert {("dealer", True), ("dealer", False), ("owners", True)} <= seen


def test_a_failed_token_stays() -> None:
    for seed in range(10):
        tasks = [None, "exactly_4", "exactly_4", "exactly_4"]
        held = ["no_red no_blue", *["exactly_4 no_blue"] * 3]
        table, before, after = outcome(held, tasks, seed)
        won = [trick.winner for trick in before.tricks]
        assert len(won) == 8
        tricks = after.tricks or after.round.past.tricks
        tally = table.tally_tricks(tricks)
        for seat in (1, 2, 3):
            done = tally.tricks[seat] == 4
            assert ("exactly_4" in after.round.tokens[seat]) is not done
            assert after.round.discarded[seat] == (("exactly_4",) if done else ())


def test_a_hundred_rounds_are_enough() -> None:
    """With nothing ever fulfilled the game ends by itself, and the places are shared."""
    never = dataclasses.replace(game(3).rules, fulfilled=lambda *_: False)
    table = WasStichtGame("was-sticht", 3, never)
    *_, last = play_steps(table, 1, random_chooser(Random(1)))
    assert table.rounds_played(last.after) == 100
    assert table.ranks(last.after) == (1, 1, 1)
