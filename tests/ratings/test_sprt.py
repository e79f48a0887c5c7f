"""The sequential test: seldom wrong however often one looks, and done with few games."""

from collections import Counter

import numpy as np
import pytest

from arena.ratings.cell import Cell
from arena.ratings.sprt import (
    MARGIN,
    MIN_CELL_BLOCKS,
    MIN_TEST_BLOCKS,
    CellSample,
    SequentialTest,
    SprtVerdict,
    mean_difference,
)

UNIT = 23.0
GAMES = 6
"""In a mirror block of four seats."""
NOISE = np.sqrt(357.0 / GAMES)
"""The deviation of a block's difference: five points have a t² of 0.07 in a game."""


def sample(
    differences: "list[float] | np.ndarray", seats: int = 4, unit: float = UNIT
) -> CellSample:
    return CellSample(Cell("sticheln", seats), np.asarray(differences, np.float64), unit, GAMES)


def steady(mean: float, count: int) -> CellSample:
    """Differences around a mean, as far apart as luck would have them."""
    return sample(mean + NOISE * np.resize([1.0, -1.0], count))


def tried(
    truth: float, margin: float, chance: np.random.Generator, cells: int = 1, cap: int = 400
) -> tuple[SprtVerdict, int]:
    """A trial that looks after every block, and how many games it took; the truth is in points."""
    differences = chance.normal(truth, NOISE, (cells, cap))
    trial = SequentialTest(margin)
    for count in range(1, cap + 1):
        verdict = trial.update([sample(own[:count]) for own in differences])
        if verdict != "undecided":
            break
    return verdict, count * GAMES * cells


@pytest.mark.parametrize(
    ("mean", "count", "verdict"),
    [
        (5.0, 80, "better"),
        (-5.0, 80, "worse"),
        (0.0, 200, "no difference"),
        (5.0, MIN_TEST_BLOCKS - 1, "undecided"),
        (1.15, 60, "undecided"),
        (500.0, MIN_TEST_BLOCKS - 1, "undecided"),
        (500.0, MIN_TEST_BLOCKS, "better"),
    ],
)
def test_verdicts(mean: float, count: int, verdict: SprtVerdict) -> None:
    assert SequentialTest().update([steady(mean, count)]) == verdict


def test_the_ratio_is_the_one_of_the_books() -> None:
    """n(s1−s0)(2x̄−s0−s1)/(2s²) with s0 = 0, once the prior does not matter any more."""
    found = steady(3.0, 10_000)
    expected = 10_000 * 2.3 * (2 * 3.0 - 2.3) / (2 * NOISE**2)
    assert found.log_ratio(0.1) == pytest.approx(expected, rel=1e-3)
    assert SequentialTest().upper_bound == pytest.approx(3.64, abs=0.01)
    assert SequentialTest().lower_bound == pytest.approx(-2.97, abs=0.01)


def test_a_finished_test_stays_finished() -> None:
    """B is clearly no better; then luck turns, and it may be no worse, but not better again."""
    trial = SequentialTest()
    trial.update([steady(-2.0, 60)])
    assert trial.better.has_effect is False
    assert trial.verdict == "undecided"
    assert trial.update([steady(3.0, 200)]) == "no difference"


def test_cells_add_up() -> None:
    """What no cell shows by itself, several show together, each in units of its own."""
    alone = steady(2.0, 40)
    small = sample(alone.differences / 10, seats=3, unit=UNIT / 10)
    assert SequentialTest().update([alone]) == "undecided"
    assert SequentialTest().update([small]) == "undecided"
    assert SequentialTest().update([alone, small, alone, small]) == "better"
    assert SequentialTest().update([alone, small, steady(90.0, MIN_CELL_BLOCKS - 1)]) == "undecided"
    mean, width = mean_difference([alone, small])
    assert mean == pytest.approx(2 / UNIT)
    assert width == pytest.approx(alone.half_width / UNIT / np.sqrt(2))
    assert mean_difference([]) == mean_difference([sample([])]) == (0.0, 0.0)


def test_bots_that_play_alike() -> None:
    """No variance at all: no difference after a while, and not at once."""
    assert SequentialTest().update([sample([0.0] * MIN_TEST_BLOCKS)]) == "undecided"
    assert SequentialTest().update([sample([0.0] * 40)]) == "no difference"
    assert SequentialTest().update([sample([6.0] * MIN_TEST_BLOCKS)]) == "better"
    assert sample([0.0] * 40).half_width == 0
    assert sample([1.0]).half_width == sample([]).half_width == sample([]).mean == 0


def test_symmetry() -> None:
    """Who is called A and who B does not matter."""
    chance = np.random.default_rng(3)
    for _ in range(20):
        differences = chance.normal(1.0, NOISE, 80)
        one, other = SequentialTest(), SequentialTest()
        one.update([sample(differences)])
        other.update([sample(-differences)])
        assert (one.better.has_effect, one.worse.has_effect) == (
            other.worse.has_effect,
            other.better.has_effect,
        )


@pytest.mark.slow
@pytest.mark.parametrize("cells", [1, 4])
@pytest.mark.parametrize("runs", [60, pytest.param(300, marks=pytest.mark.soak)])
def test_errors(cells: int, runs: int) -> None:
    """At most one in twenty is wrong, with equal bots and with bots that differ by the margin."""
    chance = np.random.default_rng(8)
    within = 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)
    equal = Counter(tried(0.0, MARGIN, chance, cells)[0] for _ in range(runs))
    assert (equal["better"] + equal["worse"]) / runs < within
    apart = Counter(tried(MARGIN * UNIT, MARGIN, chance, cells)[0] for _ in range(runs))
    assert (apart["no difference"] + apart["worse"]) / runs < within
    assert apart["undecided"] + equal["undecided"] < runs / 50


@pytest.mark.slow
def test_games_for_five_points() -> None:
    """Five points more on a deviation of 23 are found in some 120 games if they are looked for."""
    chance = np.random.default_rng(9)
    runs = [tried(5.0, 5.0 / UNIT, chance) for _ in range(400)]
    assert np.mean([verdict == "better" for verdict, _ in runs]) > 0.94
    assert np.mean([games for _, games in runs]) < 125
