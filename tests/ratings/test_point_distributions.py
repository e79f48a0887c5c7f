"""Spread: distributions add up to the games played, and luck is what the cards bring."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.cell import Cell
from arena.ratings.point_distributions import MAX_BINS, bin_edges, luck_share, measure_distributions
from arena.ratings.results import SeatedGames

LATIN = {
    3: np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]]),
    4: np.array([[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]),
}


def simulate_games(blocks: int, seats: int, hand: float, seed: int = 1) -> SeatedGames:
    """Blocks of bots of very different strength, and cards with this deviation; the rest has 10."""
    chance = np.random.default_rng(seed)
    order = chance.permuted(np.tile(np.arange(seats), (blocks, 1)), axis=1)
    bot_indices = order[:, LATIN[seats]].reshape(-1, seats)
    length = len(LATIN[seats])
    cards = np.repeat(chance.normal(0, hand, (blocks, seats)), length, axis=0)
    points = np.rint(20.0 * bot_indices + cards + chance.normal(0, 10, bot_indices.shape))
    beaten = (points[:, :, None] > points[:, None, :]).sum(axis=2)
    tied = (points[:, :, None] == points[:, None, :]).sum(axis=2) - 1
    placement = (beaten + tied / 2) / (seats - 1)
    block = np.repeat(np.arange(blocks), length)
    return SeatedGames(Cell("sticheln", seats), block, bot_indices, points, placement)


def test_adds_up() -> None:
    results = simulate_games(50, 4, hand=5.0)
    found = measure_distributions(results, 6)
    centred = results.points - results.points.mean(axis=1, keepdims=True)
    assert found.games.tolist() == [200, 200, 200, 200, 0, 0]
    for bot in range(4):
        own = centred[results.bot_indices == bot]
        assert found.mean[bot] == pytest.approx(own.mean())
        assert found.deviation[bot] == pytest.approx(own.std(ddof=1))
        assert found.quantiles[bot, 2] == pytest.approx(np.median(own))
        expected, _ = np.histogram(own, found.edges)
        assert found.histogram[bot].tolist() == expected.tolist()
    assert found.placements.sum(axis=1) == pytest.approx(found.games)
    assert found.placements[3, 0] > 150 > found.placements[0, 0]
    assert not found.histogram[4:].any()
    assert not found.quantiles[4:].any()


def test_ties_share_ranks() -> None:
    bot_indices, points = np.array([[2, 0, 1, 3]]), np.array([[9.0, 5, 5, 1]])
    placement = np.array([[1.0, 0.5, 0.5, 0.0]])
    found = measure_distributions(
        SeatedGames(Cell("sticheln", 4), np.array([0]), bot_indices, points, placement), 4
    )
    assert found.placements.tolist() == [
        [0, 0.5, 0.5, 0],
        [0, 0.5, 0.5, 0],
        [1, 0, 0, 0],
        [0, 0, 0, 1],
    ]


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("hand", [0.0, 5.0, 20.0])
def test_luck(seats: int, hand: float) -> None:
    """However far apart the bots are, only cards are luck."""
    found = luck_share(simulate_games(2000, seats, hand))
    assert found == pytest.approx(hand**2 / (hand**2 + 100), abs=0.02)


def test_luck_is_not_guessed() -> None:
    results = simulate_games(20, 4, hand=5.0)
    alone = SeatedGames(
        results.cell, np.arange(80), results.bot_indices, results.points, results.placement
    )  # as if every game had a deal of its own
    assert luck_share(alone) is None
    same = SeatedGames(
        results.cell, results.block, results.bot_indices, np.zeros((80, 4)), results.placement
    )
    assert luck_share(same) is None


def test_no_games_played() -> None:
    found = measure_distributions(simulate_games(0, 4, hand=1.0), 3)
    assert found.luck is None
    assert not found.games.any()
    assert np.isfinite(found.quantiles).all()


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_bins_hold_everything(values: list[float]) -> None:
    edges = bin_edges(np.array(values, np.float64))
    assert 2 <= len(edges) <= MAX_BINS + 1
    assert np.histogram(values, edges)[0].sum() == len(values)
    assert np.diff(edges) == pytest.approx(edges[1] - edges[0])
