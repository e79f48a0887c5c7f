"""What one block says is what TrueSkill says, by plain arithmetic."""

import math
from itertools import pairwise

import numpy as np
import pytest

from arena.ladder.inference import ABOVE, DIGITS, FAR, LOSS, STEPS, expected, loss, told, won
from arena.ratings import compiled
from arena.ratings.propagation import BETA


@pytest.mark.parametrize("seats", range(3, 9))
def test_a_block_says_what_trueskill_says(seats: int) -> None:
    chance = np.random.default_rng(seats)
    for _ in range(20):
        mean, variance = chance.normal(0, 6, seats), chance.uniform(0.1, 60, seats)
        ranks = (np.argsort(chance.random(seats)) + 1).tolist()
        prior = np.stack([1 / variance, mean / variance], axis=1)
        ours = prior + told(list(zip(mean.tolist(), variance.tolist(), strict=True)), ranks)
        theirs = prior + compiled.block(prior, ranks, 1e-9, BETA)
        assert ours[:, 0] == pytest.approx(theirs[:, 0], rel=0.01)
        moved = np.abs(ours[:, 1] / ours[:, 0] - theirs[:, 1] / theirs[:, 0])
        assert (moved < 0.03 * np.sqrt(variance)).all()


def test_those_who_tie_move_together() -> None:
    (_, high), (_, low), _ = told([(4.0, 9.0), (0.0, 9.0), (2.0, 9.0)], [1, 1, 3])
    assert low > high
    same = told([(0.0, 9.0)] * 3, [1, 1, 1])
    assert [tau for _, tau in same] == pytest.approx([0.0] * 3, abs=1e-9)
    assert all(pi > 0 for pi, _ in same)


def test_what_was_next_to_impossible_is_taken_in() -> None:
    for pi, tau in told([(-90.0, 4.0), (0.0, 4.0), (90.0, 4.0)], [1, 2, 3]):
        assert math.isfinite(pi)
        assert math.isfinite(tau)
        assert pi >= 0


def test_what_was_certain_says_nothing() -> None:
    for pi, tau in told([(300.0, 1.0), (0.0, 1.0), (-300.0, 1.0)], [1, 2, 3]):
        assert pi == pytest.approx(0, abs=1e-9)
        assert tau == pytest.approx(0, abs=1e-6)


def test_tables_are_as_good_as_formulas() -> None:
    for x in np.linspace(-12, 9, 1000).tolist():
        mean, variance = compiled.won(x)
        assert won(x)[0] == pytest.approx(mean, abs=1e-6)
        assert won(x)[1] == pytest.approx(variance, abs=1e-5)
    for z in np.linspace(0, 9, 500).tolist():
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        assert loss(z) == pytest.approx(density - z * math.erfc(z / math.sqrt(2)) / 2, abs=3e-4)


def test_tables_hold_no_digit_on_which_machines_could_differ() -> None:
    assert len(ABOVE) >= 2 * FAR * STEPS
    for value in (*ABOVE, *LOSS):
        assert value == round(value, DIGITS)
    assert all(high >= low for high, low in pairwise(ABOVE))


@pytest.mark.parametrize("seats", range(3, 9))
@pytest.mark.parametrize("sigma", [0.3, 2.0, 8.0])
def test_what_is_expected_of_a_block_is_about_what_it_says(seats: int, sigma: float) -> None:
    said = [pi for pi, _ in told([(0.0, sigma**2)] * seats, range(1, seats + 1))]
    assert expected(seats, 1, sigma**2) == pytest.approx(np.mean(said), rel=0.1)
    assert expected(seats, 3, sigma**2) == pytest.approx(3 * expected(seats, 1, sigma**2))
