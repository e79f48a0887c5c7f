"""Chances, rank intervals, tiers and the stopping rule."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.confidence import (
    best_first,
    better_chances,
    difference_errors,
    group_tiers,
    judge_order,
    rank_intervals,
    z_scores,
)

numbers = st.lists(st.integers(-40, 40), min_size=1, max_size=8)


def flat(*values: float) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.array(values, dtype=float)


def test_chances() -> None:
    chances = better_chances(flat(28, 25, 25), flat(3, 4, 0))
    assert chances[0, 1] == pytest.approx(NormalDist().cdf(3 / 5))
    assert chances[1, 0] == pytest.approx(1 - NormalDist().cdf(3 / 5))
    assert chances[0, 2] == pytest.approx(NormalDist().cdf(1))
    assert chances[1, 2] == 0.5
    assert np.diag(chances).tolist() == [0.5] * 3


def test_chances_from_a_covariance() -> None:
    """Errors that two bots share do not blur their difference."""
    covariance = np.array([[10.0, 9.5], [9.5, 10.0]])
    assert difference_errors(covariance)[0, 1] == pytest.approx(1)
    assert better_chances(flat(27, 25), covariance)[0, 1] == pytest.approx(NormalDist().cdf(2))
    apart = np.diag([9.0, 16.0])
    assert better_chances(flat(28, 25), apart) == pytest.approx(
        better_chances(flat(28, 25), flat(3, 4))
    )


def test_zero_errors_and_huge_gaps_are_finite() -> None:
    chances = better_chances(flat(0, 0, 1, 1e9), flat(0, 0, 0, 1e-9))
    assert np.isfinite(chances).all()
    assert chances[0, 1] == 0.5
    assert chances[2, 0] == 1
    assert chances[0, 3] == 0


@given(numbers, st.integers(1, 9))
def test_chances_of_both_sides_add_up(values: list[int], sigma: int) -> None:
    mu = flat(*values) / 4
    chances = better_chances(mu, np.full(len(mu), sigma / 2))
    assert chances + chances.T == pytest.approx(np.ones(chances.shape))
    assert ((chances >= 0) & (chances <= 1)).all()


@pytest.mark.parametrize(
    ("mu", "sigma", "ranges", "groups"),
    [
        ([30, 25, 20], [1, 1, 1], [(1, 1), (2, 2), (3, 3)], [[0], [1], [2]]),
        ([25, 25, 25], [1, 1, 1], [(1, 3)] * 3, [[0, 1, 2]]),
        ([20, 30, 29], [1, 1, 1], [(3, 3), (1, 2), (1, 2)], [[1, 2], [0]]),
        # Neighbours overlap all along, and yet the first is surely better than the last.
        ([29, 27, 25], [1, 1, 1], [(1, 2), (1, 3), (2, 3)], [[0, 1, 2]]),
        ([25], [8], [(1, 1)], [[0]]),
        ([], [], [], []),
    ],
)
def test_intervals_and_tiers(
    mu: list[float],
    sigma: list[float],
    ranges: list[tuple[int, int]],
    groups: list[list[int]],
) -> None:
    apart = z_scores(flat(*mu), flat(*sigma))
    assert rank_intervals(apart) == ranges
    assert group_tiers(best_first(flat(*mu)), apart) == groups


@given(numbers)
def test_every_bot_has_its_rank_in_its_interval(values: list[int]) -> None:
    mu = flat(*values)
    apart = z_scores(mu, np.full(len(mu), 3.0))
    order = best_first(mu)
    ranges = rank_intervals(apart)
    for rank, bot in enumerate(order, 1):
        assert ranges[bot][0] <= rank <= ranges[bot][1]
    assert [bot for tier in group_tiers(order, apart) for bot in tier] == order


def test_from_975_in_a_thousand_on_it_is_sure() -> None:
    for edge, sure in ((1e-6, True), (-1e-6, False)):
        far = NormalDist().inv_cdf(0.975 + edge)
        mu, sigma = flat(far, 0), flat(math.sqrt(0.5), math.sqrt(0.5))
        assert rank_intervals(z_scores(mu, sigma)) == ([(1, 1), (2, 2)] if sure else [(1, 2)] * 2)
        assert len(group_tiers([0, 1], z_scores(mu, sigma))) == (2 if sure else 1)


def test_neighbours_are_judged_as_all_pairs_are() -> None:
    """By a covariance, in which errors go together, or by an error for each."""
    chance = np.random.default_rng(4)
    root = chance.normal(0, 1, (7, 7))
    mu, covariance = chance.normal(25, 2, 7), root @ root.T
    for sigma in (covariance, np.sqrt(np.diag(covariance))):
        every = better_chances(mu, sigma)
        verdict = judge_order(mu, sigma)
        assert verdict.order == tuple(best_first(mu))
        for pair in verdict.pairs:
            assert pair.chance == pytest.approx(every[pair.ahead, pair.behind])
        given = judge_order(mu, sigma, chances=every)
        assert [one.chance for one in given.pairs] == pytest.approx(
            [one.chance for one in verdict.pairs]
        )


def gap(doubt: float) -> float:
    """How far apart two bots with errors of 1 are for such a doubt about their order."""
    return math.sqrt(2) * NormalDist().inv_cdf(1 - doubt)


def ladder(*gaps: float) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Bots that far apart, the best first."""
    return -np.cumsum([0.0, *gaps])


