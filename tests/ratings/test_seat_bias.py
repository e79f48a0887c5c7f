"""Bias: a seat that is worth something is found, so is a neighbour, and nothing else is."""

import numpy as np
import pytest

from arena.ratings.cell import Cell
from arena.ratings.results import Floats, Ints, SeatedGames
from arena.ratings.seat_bias import neighbour_effects, seat_effects

WILLIAMS = np.array([[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]])


def make_games(bot_indices: Ints, placement: Floats, block: Ints) -> SeatedGames:
    return SeatedGames(
        Cell("sticheln", bot_indices.shape[1]),
        block,
        bot_indices,
        np.zeros(bot_indices.shape),
        placement,
    )


def simulate_games(
    blocks: int,
    seed: int,
    *,
    bots: int = 5,
    seat: float = 0.0,
    left: float = 0.0,
    deal: float = 0.3,
) -> SeatedGames:
    """Williams blocks of random tables: what seat 3 is worth, and bot 0 to who has it on its left.

    Cards are worth something too, the same in all games of a block.
    """
    chance = np.random.default_rng(seed)
    tables = np.sort(chance.permuted(np.tile(np.arange(bots), (blocks, 1)), axis=1)[:, :4], axis=1)
    order = chance.permuted(np.tile(np.arange(4), (blocks, 1)), axis=1)
    shuffled = np.take_along_axis(tables, order, axis=1)
    bot_indices = shuffled[:, WILLIAMS].reshape(-1, 4)
    cards = np.repeat(chance.normal(0, deal, (blocks, 4)), 4, axis=0)
    placement = 0.5 + cards + chance.normal(0, 0.1, bot_indices.shape)
    placement[:, 3] += seat
    placement += left * (np.roll(bot_indices, -1, axis=1) == 0)
    placement += 0.5 - placement.mean(axis=1, keepdims=True)
    return make_games(bot_indices, placement, np.repeat(np.arange(blocks), 4))


def test_an_advantageous_seat() -> None:
    found = seat_effects(simulate_games(400, seed=1, seat=0.2))
    assert found.has_interval
    assert found.games == 1600
    assert found.effect.sum() == pytest.approx(0)
    assert found.effect[3] == pytest.approx(0.15, abs=found.margin[3])
    assert (found.effect[:3] + found.margin[:3] < 0).all()


def test_the_seats_interval_knows_of_blocks() -> None:
    """The cards of a seat stay over a block: nobody may take its games for independent."""
    inside, naive = [], []
    for seed in range(200):
        results = simulate_games(60, seed)
        found = seat_effects(results)
        error = results.placement.std(axis=0) / np.sqrt(len(results.bot_indices))
        inside.append((np.abs(found.effect) < found.margin).mean())
        naive.append((np.abs(found.effect) < 2 * error).mean())
    assert 0.92 < np.mean(inside) < 0.98
    assert np.mean(naive) < 0.75


def test_a_neighbour_that_feeds() -> None:
    found = neighbour_effects(simulate_games(600, seed=2, left=0.12), 5)
    assert found.has_interval[1:, 0].all()
    # a third of it is in the mean, which has the bot on the left in every third game
    assert found.effect[1:, 0] == pytest.approx(0.08, abs=0.02)
    assert (found.effect[1:, 0] > found.margin[1:, 0]).all()
    assert (np.abs(found.effect[1:, 1:]) < 0.04).all()


def test_the_left_neighbour() -> None:
    """Seat 1 is left of seat 0: bot 7 is there in one game, and bot 5 in the other."""
    bot_indices = np.array([[4, 7, 6, 5], [4, 5, 7, 6]])
    placement = np.array([[1.0, 0, 0.5, 0.5], [0.0, 1, 1, 0]])
    found = neighbour_effects(make_games(bot_indices, placement, np.array([0, 0])), 8)
    assert found.effect[4, 7] == 0.5
    assert found.effect[4, 5] == -0.5
    assert found.effect[5, 4] == -0.25
    assert found.games[4].tolist() == [0, 0, 0, 0, 0, 1, 0, 1]
    assert found.games.sum() == 8
    assert not found.has_interval.any()
    assert not found.margin.any()


def test_no_neighbour_effect_is_found_where_there_is_none() -> None:
    """Intervals hold 95 % of what is nothing, though a strong bot at the table lowers everybody."""
    inside = []
    for seed in range(100):
        results = simulate_games(90, seed)
        placement = results.placement + 0.3 * (results.bot_indices == 0)
        placement -= placement.mean(axis=1, keepdims=True) - 0.5
        found = neighbour_effects(make_games(results.bot_indices, placement, results.block), 5)
        inside.append((np.abs(found.effect) < found.margin)[~np.eye(5, dtype=bool)].mean())
    assert 0.93 < np.mean(inside) < 0.98


@pytest.mark.parametrize("blocks", [0, 1])
def test_few_or_no_blocks(blocks: int) -> None:
    results = simulate_games(blocks, seed=3)
    seats, neighbours = seat_effects(results), neighbour_effects(results, 5)
    assert not seats.has_interval
    for values in (seats.effect, seats.margin, neighbours.effect, neighbours.margin):
        assert np.isfinite(values).all()
    assert seats.games == neighbours.games.sum() / 4 == 4 * blocks
