"""Ratings of a cell: the order of blocks does not matter, and nothing is ever infinite."""

import numpy as np
import pytest
from trueskill import TrueSkill

from arena.ratings import results as ratings_results
from arena.ratings import trueskill
from arena.ratings.results import Ints, Results
from arena.ratings.trueskill import (
    BETA,
    BLOCKS_IN_MEMORY,
    MU,
    SIGMA,
    CellRating,
    PackageSweeper,
    fit_sigmas,
    joint_precision,
    rate_cell,
)
from tests.ratings.simulated_tournaments import (
    make_population,
    random_tables,
    results_from_ranks,
    select_blocks,
)


def test_independent_errors_are_kept() -> None:
    assert fit_sigmas(np.diag([1.0, 4.0, 9.0])) == pytest.approx([1, 2, 3])
    assert fit_sigmas(np.diag([1.0, 4.0, 9.0, 16.0])) == pytest.approx([1, 2, 3, 4])


def test_a_shared_error_is_removed() -> None:
    assert fit_sigmas(np.diag([1.0, 4.0, 9.0]) + 50) == pytest.approx([1, 2, 3])


def test_few_bots() -> None:
    assert fit_sigmas(np.array([[4.0]])) == pytest.approx([2])
    assert fit_sigmas(np.array([[2.0, 1.0], [1.0, 2.0]])) == pytest.approx([1, 1])
    assert fit_sigmas(np.zeros((0, 0))).shape == (0,)


def test_a_bot_with_few_games_does_not_distort_others() -> None:
    found = fit_sigmas(np.diag([1.0, 1.0, 1.0, 1.0, 900.0]) + 11)
    assert found[:4] == pytest.approx([1] * 4, rel=0.01)
    assert found[4] == pytest.approx(30, rel=0.01)


def test_bots_that_only_met_a_common_opponent() -> None:
    """All others are compared through one bot, whose error cannot be told from theirs."""
    hub = np.diag([0.0, 1.0, 1.0, 1.0, 1.0])
    found = fit_sigmas(hub + 3)
    assert found[1:] == pytest.approx([1] * 4, rel=0.01)
    assert 0 < found[0] < 0.2


def test_precision_of_a_compared_pair() -> None:
    """A difference of performances with precision p has variance 1/p, and each has noise more."""
    differences = np.array([[[4.0, 8.0]]])
    precision, means = joint_precision(np.array([[1, 0]]), differences, 3, beta=2.0)
    expected = 1 / (1 / 4 + 2 * 2.0**2)
    assert precision[:2, :2] == pytest.approx(expected * np.array([[1, -1], [-1, 1]]))
    # The difference itself is 8/4, by which the first of the standing, bot 1, is ahead.
    assert means[:2] == pytest.approx(expected * 2 * np.array([-1, 1]))
    assert not precision[2].any()


def test_messages_of_blocks_are_summed_over_differences() -> None:
    chance = np.random.default_rng(1)
    blocks = BLOCKS_IN_MEMORY + 50
    bot_indices = random_tables(7, 4, blocks, chance)
    differences = chance.random((blocks, 3, 2))
    precision, means = joint_precision(bot_indices, differences, 7, beta=4.0)
    assert precision.sum(axis=0) == pytest.approx(np.zeros(7), abs=1e-6)
    assert means.sum() == pytest.approx(0, abs=1e-6)
    halves = [
        joint_precision(bot_indices[rows], differences[rows], 7, 4.0)
        for rows in (slice(9), slice(9, None))
    ]
    assert halves[0][0] + halves[1][0] == pytest.approx(precision)
    assert halves[0][1] + halves[1][1] == pytest.approx(means)


pytestmark = pytest.mark.slow

STRENGTH = (0.0, 3.0, 6.0, 9.0, 13.0, 17.0)


def simulate_results(blocks: int, seats: int = 4, *, coarse: float = 0.0, seed: int = 1) -> Results:
    """Results of six bots; coarse points make ties."""
    chance = np.random.default_rng(seed)
    bots = make_population(STRENGTH, neighbour=0)
    results = bots.tournament(random_tables(6, seats, blocks, chance), chance)
    if coarse:
        results.points[:] = np.rint(results.points / coarse)
        results.placement[:] = 0
    return results


