"""The mean over cells."""

import numpy as np
import pytest

from arena.ratings.overall import Roster, average, figure, rate_cells
from arena.ratings.propagation import rate
from arena.ratings.results import Cell
from tests.ratings.blocks import results

SMALL, LARGE = Cell("sticheln", 3), Cell("sticheln", 4)
ROSTER = Roster("friday", ("ann", "bob", "cleo", "dan", "eve"))
THREE = results(SMALL, ([0, 1, 2], [9, 5, 1]), ([0, 1, 3], [9, 5, 1]), ([1, 2, 3], [5, 9, 1]))
FOUR = results(LARGE, ([3, 2, 1, 0], [9, 5, 1, 0]))


def test_every_cell_counts_the_same() -> None:
    mean = average(rate_cells(ROSTER, {SMALL: THREE, LARGE: FOUR}), 5)
    small, large = rate(THREE, 5), rate(FOUR, 5)
    assert mean.complete.tolist() == [True] * 4 + [False]
    np.testing.assert_allclose(mean.mu[:4], ((small.mu + large.mu) / 2)[:4], atol=5e-5)
    np.testing.assert_allclose(mean.sigma, np.hypot(small.sigma, large.sigma) / 2)
    np.testing.assert_allclose(mean.covariance, (small.covariance + large.covariance) / 4)


def test_a_cell_without_blocks_does_not_count() -> None:
    rated = rate_cells(ROSTER, {LARGE: FOUR, SMALL: results(SMALL)})
    assert [one.cell for one in rated] == [LARGE]


def test_the_order_is_by_mu_and_then_by_number() -> None:
    tied = results(SMALL, ([2, 1, 0], [5, 5, 5]), ([1, 0, 4], [5, 5, 1]))
    mean = average(rate_cells(ROSTER, {SMALL: tied}), 5)
    assert mean.order[-1] == 4
    assert sorted(mean.order) == [0, 1, 2, 4]
    assert mean.order.index(0) < mean.order.index(1)


def test_anchors_are_at_25() -> None:
    roster = Roster("friday", ROSTER.bots, anchors=("dan", "nobody"))
    (one,) = rate_cells(roster, {LARGE: FOUR})
    assert one.rating.mu[3] == pytest.approx(25)
    assert one.rating.mu[0] < 25


def test_nothing_at_all() -> None:
    mean = average([], 5)
    assert not mean.complete.any()
    assert mean.order == []


def test_there_is_no_negative_zero() -> None:
    assert str(figure(-1e-9)) == "0.0"
    assert figure(1.23456) == 1.2346
