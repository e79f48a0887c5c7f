"""The compiled step agrees with the package, and is there wherever numba is."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.ratings import results as ratings_results
from arena.ratings import trueskill, trueskill_numba
from arena.ratings.trueskill import BETA, PackageSweeper, run_sweeps
from arena.ratings.trueskill_numba import draw_moments, make_sweeper, win_moments
from tests.ratings.simulated_tournaments import make_population, random_tables

pytestmark = pytest.mark.slow

pytest.importorskip("numba")


@pytest.mark.parametrize("coarse", [1, 40], ids=["hardly a tie", "many ties"])
@pytest.mark.parametrize("seats", range(3, 9))
def test_agrees_with_the_package(seats: int, coarse: float) -> None:
    chance = np.random.default_rng(seats)
    tables = random_tables(9, seats, 20, chance)
    results = make_population(range(0, 36, 4)).tournament(tables, chance)
    results.points[:] = np.rint(results.points / coarse)
    if coarse > 1:
        results.placement[:] = 0
    ranks = ratings_results.block_ranks(results)
    draw = max(ratings_results.tie_rate(ranks), 1e-3)
    everybody = np.ones(9, dtype=np.bool_)
    fast = make_sweeper(tables, ranks, draw, BETA)
    assert fast
    one = run_sweeps(fast, tables, everybody, everybody)
    other = run_sweeps(PackageSweeper(tables, ranks, draw), tables, everybody, everybody)
    assert one.sweeps == other.sweeps
    assert np.abs(one.mu - other.mu).max() < 1e-5
    assert np.abs(one.sigma - other.sigma).max() < 1e-5
    assert np.abs(one.covariance - other.covariance).max() < 1e-5


def test_one_step_agrees_for_random_cavities() -> None:
    """Also where the better ones lose and the precision varies a lot."""
    chance = np.random.default_rng(1)
    for seats in range(2, 9):
        for _ in range(20):
            pi = np.exp(chance.normal(size=seats) * 2 - 2)
            without = np.stack([pi, pi * chance.normal(25, 20, size=seats)], axis=1)
            ranks = chance.integers(1, seats + 1, size=seats).tolist()
            message = PackageSweeper(np.arange(seats)[None], np.array([ranks]), 0.05).rate_block(
                without, ranks
            )
            ours = trueskill_numba.block_messages(without, ranks, 0.05, BETA)
            mu, sigma = ((without + ours)[:, 1] / (without + ours)[:, 0], (without + ours)[:, 0])
            assert mu == pytest.approx(
                (without + message)[:, 1] / (without + message)[:, 0], abs=1e-5
            )
            assert sigma**-0.5 == pytest.approx((without + message)[:, 0] ** -0.5, abs=1e-5)


def test_compiled_code_is_used_for_many_blocks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice hangs on the number of blocks alone, so that the same blocks rate the same."""
    chance, asked = np.random.default_rng(1), 0

    def counted(*args: Any) -> trueskill_numba.Sweeper | None:
        nonlocal asked
        asked += 1
        return make_sweeper(*args)

    monkeypatch.setattr(trueskill_numba, "make_sweeper", counted)
    monkeypatch.setattr(trueskill, "MIN_KERNEL_BLOCKS", 20)
    for blocks, expected in ((19, 0), (20, 1)):
        tables = random_tables(6, 4, blocks, chance)
        trueskill.rate_cell(make_population(range(6)).tournament(tables, chance), 6)
        assert asked == expected


@pytest.mark.parametrize("x", [8.0, 3.0, 0.0, -1.0, -5.0, -12.0, -29.999, -30.001, -35.0, -300.0])
def test_the_tail_of_a_win(x: float) -> None:
    mean, variance = moments(0.0, -x, max(-x, 0) + 9)
    v, left = win_moments(x)
    assert v == pytest.approx(mean, rel=1e-6, abs=1e-12)
    assert left == pytest.approx(variance, rel=1e-5)