def orders(blocks: int, count: int = 16) -> list[Ints]:
    """The same blocks so many times in another order, once of them from behind."""
    chance = np.random.default_rng(2)
    return [np.arange(blocks)[::-1], *(chance.permutation(blocks) for _ in range(count - 1))]


def check(rating: CellRating) -> None:
    for array in (rating.mu, rating.sigma, rating.covariance):
        assert np.isfinite(array).all()
    assert (rating.sigma > 0).all()
    assert np.linalg.eigvalsh(rating.covariance).min() > 0
    assert rating.sweeps < trueskill.MAX_SWEEPS


@pytest.mark.slow
@pytest.mark.parametrize("coarse", [0, 20], ids=["hardly a tie", "many ties"])
@pytest.mark.parametrize("count", [2, pytest.param(16, marks=pytest.mark.soak)])
def test_order_does_not_matter(coarse: float, count: int) -> None:
    results = simulate_results(30, coarse=coarse)
    assert (ratings_results.tie_rate(ratings_results.block_ranks(results)) > 0.1) == (coarse > 0)
    as_is = rate_cell(results, 6)
    for order in orders(30, count):
        other = rate_cell(select_blocks(results, order), 6)
        assert np.abs(other.mu - as_is.mu).max() < 0.01
        assert np.abs(other.sigma - as_is.sigma).max() < 0.01


@pytest.mark.slow
def test_order_does_not_matter_with_many_blocks() -> None:
    results = simulate_results(2000, coarse=5)
    as_is = rate_cell(results, 6)
    for order in orders(2000):
        assert np.abs(rate_cell(select_blocks(results, order), 6).mu - as_is.mu).max() < 0.01


@pytest.mark.parametrize("links", [0, 1, 5])
def test_order_does_not_matter_where_two_groups_hardly_met(links: int) -> None:
    chance = np.random.default_rng(3)
    tables = np.array([[0, 1, 2, 3], [4, 5, 6, 7]] * 300 + [[2, 3, 4, 5]] * links)
    results = make_population(range(0, 32, 4)).tournament(tables, chance)
    as_is = rate_cell(results, 8)
    check(as_is)
    for order in orders(len(tables))[:10]:
        assert np.abs(rate_cell(select_blocks(results, order), 8).mu - as_is.mu).max() < 0.01
    variance = np.diag(as_is.covariance)
    error = np.sqrt(variance[:, None] + variance[None, :] - 2 * as_is.covariance)
    assert error[:4, :4].max() < 1
    assert error[0, 4] > (1.5 if links else 5)


def test_the_same_blocks_give_the_same_bits() -> None:
    for blocks in (10, 1000):
        one, other = (rate_cell(simulate_results(blocks), 6) for _ in range(2))
        assert one.mu.tobytes() == other.mu.tobytes()
        assert one.covariance.tobytes() == other.covariance.tobytes()


def test_one_block_agrees_with_the_package() -> None:
    rating = rate_cell(results_from_ranks([[1, 2, 0]], [[3, 1, 2]]), 3)
    package = TrueSkill(MU, SIGMA, BETA, 0, trueskill.MIN_DRAW)
    skills = package.rate([(package.create_rating(),)] * 3, [3, 1, 2])
    third, first, second = (skill.mu for (skill,) in skills)
    assert rating.mu[[1, 2, 0]] == pytest.approx(
        np.array([third, first, second]) - np.mean([third, first, second]) + 25, abs=1e-4
    )


def test_stronger_bots_rate_higher() -> None:
    rating = rate_cell(simulate_results(600), 6)
    assert rating.mu.argsort().tolist() == [0, 1, 2, 3, 4, 5]
    assert rating.mu.mean() == pytest.approx(25)


