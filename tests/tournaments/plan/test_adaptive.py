"""Adaptive tables go where the order is open, and nobody starves."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.points import fit_points, information_matrix
from arena.ratings.results import Floats, Results
from arena.tournaments.plan.adaptive import (
    MIN_VISIT_SHARE,
    TableSearch,
    choose_tables,
    contrast_basis,
    normal_tail,
)
from arena.tournaments.plan.tables import Table, balanced_tables
from tests.ratings.test_points import make_results

DEALS = 3


def simulate_visits(tables: list[Table], truth: Floats, seed: int) -> Results:
    """Visits to tables where the luck of a block has a deviation of 10."""
    chance = np.random.default_rng(seed)
    bot_indices = np.repeat(np.array(tables, np.int64).reshape(-1, len(tables[0])), DEALS, axis=0)
    return make_results(bot_indices, truth[bot_indices] + chance.normal(0, 10.0, bot_indices.shape))


def count_meetings(tables: list[Table], bots: int) -> Floats:
    """How often each pair sat together."""
    met = np.zeros((bots, bots))
    for table in tables:
        for one, other in combinations(table, 2):
            met[one, other] += 1
    return met + met.T


def test_open_pairs_get_more() -> None:
    """A ladder of big steps, and one small one in the middle of it."""
    truth = np.array([60.0, 50, 40, 30, 28, 18, 8, -2])
    before = balanced_tables(8, 4, 20, seed=1)
    chosen = choose_tables(simulate_visits(before, truth, 2), 8, 4, 20, before, b"seed")
    met = count_meetings(chosen, 8)
    settled = [met[one, other] for one, other in pairwise(range(8)) if one != 3]
    assert met[3, 4] > 10
    assert met[3, 4] > 2 * np.mean(settled)


def test_the_top_matters_more() -> None:
    """Two steps as small as each other, one of them at the top."""
    truth = np.array([60.0, 57, 30, 20, 10, 0, -30, -33])
    before = balanced_tables(8, 3, 40, seed=1)
    luck = np.random.default_rng(3).normal(0, 10.0, (40, 3))
    bot_indices = np.repeat(np.array(before), 2, axis=0)
    evened_out = np.stack([luck, -luck], axis=1).reshape(80, 3)
    results = make_results(bot_indices, truth[bot_indices] + evened_out)
    met = count_meetings(choose_tables(results, 8, 3, 12, before, b"seed"), 8)
    assert met[0, 1] > met[6, 7]


def test_tied_bots_get_no_extra_visits() -> None:
    """Twins that were seen to be equal many times over are left alone; the open pair is not."""
    truth = np.array([30.0, 20, 10, 8.5, 0, 0])
    before = balanced_tables(6, 3, 60, seed=1)
    bot_indices = np.repeat(np.array(before), 200, axis=0)
    noise = np.random.default_rng(1).normal(0, 10.0, bot_indices.shape)
    results = make_results(bot_indices, truth[bot_indices] + noise)
    search = TableSearch(results, 6, 3, before, b"seed")
    assert search.pair_weights[4] == 0
    assert search.pair_weights[:3].tolist() == [2, 2, 2]


@given(st.integers(3, 8), st.integers(0, 12), st.integers(0, 2**32))
def test_tables_are_tables(seats: int, more: int, seed: int) -> None:
    """Rising numbers of different bots, so many of them, and always the same."""
    bots = seats + more
    before = balanced_tables(bots, seats, 6, seed)
    results = simulate_visits(before, np.arange(float(bots)), seed)
    chosen = choose_tables(results, bots, seats, 5, before, seed.to_bytes(8))
    assert len(chosen) == 5
    for table in chosen:
        assert len(table) == seats
        assert list(table) == sorted(set(table))
        assert 0 <= table[0] <= table[-1] < bots
    assert chosen == choose_tables(results, bots, seats, 5, before, seed.to_bytes(8))
    assert chosen[:2] == choose_tables(results, bots, seats, 2, before, seed.to_bytes(8))


def test_every_bot_gets_visits() -> None:
    """Also who is far below all others, and who came late, has its share of visits."""
    truth = np.array([20.0, 19, 18, 17, 16, 15, -90, 0])
    visits = balanced_tables(7, 4, 14, seed=4)
    results = simulate_visits(visits, truth, 5)
    for number in range(12):
        visits += choose_tables(results, 8, 4, 8, visits, bytes([number]))
        results = simulate_visits(visits, truth, 5)
    times = np.bincount(np.array(visits).ravel(), minlength=8)
    assert times.min() >= MIN_VISIT_SHARE * times.mean() - 1
    assert times[6] < np.median(times) / 2


def test_tables_without_results() -> None:
    """Without results tables are balanced; with as many bots as seats there is only one."""
    nothing = make_results(np.zeros((0, 4), np.int64), np.zeros((0, 4)))
    chosen = choose_tables(nothing, 8, 4, 14, [], b"seed")
    times = np.bincount(np.array(chosen).ravel(), minlength=8)
    assert times.max() - times.min() <= 3
    alone: list[Table] = [(0, 1, 2, 3)]
    assert choose_tables(simulate_visits(alone, np.zeros(4), 1), 4, 4, 3, alone, b"") == alone * 3


def test_tables_when_all_pairs_are_settled() -> None:
    """There is nothing left to gain, so everybody gets the same."""
    truth = np.linspace(0, 7000, 8)
    before = balanced_tables(8, 4, 20, seed=1)
    chosen = choose_tables(simulate_visits(before, truth, 2), 8, 4, 20, before, b"seed")
    times = np.bincount(np.array(before + chosen).ravel(), minlength=8)
    assert times.max() - times.min() <= 1


def test_learning_is_adding_information() -> None:
    """The quick update after a visit is the inverse of the information with its blocks."""
    before = balanced_tables(9, 4, 12, seed=1)
    results = simulate_visits(before, np.arange(9, dtype=np.float64), 2)
    search = TableSearch(results, 9, 4, before, b"seed")
    ranks = np.array([1, 2, 5, 8])
    more = np.concatenate(
        [results.bot_indices, np.repeat(search.order[ranks][None, :], DEALS, axis=0)]
    )
    search.update_covariance(ranks)
    expected = np.linalg.inv(information_matrix(more, 9) + 0.1 * np.eye(9))
    assert search.covariance == pytest.approx(expected[np.ix_(search.order, search.order)])


def test_contrast_basis_and_normal_tail() -> None:
    found = contrast_basis(5)
    assert found.T @ found == pytest.approx(np.eye(4))
    assert found @ found.T == pytest.approx(np.eye(5) - 1 / 5)
    assert normal_tail(np.array([0.0, 1, 1.959964, 3])) == pytest.approx(
        [0.5, 0.158655, 0.025, 0.00134990], abs=1e-6
    )


def certified(truth: Floats, seed: int, *, adaptive: bool) -> int:
    """Blocks until the whole order is certain by the points, and right."""
    bots = len(truth)
    uniform = balanced_tables(bots, 4, 1000, seed)
    visits = uniform[:12]
    while True:
        results = simulate_visits(
            visits, truth, seed
        )  # the luck of visits that are there already stays
        found = fit_points(results, bots)
        order = np.argsort(-found.estimate)
        doubt = 0.0
        for one, other in pairwise(order):
            both = found.covariance[np.ix_([one, other], [one, other])]
            error = np.sqrt(both[0, 0] + both[1, 1] - 2 * both[0, 1])
            doubt += float(
                normal_tail(np.array((found.estimate[one] - found.estimate[other]) / error))
            )
        if doubt < 0.025:
            assert order.tolist() == np.argsort(-truth).tolist()
            return results.blocks
        if adaptive:
            seeded = bytes([seed, len(visits) % 256])
            visits += choose_tables(results, bots, 4, 6, visits, seeded)
        else:
            visits = uniform[: len(visits) + 6]


@pytest.mark.slow
@pytest.mark.parametrize("times", [3, pytest.param(12, marks=pytest.mark.soak)])
def test_faster_than_balanced_tables(times: int) -> None:
    truth = np.array([0.0, 10, 20, 23, 33, 43, 53, 63])
    quick = [certified(truth, seed, adaptive=True) for seed in range(times)]
    slow = [certified(truth, seed, adaptive=False) for seed in range(times)]
    assert 1.3 * np.mean(quick) < np.mean(slow)
