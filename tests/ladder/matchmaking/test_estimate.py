"""What one block says is what TrueSkill says, by plain arithmetic."""

import math
from itertools import pairwise

import numpy as np
import pytest

from arena.ladder.matchmaking.estimate import (
    LOSS_TABLE,
    MEAN_SHIFT_TABLE,
    TABLE_DIGITS,
    TABLE_RANGE,
    TABLE_STEPS,
    block_messages,
    expected_precision,
    normal_loss,
    truncated_moments,
)
from arena.ratings import trueskill_numba
from arena.ratings.trueskill import BETA


@pytest.mark.parametrize("seats", range(3, 9))
def test_a_block_says_what_trueskill_says(seats: int) -> None:
    chance = np.random.default_rng(seats)
    for _ in range(20):
        mean, variance = chance.normal(0, 6, seats), chance.uniform(0.1, 60, seats)
        ranks = (np.argsort(chance.random(seats)) + 1).tolist()
        prior = np.stack([1 / variance, mean / variance], axis=1)
        ours = prior + block_messages(
            list(zip(mean.tolist(), variance.tolist(), strict=True)), ranks
        )
        theirs = prior + trueskill_numba.block_messages(prior, ranks, 1e-9, BETA)
        assert ours[:, 0] == pytest.approx(theirs[:, 0], rel=0.01)
        moved = np.abs(ours[:, 1] / ours[:, 0] - theirs[:, 1] / theirs[:, 0])
        assert (moved < 0.03 * np.sqrt(variance)).all()


def test_tied_bots_move_together() -> None:
    (_, high), (_, low), _ = block_messages([(4.0, 9.0), (0.0, 9.0), (2.0, 9.0)], [1, 1, 3])
    assert low > high
    same = block_messages([(0.0, 9.0)] * 3, [1, 1, 1])
    assert [tau for _, tau in same] == pytest.approx([0.0] * 3, abs=1e-9)
    assert all(pi > 0 for pi, _ in same)


def test_very_unlikely_results_give_finite_messages() -> None:
    for pi, tau in block_messages([(-90.0, 4.0), (0.0, 4.0), (90.0, 4.0)], [1, 2, 3]):
        assert math.isfinite(pi)
        assert math.isfinite(tau)
        assert pi >= 0


def test_certain_results_carry_no_information() -> None:
    for pi, tau in block_messages([(300.0, 1.0), (0.0, 1.0), (-300.0, 1.0)], [1, 2, 3]):
        assert pi == pytest.approx(0, abs=1e-9)
        assert tau == pytest.approx(0, abs=1e-6)


def test_tables_are_as_good_as_formulas() -> None:
    for x in np.linspace(-12, 9, 1000).tolist():
        mean, variance = trueskill_numba.win_moments(x)
        assert truncated_moments(x)[0] == pytest.approx(mean, abs=1e-6)
        assert truncated_moments(x)[1] == pytest.approx(variance, abs=1e-5)
    for z in np.linspace(0, 9, 500).tolist():
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        assert normal_loss(z) == pytest.approx(
            density - z * math.erfc(z / math.sqrt(2)) / 2, abs=3e-4
        )


def test_tables_hold_no_digit_on_which_machines_could_differ() -> None:
    assert len(MEAN_SHIFT_TABLE) >= 2 * TABLE_RANGE * TABLE_STEPS
    for value in (*MEAN_SHIFT_TABLE, *LOSS_TABLE):
        assert value == round(value, TABLE_DIGITS)
    assert all(high >= low for high, low in pairwise(MEAN_SHIFT_TABLE))


@pytest.mark.parametrize("seats", range(3, 9))
@pytest.mark.parametrize("sigma", [0.3, 2.0, 8.0])
def test_expected_precision_matches_the_mean_precision(seats: int, sigma: float) -> None:
    said = [pi for pi, _ in block_messages([(0.0, sigma**2)] * seats, range(1, seats + 1))]
    assert expected_precision(seats, 1, sigma**2) == pytest.approx(np.mean(said), rel=0.1)
    assert expected_precision(seats, 3, sigma**2) == pytest.approx(
        3 * expected_precision(seats, 1, sigma**2)
    )