@pytest.mark.parametrize(
    ("doubts", "states"),
    [
        ([0.0024, 0.0024], "settled settled"),
        ([0.0026, 0.0026], "settled open"),
        ([0.006, 0.001], "open settled"),
        ([0.006, 0.006], "open open"),
        ([0.0049], "settled"),
        ([0.0051], "open"),
    ],
)
def test_doubts_add_up_to_what_may_be_wrong_at_one_look(doubts: list[float], states: str) -> None:
    mu = ladder(*map(gap, doubts))
    verdict = judge_order(mu, np.ones(len(mu)))
    assert [pair.state for pair in verdict.pairs] == states.split()
    assert [pair.chance for pair in verdict.pairs] == pytest.approx([1 - d for d in doubts])
    assert verdict.confidence == pytest.approx(1 - sum(doubts))
    assert verdict.is_done == ("open" not in states)


def test_more_confidence_takes_more() -> None:
    mu, sigma = ladder(gap(0.0024), gap(0.0024)), np.ones(3)
    assert judge_order(mu, sigma).is_done
    assert not judge_order(mu, sigma, confidence=0.99).is_done
    assert judge_order(mu, sigma, confidence=0.9).is_done


def test_ties_are_left_out_of_the_sum() -> None:
    """The first two differ by next to nothing, which says nothing against the order of the rest."""
    mu, sigma = flat(25.05, 25.0, 20.0), flat(0.1, 0.1, 0.1)
    verdict = judge_order(mu, sigma)
    assert [pair.state for pair in verdict.pairs] == ["tied", "settled"]
    assert verdict.is_done
    assert verdict.confidence == pytest.approx(1)
    (tied,) = verdict.pairs_in_state("tied")
    assert (tied.ahead, tied.behind) == (0, 1)
    assert not judge_order(mu, sigma, rope=0.1).is_done


def test_a_tie_needs_the_whole_interval_within_the_rope() -> None:
    for sigma, tied in ((0.17, True), (0.19, False)):
        verdict = judge_order(flat(25, 25), flat(sigma, sigma))
        assert (verdict.pairs[0].state == "tied") == tied
        assert verdict.open_pairs == (() if tied else verdict.pairs)


def test_the_order_is_by_mu() -> None:
    verdict = judge_order(flat(20, 30, 25), flat(1, 1, 1))
    assert verdict.order == (1, 2, 0)
    assert [(pair.ahead, pair.behind) for pair in verdict.pairs_in_state("settled")] == [
        (1, 2),
        (2, 0),
    ]


def test_doubts_by_another_measure() -> None:
    """It may be surer than the ratings, but where it contradicts them nothing is settled."""
    mu, sigma = flat(27, 26, 25), flat(1, 1, 1)
    assert not judge_order(mu, sigma).pairs_in_state("settled")
    points = better_chances(flat(50, 40, 30), sigma)
    assert judge_order(mu, sigma, chances=points).is_done
    assert judge_order(mu, sigma, chances=points).confidence == pytest.approx(1)
    against = judge_order(mu, sigma, chances=better_chances(flat(50, 30, 40), sigma))
    assert against.order == (0, 1, 2)
    assert [pair.state for pair in against.pairs] == ["settled", "open"]


@pytest.mark.parametrize(("doubt", "done"), [(0.0024, True), (0.0026, False)])
def test_another_measure_has_half_as_much_to_doubt(doubt: float, done: bool) -> None:
    mu = ladder(gap(doubt))
    chances = better_chances(mu, np.ones(2))
    assert judge_order(mu, np.ones(2)).is_done
    assert judge_order(mu, np.ones(2), chances=chances).is_done == done


@pytest.mark.parametrize("bots", [0, 1])
def test_an_order_of_fewer_than_two_bots(bots: int) -> None:
    verdict = judge_order(np.full(bots, 25.0), np.ones(bots))
    assert verdict.is_done
    assert verdict.confidence == 1


def test_confidence_is_never_negative() -> None:
    assert judge_order(np.full(9, 25.0), np.full(9, 8.0)).confidence == 0
