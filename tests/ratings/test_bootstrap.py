"""The audit says nothing against honest intervals, and raises the alarm where they are not."""

import numpy as np
import pytest

from arena.ratings.bootstrap import (
    MIN_AUDIT_BLOCKS,
    PYTHON_EFFORT,
    ResamplingEffort,
    audit_intervals,
)
from arena.ratings.results import Results
from tests.ratings.test_points import ladder, make_results, tables

pytestmark = pytest.mark.slow

STRENGTH = np.array([3.0, 2, 1, 0, -2, -4])
QUICK = ResamplingEffort(100, 200)


def test_a_ratio_near_one_raises_no_alarm() -> None:
    found = audit_intervals(ladder(300, STRENGTH, 4, seed=1), 6, effort=QUICK)
    assert found.ratio == pytest.approx(1, abs=0.15)
    assert not found.alarm
    assert found.sentence.startswith("Resampling blocks 100 times finds errors ")
    assert "the intervals can be trusted" in found.sentence


def whims(blocks: int) -> Results:
    """A table whose whole order is turned round by the toss of a coin: many bots, one result."""
    tossed = np.random.default_rng(1).choice([-1.0, 1.0], (blocks, 1))
    return make_results(tables(*[tuple(range(8))] * blocks), tossed * np.arange(8.0))


def test_too_narrow() -> None:
    found = audit_intervals(whims(200), 8, effort=QUICK)
    assert found.alarm
    assert found.ratio is not None
    assert found.ratio > 1.25
    assert "too narrow, do not trust them" in found.sentence


def test_too_wide() -> None:
    """Who always comes in the same order would scatter less than the model can believe."""
    steady = make_results(tables(*[(0, 1, 2, 3)] * 80), np.tile(np.arange(4.0), (80, 1)))
    found = audit_intervals(steady, 4, effort=QUICK)
    assert found.alarm
    assert found.ratio is not None
    assert found.ratio < 0.8
    assert "wider than need be" in found.sentence


def test_too_few() -> None:
    for blocks in (0, 1, MIN_AUDIT_BLOCKS - 1):
        found = audit_intervals(ladder(blocks, STRENGTH, 4, seed=1), 6, effort=QUICK)
        assert found.ratio is None
        assert not found.alarm
        assert "too few" in found.sentence
    sparse = audit_intervals(ladder(MIN_AUDIT_BLOCKS, np.zeros(200), 3, seed=1), 200, effort=QUICK)
    assert sparse.ratio is None
    assert "fewer than two bots have played enough" in sparse.sentence


def test_an_audit_is_deterministic() -> None:
    """By content: the same blocks find the same to the last digit, and others something else."""
    results = ladder(80, STRENGTH, 4, seed=2)
    few = ResamplingEffort(10, 60)
    first, again = audit_intervals(results, 6, effort=few), audit_intervals(results, 6, effort=few)
    assert first == again
    assert audit_intervals(ladder(80, STRENGTH, 4, seed=3), 6, effort=few) != first


def test_a_bot_with_few_games_does_not_distort_the_audit() -> None:
    results = ladder(300, STRENGTH, 4, seed=4)
    bot_indices = results.bot_indices.copy()
    bot_indices[0, 0] = 6
    found = audit_intervals(make_results(bot_indices, results.points), 9, effort=QUICK)
    assert found.ratio == pytest.approx(1, abs=0.15)


@pytest.mark.soak
def test_the_ratio_does_not_depend_on_replicate_size() -> None:
    """The ratio is that of the cell, however many blocks go into a replicate."""
    results = ladder(1500, STRENGTH, 4, seed=5)
    ratios = [
        audit_intervals(results, 6, effort=ResamplingEffort(200, size)).ratio
        for size in (100, 400, 1500)
    ]
    assert ratios == pytest.approx([1.0, 1.0, 1.0], abs=0.12)
    assert audit_intervals(results, 6, effort=PYTHON_EFFORT).ratio == pytest.approx(1, abs=0.4)