@pytest.mark.parametrize("margin", [0.00125, 0.05, 0.5, 3.0])
@pytest.mark.parametrize("mean", [0.0, 0.0004, 0.3, -2.0, 6.0, 29.0, -40.0, 200.0])
def test_the_tail_of_a_tie(mean: float, margin: float) -> None:
    middle, variance = moments(mean, -margin, margin)
    v, left = draw_moments(mean, margin)
    # Far out little is left but rounding, and farther out the tail is taken as exponential.
    assert v == pytest.approx(middle - mean, rel=1e-4, abs=1e-9)
    assert left == pytest.approx(variance, rel=1e-5 if abs(mean) < 10 else 5e-3)


def moments(mean: float, low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a normal variable between two limits, added up in small steps."""
    # Where the density falls steeply, the steps are where it has not fallen yet.
    steep = max(low - mean, mean - high, 1.0)
    reach = min(high - low, 60 / steep + 9 * (steep <= 1))
    start, end = (low, low + reach) if low >= mean else (high - reach, high)
    if low < mean < high:
        start, end = low, high
    steps = np.linspace(start, end, 200_001)
    log = -0.5 * (steps - mean) ** 2
    density = np.exp(log - log.max())
    density[[0, -1]] /= 2
    middle = float((density * steps).sum() / density.sum())
    return middle, float((density * (steps - middle) ** 2).sum() / density.sum())


RATE = """
import numpy as np
from arena.ratings.trueskill import rate_cell
from tests.ratings.simulated_tournaments import make_population, random_tables
chance = np.random.default_rng(1)
results = make_population(range(6)).tournament(random_tables(6, 4, 500, chance), chance)
print(rate_cell(results, 6).mu.tolist())
"""


ROOT = Path(__file__).parents[2]


def rated(**environment: str) -> str:
    """What a fresh process finds."""
    run = subprocess.run(
        [sys.executable, "-c", RATE],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": "/nowhere", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not run.stderr
    return run.stdout


@pytest.mark.soak
def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """No folder can be made below a file; then every process compiles, which takes long."""
    file = tmp_path / "file"
    file.write_text("")
    expected = rated(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert list((tmp_path / "cache").rglob("*.nbi"))
    assert rated(NUMBA_CACHE_DIR=str(tmp_path / "cache")) == expected
    assert rated(NUMBA_CACHE_DIR=str(file / "below")) == expected


def test_a_cache_that_fills_up(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []

    def build(*, keep: bool) -> trueskill_numba.Kernel:
        def full(*_: object) -> None:
            raise OSError("no space left on device")

        made.append(keep)
        return full if keep else trueskill_numba.sweep

    monkeypatch.setattr(trueskill_numba, "compile_kernel", build)
    trueskill_numba.load_kernel.cache_clear()
    kernel = trueskill_numba.load_kernel()
    trueskill_numba.load_kernel.cache_clear()
    assert kernel
    flat = trueskill_numba.Sweeper(np.array([[0, 1, 2]]), np.array([[1, 2, 3]]), 0.01, BETA)
    flat.kernel = kernel
    messages = np.zeros((1, 3, 2))
    flat(messages, np.ones((3, 2)))
    flat(messages, np.ones((3, 2)))
    assert made == [True, False]
    assert (messages[:, :, 0] > 0).all()


def test_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything works, takes longer, and somebody can be told."""
    assert trueskill.estimate_seconds(10_000, 4) is None
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setitem(sys.modules, "numba.extending", None)
    monkeypatch.setattr(trueskill, "MIN_KERNEL_BLOCKS", 10)
    trueskill_numba.load_kernel.cache_clear()
    try:
        assert trueskill_numba.load_kernel() is None
        assert trueskill.estimate_seconds(9, 4) is None
        assert (trueskill.estimate_seconds(10_000, 4) or 0) > 10
        chance = np.random.default_rng(1)
        results = make_population(range(6)).tournament(random_tables(6, 4, 12, chance), chance)
        plain = trueskill.rate_cell(results, 6)
    finally:
        trueskill_numba.load_kernel.cache_clear()
    monkeypatch.undo()
    monkeypatch.setattr(trueskill, "MIN_KERNEL_BLOCKS", 10)
    assert trueskill.rate_cell(results, 6).mu == pytest.approx(plain.mu, abs=1e-5)
