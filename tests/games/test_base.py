"""What holds for every game: it ends, keeps its cards, asks fairly and refuses what is illegal."""

import re
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards import Card
from arena.errors import IllegalChoice, UnknownSeat
from arena.games.base import OVER, PICK, TOKEN, Game
from arena.games.catalog import VARIANTS, variant
from arena.games.replay import play_steps
from arena.games.shuffle import SeededShuffle
from arena.games.tricks import TrickGame
from arena.games.was_sticht.engine import WasStichtGame
from tests.games.game_states import EVERY_TABLE, SEEDS, TABLES, limit_examples, random_chooser

tables = st.sampled_from(EVERY_TABLE)


def states(name: str, seats: int, seed: int) -> tuple[Game[Any], list[Any]]:
    game = variant(name).game(seats)
    return game, [
        step.after for step in play_steps(game, seed, random_chooser(Random(seed)), seed % seats)
    ]


def cards_on_table(game: Game[Any], state: Any) -> list[Card]:
    """Every card of the round, wherever it is."""
    if isinstance(game, WasStichtGame):
        upcoming = state.round.columns[len(state.picks) :]
        there = [card for column in upcoming for card in column]
        there = [card for card in there if card not in state.trick]
        if state.round.phase != PICK:
            there += state.trick
        there += [card for column in state.picks for card in column.cards[game.seats :]]
        there += [card for hand in game.hands(state) for card in hand]
    else:
        assert isinstance(game, TrickGame)
        there = [*state.round.left_over, *state.trick]
        there += [card for cards in state.round.designated for card in cards]
        there += [card for seat in range(game.seats) for card in game.hand(state, seat)]
    return there + [card for trick in state.tricks for card in trick.cards]


@pytest.mark.parametrize(("name", "seats"), TABLES)
@limit_examples(8)
@given(seed=SEEDS)
def test_a_whole_game(name: str, seats: int, seed: int) -> None:
    """It ends; no card is lost or doubled; nobody is asked without an option, or twice."""
    game, seen = states(name, seats, seed)
    for state in seen[:-1]:
        decisions = game.pending(state)
        assert decisions
        assert state.round.phase == decisions[0].kind
        asked = [decision.seat for decision in decisions]
        assert asked == sorted(set(asked))
        for decision in decisions:
            assert decision.options
            assert len(set(decision.options)) == len(decision.options)
        if state.round.phase != TOKEN:
            assert sorted(cards_on_table(game, state)) == sorted(game.cards)
    last = seen[-1]
    assert game.pending(last) == ()
    assert last.round.phase == OVER
    assert game.rounds_played(last) == len({state.round.number for state in seen[:-1]})
    assert game.sizes.rounds in (None, game.rounds_played(last))
    assert min(game.ranks(last)) == 1


@given(tables, SEEDS, st.data())
def test_invalid_choices_are_refused(
    table: tuple[str, int], seed: int, data: st.DataObject
) -> None:
    game, seen = states(*table, seed)
    state = data.draw(st.sampled_from(seen))
    decisions = game.pending(state)
    before = repr(state)
    right = [decision.options[0] for decision in decisions]
    wrong: Any = data.draw(
        st.one_of(
            st.text(max_size=3),
            st.sampled_from((*game.cards, "R", "no_trick", "B3+R1", "", "r1", None, 7)),
        )
    )
    for at, decision in enumerate(decisions):
        if wrong not in decision.options:
            with pytest.raises(IllegalChoice):
                game.apply(state, [*right[:at], wrong, *right[at + 1 :]])
    for choices in ([*right, "R1"], right[:-1]):
        with pytest.raises(IllegalChoice):
            game.apply(state, choices)
    assert repr(state) == before
    assert game.pending(state) == decisions
    if decisions:
        assert game.apply(state, right) == game.apply(state, tuple(right))


@given(tables, SEEDS, st.data())
def test_every_option_is_legal(table: tuple[str, int], seed: int, data: st.DataObject) -> None:
    """Whatever is offered can be chosen, and the table shows it."""
    game, seen = states(*table, seed)
    state = data.draw(st.sampled_from(seen[:-1]))
    decisions = game.pending(state)
    first = [decision.options[0] for decision in decisions]
    for at, decision in enumerate(decisions):
        for option in decision.options:
            choices = [*first[:at], option, *first[at + 1 :]]
            assert game.apply(state, choices) != state


