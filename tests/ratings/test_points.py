"""The points model finds what made the points, and says how sure it is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.cell import Cell
from arena.ratings.points import fit_points, information_matrix, t_quantile
from arena.ratings.results import Floats, Ints, Results


def ladder(
    blocks: int,
    strength: Floats,
    seats: int,
    seed: int,
    *,
    deviation: float = 10.0,
    games: int = 4,
) -> Results:
    """Blocks of random tables in which each bot makes the points of its strength and some luck."""
    chance = np.random.default_rng(seed)
    bots = len(strength)
    bot_indices = np.sort(
        chance.permuted(np.tile(np.arange(bots), (blocks, 1)), axis=1)[:, :seats], axis=1
    )
    luck = chance.normal(0.0, deviation, bot_indices.shape)
    return make_results(bot_indices, games * (strength[bot_indices] + luck), games)


def make_results(bot_indices: Ints, points: Floats, games: int = 1) -> Results:
    """Blocks with these points, and with nothing else in them."""
    nothing = np.zeros(bot_indices.shape)
    none = np.zeros(bot_indices.shape, np.int64)
    many = np.full(len(bot_indices), games, np.int64)
    cell = Cell("sticheln", bot_indices.shape[1])
    return Results(cell, bot_indices, many, points, nothing, nothing, none, none, none)


def tables(*rows: tuple[int, ...]) -> Ints:
    return np.array(rows, np.int64)


def test_one_table() -> None:
    """With a single table the estimate is the mean, and its error the mean's."""
    rows = np.array([[4.0, 0, 0, -4], [8, 0, 0, -8], [0, 4, -4, 0]])
    found = fit_points(make_results(tables(*[(0, 1, 2, 3)] * 3), 2 * rows + 100, games=2), 4)
    assert found.estimate == pytest.approx(rows.mean(axis=0))
    assert found.error == pytest.approx(rows.std(axis=0, ddof=1) / np.sqrt(3))
    assert found.covariance == pytest.approx(np.cov(rows.T) / 3)


def test_opponents_are_allowed_for() -> None:
    """A bot that meets only strong ones is not thought weak; raw means would say so."""
    strength = np.array([9.0, 7.0, 5.0, 0.0, -1.0, -20.0])
    bot_indices = tables((0, 1, 2), (1, 2, 3), (3, 4, 5), (2, 3, 4), (0, 1, 3))
    found = fit_points(make_results(bot_indices, strength[bot_indices]), 6)
    assert found.estimate == pytest.approx(strength - strength.mean())
    assert found.covariance == pytest.approx(np.zeros((6, 6)), abs=1e-18)


def test_separate_groups_and_unplayed_bots() -> None:
    """Two groups apart and a bot that has not played: each group by itself, nothing else."""
    bot_indices = tables((0, 1, 2), (0, 1, 2), (3, 4, 5), (3, 4, 5))
    found = fit_points(
        make_results(bot_indices, np.array([[3.0, 0, 0], [0, 3, 0], [90, 0, 0], [90, 3, 0]])), 7
    )
    assert found.estimate[:3].sum() == pytest.approx(0)
    assert found.estimate[3:6].sum() == pytest.approx(0)
    assert list(found.has_played) == [True] * 6 + [False]
    assert found.estimate[6] == found.error[6] == 0


@pytest.mark.parametrize("blocks", [0, 1])
def test_too_little_to_tell_an_error(blocks: int) -> None:
    found = fit_points(ladder(blocks, np.arange(6.0), 4, seed=1), 6)
    assert found.has_played.sum() == 4 * blocks
    assert not found.has_error.any()
    assert not found.covariance.any()
    assert np.isfinite(found.estimate).all()


def test_a_single_block_of_a_bot_tells_no_error() -> None:
    bot_indices = tables(*[(0, 1, 2)] * 9, (1, 2, 3))
    found = fit_points(
        make_results(bot_indices, np.random.default_rng(5).normal(0, 1, bot_indices.shape)), 4
    )
    assert list(found.has_error) == [True, True, True, False]
    assert (found.error[:3] > 0).all()
    assert found.error[3] == 0


@given(st.integers(0, 12), st.integers(3, 8), st.integers(0, 4), st.integers(0, 2**32))
def test_always_numbers(blocks: int, seats: int, more: int, seed: int) -> None:
    """Whatever is thrown at it: finite, a covariance, and no matter which way blocks are sorted."""
    bots = seats + more
    results = ladder(blocks, np.zeros(bots), seats, seed)
    found = fit_points(results, bots)
    assert np.isfinite(found.estimate).all()
    assert np.linalg.eigvalsh(found.covariance).min() > -1e-6
    order = np.random.default_rng(seed).permutation(blocks)
    again = fit_points(
        replace(results, bot_indices=results.bot_indices[order], points=results.points[order]), bots
    )
    assert again.estimate == pytest.approx(found.estimate, abs=1e-7)
    assert again.error == pytest.approx(found.error, abs=1e-6)


def test_information_is_the_sum_over_tables() -> None:
    bot_indices = tables((0, 2, 3), (1, 2, 4), (0, 2, 3), (0, 0, 1))
    expected = np.zeros((5, 5))
    for table in bot_indices:
        spread = np.eye(5)[table]
        expected += spread.T @ (np.eye(3) - 1 / 3) @ spread
    assert information_matrix(bot_indices, 5) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("clusters", "expected"), [(2, 12.706), (3, 4.303), (12, 2.201), (31, 2.042), (10**6, 1.96)]
)
def test_student_quantiles(clusters: int, expected: float) -> None:
    """Quantiles as they stand in every table of Student's distribution."""
    assert t_quantile(clusters) == pytest.approx(expected, abs=1e-3)
    assert t_quantile(1) == t_quantile(0) == 0


def test_coverage() -> None:
    """Nominal 95 % intervals of differences, with scores of a block that are anything but alike."""
    chance = np.random.default_rng(20)
    truth = np.array([4.0, 2, 1, 0, -3, -4])
    inside = []
    for seed in range(300):
        results = ladder(90, truth, 4, seed)
        luck = results.points - 4 * truth[results.bot_indices]
        uneven = 4 * truth[results.bot_indices] + luck * chance.choice([0.2, 2.0], (90, 1))
        found = fit_points(replace(results, points=uneven), 6)
        gaps = np.subtract.outer(found.estimate, found.estimate) - np.subtract.outer(truth, truth)
        own = np.diag(found.covariance)
        error = np.sqrt(np.add.outer(own, own) - 2 * found.covariance + np.eye(6))
        inside.append((np.abs(gaps) < 1.96 * error)[np.triu_indices(6, 1)].mean())
    assert 0.925 < np.mean(inside) < 0.965