@pytest.mark.slow
def test_points_and_placement_disagree() -> None:
    """A bot that wins by little and loses by much: its points and its placement disagree."""
    results = results_from_ranks([[0, 1, 2]] * 40, [[1, 2, 3]] * 40)
    results.placement[:] = [0.0, 0.5, 1.0]
    assert rate_cell(results, 3).mu.argmax() == 0
    assert rate_cell(results, 3, "placement").mu.argmax() == 2


def test_anchors_are_the_centre() -> None:
    results = simulate_results(20)
    free, anchored = rate_cell(results, 8), rate_cell(results, 8, anchors=[1, 4, 7])
    assert free.mu[:6].mean() == pytest.approx(25)
    assert anchored.mu[[1, 4]].mean() == pytest.approx(25)
    assert np.ptp((anchored.mu - free.mu)[:6]) == pytest.approx(0, abs=1e-9)
    nobody = rate_cell(results, 8, anchors=[7])
    assert nobody.mu.tolist() == free.mu.tolist()
    assert free.has_played.tolist() == [True] * 6 + [False] * 2
    assert free.mu[6:].tolist() == [MU, MU]
    assert free.sigma[6:].tolist() == [SIGMA, SIGMA]
    assert free.blocks.sum() == 80


def test_no_blocks_at_all() -> None:
    rating = rate_cell(select_blocks(simulate_results(1), slice(0, 0)), 6)
    check(rating)
    assert not rating.has_played.any()
    assert rating.mu.tolist() == [MU] * 6
    assert rating.sweeps == 0


@pytest.mark.parametrize("seats", range(3, 9))
def test_one_block(seats: int) -> None:
    rating = rate_cell(
        results_from_ranks([list(range(seats))], [list(range(1, seats + 1))]), seats + 1
    )
    check(rating)
    assert (np.diff(rating.mu[:seats]) < 0).all()
    assert not rating.has_played[seats]


@pytest.mark.parametrize("blocks", [1, 30, 3000])
def test_nothing_but_ties(blocks: int) -> None:
    rating = rate_cell(results_from_ranks([[0, 1, 2, 3]] * blocks, [[1, 1, 1, 1]] * blocks), 4)
    check(rating)
    assert rating.mu == pytest.approx(np.full(4, 25), abs=0.05)


@pytest.mark.parametrize("blocks", [30, 100, 20_000])
def test_a_bot_that_always_wins_has_a_finite_rating(blocks: int) -> None:
    rating = rate_cell(results_from_ranks([[0, 1, 2, 3]] * blocks, [[1, 2, 3, 4]] * blocks), 4)
    check(rating)
    assert (np.diff(rating.mu) < -3).all()
    assert np.ptp(rating.mu) < 200


def test_after_thousands_of_wins_one_upset_does_no_harm() -> None:
    upset = [[4, 3, 2, 1]]
    rating = rate_cell(
        results_from_ranks([[0, 1, 2, 3]] * 20_001, [[1, 2, 3, 4]] * 20_000 + upset), 4
    )
    check(rating)
    assert (np.diff(rating.mu) < 0).all()


@pytest.mark.parametrize(
    ("ranks", "gap"),
    [([1, 2, 3], -600.0), ([1, 2, 3], 600.0), ([1, 1, 3], 600.0), ([2, 1, 2], -900.0)],
    ids=["impossible", "sure", "impossible tie", "impossible tie below"],
)
def test_results_where_the_package_fails(ranks: list[int], gap: float) -> None:
    sweep = PackageSweeper(np.array([[0, 1, 2]]), np.array([ranks]), 1e-3)
    without = np.array([[1.0, gap], [1.0, 0.0], [1.0, -gap]])
    with pytest.raises(FloatingPointError):
        sweep.package.rate([(sweep.package.create_rating(tau, 1),) for _, tau in without], ranks)
    message = sweep.rate_block(without, ranks)
    assert np.isfinite(message).all()
    assert (message[:, 0] >= 0).all()
    after = (without + message)[:, 1] / (without + message)[:, 0]
    assert abs(after[0] - after[2]) <= abs(2 * gap) + 1e-6