@given(tables, SEEDS)
def test_scores_and_ranks(table: tuple[str, int], seed: int) -> None:
    """Scores change only when a round is over; equal standings share the better rank."""
    game, seen = states(*table, seed)
    for before, after in pairwise(seen):
        if game.rounds_played(before) == game.rounds_played(after) and table[0] != "was-sticht":
            assert game.scores(before) == game.scores(after)
    standing, ranks = game.ranking_keys(seen[-1]), game.ranks(seen[-1])
    for rank in ranks:
        assert sum(other < rank for other in ranks) == rank - 1
    for own, rank in zip(standing, ranks, strict=True):
        for other, beside in zip(standing, ranks, strict=True):
            assert (own > other) == (rank < beside)


@pytest.mark.parametrize("name", [name for name in VARIANTS if "+" not in name])
def test_the_first_seat_moves_everything(name: str) -> None:
    """Who leads or deals first is `first`, and moves clockwise with every round."""
    for seats in variant(name).seats:
        game = variant(name).game(seats)
        for first in range(seats):
            lead_of_round: dict[int, int] = {}
            for step in play_steps(game, 5, random_chooser(Random(5)), first):
                if step.after.round.phase not in (OVER, TOKEN):
                    lead_of_round.setdefault(step.after.round.number, step.after.leader)
            for number, leader in lead_of_round.items():
                left = 1 if isinstance(game, WasStichtGame) else 0
                assert leader == (first + number + left) % seats


def test_states_are_immutable() -> None:
    for name in ("sticheln", "hat-trick", "was-sticht"):
        _, seen = states(name, 4, 1)
        with pytest.raises(AttributeError):
            seen[0].leader = 1
        with pytest.raises(AttributeError):
            seen[0].round.number = 3


@pytest.mark.parametrize("name", ["sticheln+hazy", "hat-trick", "was-sticht"])
@pytest.mark.parametrize("seat", [-1, 4, 9])
def test_an_unknown_seat(name: str, seat: int) -> None:
    game, seen = states(name, 4, 1)
    with pytest.raises(UnknownSeat, match=f"a table of 4 has no seat {seat}"):
        game.view(seen[3], seat)
    with pytest.raises(UnknownSeat):
        game.start(SeededShuffle(1), first=seat)


def test_a_finished_game_accepts_no_choices() -> None:
    for name in ("sticheln", "sticheln+delayed", "hat-trick", "was-sticht"):
        game, seen = states(name, 4, 1)
        for choices in ([], ["R1"], ["R1", "R2", "R3", "R4"]):
            with pytest.raises(IllegalChoice, match=f"{re.escape(name)}: the game is over"):
                game.apply(seen[-1], choices)


def test_an_error_names_the_seat_and_its_options() -> None:
    game, seen = states("was-sticht", 4, 1)
    with pytest.raises(IllegalChoice, match=r"was-sticht: seat 1 may not answer 'R1' to 'token'; "):
        game.apply(seen[0], ["R1"])
    with pytest.raises(IllegalChoice, match=r"1 choice is due here in a list, not \['R1', 'R2'\]"):
        game.apply(seen[0], ["R1", "R2"])


def test_an_error_lists_only_so_many_options() -> None:
    game, seen = states("sticheln+aggravated", 4, 1)
    right = [decision.options[0] for decision in game.pending(seen[0])]
    with pytest.raises(IllegalChoice, match=r"seat 2 may not answer 'B1' to .* and \d\d more$"):
        game.apply(seen[0], [*right[:2], "B1", right[3]])


class Text(str):
    """A string that is not quite one, such as numpy's."""

    __slots__ = ()


@pytest.mark.parametrize("name", ["sticheln", "sticheln+aggravated", "hat-trick", "was-sticht"])
def test_a_state_keeps_its_own_strings(name: str) -> None:
    """Whatever sort of string a choice is, views stay plain."""
    game, seen = states(name, 4, 1)
    for state in seen[:-1]:
        plain = [decision.options[-1] for decision in game.pending(state)]
        after = game.apply(state, [Text(choice) for choice in plain])
        assert after == game.apply(state, plain)
        msgspec.json.encode(game.view(after, 0))


@pytest.mark.parametrize("choices", [None, 7, "R1", {"R1"}, [None], [["R1"]], [b"R1"], []])
@pytest.mark.parametrize("name", ["sticheln", "sticheln+delayed", "hat-trick", "was-sticht"])
def test_nonsense_is_refused(name: str, choices: Any) -> None:
    game, seen = states(name, 4, 1)
    for state in seen[::7]:
        options = [option for decision in game.pending(state) for option in decision.options]
        if isinstance(choices, set) and len(game.pending(state)) == 1 and "R1" in options:
            continue
        with pytest.raises(IllegalChoice):
            game.apply(state, choices)
