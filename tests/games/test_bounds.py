"""No game that the rules allow ends outside the bounds, and what nobody can reach is outside."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from arena.games.base import Decision, Game
from arena.games.catalog import VARIANTS, variant
from arena.games.replay import play_steps
from tests.games.game_states import SEEDS, TABLES, limit_examples, random_chooser

GOLDEN = [
    json.loads(line) for line in (Path(__file__).parent / "golden.jsonl").read_text().splitlines()
]

Choose = Callable[[object, Sequence[Decision]], list[str]]


def seat_0_last(_state: object, decisions: Sequence[Decision]) -> list[str]:
    """Seat 0 answers the last option and all others the first, which makes games lopsided."""
    return [decision.options[-1 if decision.seat == 0 else 0] for decision in decisions]


def seat_0_first(_state: object, decisions: Sequence[Decision]) -> list[str]:
    """The other way round."""
    return [decision.options[0 if decision.seat == 0 else -1] for decision in decisions]


def play_game(game: Game[Any], seed: int, choose: Choose) -> tuple[Any, list[int]]:
    """The last state of a game, and how many decisions each seat has made."""
    decisions, state = [0] * game.seats, None
    for step in play_steps(game, seed, choose, seed % game.seats):
        state = step.after
        if step.before is not None:
            for decision in game.pending(step.before):
                decisions[decision.seat] += 1
    return state, decisions


@pytest.mark.parametrize(("name", "seats"), TABLES)
@limit_examples(8)
@given(seed=SEEDS)
def test_games_end_within_bounds(name: str, seats: int, seed: int) -> None:
    game = variant(name).game(seats)
    for choose in (random_chooser(Random(seed)), seat_0_last, seat_0_first):
        state, decisions = play_game(game, seed, choose)
        scores = game.scores(state)
        assert game.bounds().find_violation(scores, decisions) is None
        if game.scores_decide_ranks:
            assert game.ranks(state) == tuple(
                1 + sum(other > own for other in scores) for own in scores
            )


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_games_are_within_bounds(name: str) -> None:
    games = [golden for golden in GOLDEN if golden["game"] == name]
    assert games
    for golden in games:
        bounds = variant(name).game(golden["players"]).bounds()
        least = [bounds.decisions[0]] * golden["players"]
        assert bounds.find_violation(golden["scores"], least) is None, golden


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_bounds_are_not_empty_promises(name: str, seats: int) -> None:
    """Bounds are about as wide as the deck makes them, and one step beyond is refused."""
    game = variant(name).game(seats)
    bounds = game.bounds()
    within = [bounds.decisions[1]] * seats
    low, high = bounds.score
    assert low <= 0 < high
    assert seats * low <= bounds.total[0] <= bounds.total[1] <= seats * high
    fair = [0] * seats
    assert bounds.find_violation(fair, within) is None
    assert "score of" in str(bounds.find_violation([high + 1, *fair[1:]], within))
    assert "score of" in str(bounds.find_violation([low - 1, *fair[1:]], within))
    assert "number of decisions" in str(
        bounds.find_violation(fair, [bounds.decisions[1] + 1, *within[1:]])
    )
    if bounds.total[1] < seats * high:
        share, more = divmod(bounds.total[1] + 1, seats)
        scores = [share + (seat < more) for seat in range(seats)]
        assert "sum of scores" in str(bounds.find_violation(scores, within))


@pytest.mark.parametrize(
    ("name", "seats", "score", "total"),
    [
        # 36 cards of other colours and the 0; the nine of the colour, with one more in the tricks.
        ("sticheln", 3, (5 * -35, 5 * 36), (5 * (-108 + 18), 5 * 42)),
        ("sticheln+reverse", 3, (5 * -36, 5 * 35), (5 * -42, 5 * (108 - 18))),
        # Stick 'Em has as many rounds as seats, and one trick of three zeros may be nobody's.
        ("stick-em", 3, (3 * -35, 3 * 36), (3 * (-108 + 16), 3 * 42)),
        # All nine cost 5, and with eleven cards won at least two others bring 1.
        ("sticheln+mild", 3, (5 * -44, 5 * 31), (5 * (-27 * 5 + 18), 5 * (42 - 15))),
        # 14 passes, or a whole colour.
        ("hat-trick", 4, (5 * -28, 5 * 20), (5 * (-56 - 9), 5 * 56)),
        ("was-sticht", 4, (0, 5), (0, 20)),
    ],
)
def test_bounds_worked_out_by_hand(
    name: str, seats: int, score: tuple[int, int], total: tuple[int, int]
) -> None:
    bounds = variant(name).game(seats).bounds()
    assert (bounds.score, bounds.total) == (score, total)
