"""How errors of ratings hang together, and the sigmas made from that."""

import numpy as np
import pytest

from arena.ratings.covariance import AT_ONCE, joint, spread
from tests.ratings.synthetic import random_tables


def test_independent_errors_are_kept() -> None:
    assert spread(np.diag([1.0, 4.0, 9.0])) == pytest.approx([1, 2, 3])
    assert spread(np.diag([1.0, 4.0, 9.0, 16.0])) == pytest.approx([1, 2, 3, 4])


def test_an_error_that_all_share_is_none() -> None:
    assert spread(np.diag([1.0, 4.0, 9.0]) + 50) == pytest.approx([1, 2, 3])


def test_few_bots() -> None:
    assert spread(np.array([[4.0]])) == pytest.approx([2])
    assert spread(np.array([[2.0, 1.0], [1.0, 2.0]])) == pytest.approx([1, 1])
    assert spread(np.zeros((0, 0))).shape == (0,)


def test_who_has_hardly_played_does_not_spoil_it() -> None:
    found = spread(np.diag([1.0, 1.0, 1.0, 1.0, 900.0]) + 11)
    assert found[:4] == pytest.approx([1] * 4, rel=0.01)
    assert found[4] == pytest.approx(30, rel=0.01)


def test_who_met_everybody_alone() -> None:
    """All others are compared through one bot, whose error cannot be told from theirs."""
    hub = np.diag([0.0, 1.0, 1.0, 1.0, 1.0])
    found = spread(hub + 3)
    assert found[1:] == pytest.approx([1] * 4, rel=0.01)
    assert 0 < found[0] < 0.2


def test_two_that_are_compared() -> None:
    """A difference of performances with precision p has variance 1/p, and each has noise more."""
    differences = np.array([[[4.0, 8.0]]])
    precision, means = joint(np.array([[1, 0]]), differences, 3, beta=2.0)
    expected = 1 / (1 / 4 + 2 * 2.0**2)
    assert precision[:2, :2] == pytest.approx(expected * np.array([[1, -1], [-1, 1]]))
    # The difference itself is 8/4, by which the first of the standing, bot 1, is ahead.
    assert means[:2] == pytest.approx(expected * 2 * np.array([-1, 1]))
    assert not precision[2].any()


def test_what_blocks_say_is_about_differences_and_adds_up() -> None:
    chance = np.random.default_rng(1)
    blocks = AT_ONCE + 50
    who = random_tables(7, 4, blocks, chance)
    differences = chance.random((blocks, 3, 2))
    precision, means = joint(who, differences, 7, beta=4.0)
    assert precision.sum(axis=0) == pytest.approx(np.zeros(7), abs=1e-6)
    assert means.sum() == pytest.approx(0, abs=1e-6)
    halves = [joint(who[rows], differences[rows], 7, 4.0) for rows in (slice(9), slice(9, None))]
    assert halves[0][0] + halves[1][0] == pytest.approx(precision)
    assert halves[0][1] + halves[1][1] == pytest.approx(means)
