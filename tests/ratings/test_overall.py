"""The mean over cells."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from arena.ratings import trueskill
from arena.ratings.cell import Cell
from arena.ratings.overall import (
    MIN_SPREAD,
    Roster,
    average_cells,
    cell_weights,
    count_totals,
    counted_indices,
    rate_cells,
    round_figure,
    strength_spread,
)
from arena.ratings.trueskill import BETA, SIGMA, CellRating, rate_cell
from tests.ratings.example_results import make_results

SMALL, LARGE = Cell("sticheln", 3), Cell("sticheln", 4)
ROSTER = Roster("friday", ("ann", "bob", "cleo", "dan", "eve"))
THREE = make_results(SMALL, ([0, 1, 2], [9, 5, 1]), ([0, 1, 3], [9, 5, 1]), ([1, 2, 3], [5, 9, 1]))
FOUR = make_results(LARGE, ([3, 2, 1, 0], [9, 5, 1, 0]))


def test_every_cell_counts_by_one_over_its_spread() -> None:
    mean = average_cells(rate_cells(ROSTER, {SMALL: THREE, LARGE: FOUR}), 5)
    small, large = rate_cell(THREE, 5), rate_cell(FOUR, 5)
    one, other = cell_weights([small, large])
    assert one + other == pytest.approx(1)
    assert one / other == pytest.approx(strength_spread(large) / strength_spread(small))
    assert mean.is_complete.tolist() == [True] * 4 + [False]
    np.testing.assert_allclose(mean.mu[:4], (one * small.mu + other * large.mu)[:4], atol=5e-5)
    np.testing.assert_allclose(mean.sigma, np.hypot(one * small.sigma, other * large.sigma))
    np.testing.assert_allclose(
        mean.covariance, one**2 * small.covariance + other**2 * large.covariance
    )


def test_the_average_of_one_cell() -> None:
    mean = average_cells(rate_cells(ROSTER, {LARGE: FOUR}), 5)
    found = rate_cell(FOUR, 5)
    np.testing.assert_allclose(mean.mu, found.mu, atol=5e-5)
    np.testing.assert_allclose(mean.covariance, found.covariance)


def rating(mu: Sequence[float], sigma: float, *, absent: int = 0) -> CellRating:
    """Ratings whose errors are independent; some bots more have not played."""
    bots = len(mu) + absent
    played = np.arange(bots) < len(mu)
    errors = np.where(played, sigma, SIGMA)
    return CellRating(
        mu=np.array([*mu, *[25.0] * absent]),
        sigma=errors,
        covariance=np.diag(errors**2),
        has_played=played,
        blocks=played.astype(np.int64),
        sweeps=1,
        draw=0.001,
    )


@pytest.mark.parametrize(
    ("mu", "sigma", "wanted"),
    [
        ([], 1.0, SIGMA),
        ([31.0], 1.0, SIGMA),
        ([25.0] * 2, SIGMA, SIGMA),
        ([25.0] * 50, SIGMA, SIGMA),
        ([25.0] * 1000, 0.01, MIN_SPREAD),
        ([15.0, 35.0] * 500, 0.01, 10.0),
        ([5.0, 45.0] * 500, 0.01, 20.0),
        ([23.0, 27.0] * 500, 3.0, 13**0.5),
        ([25.0, 25.0], 0.01, SIGMA / 2**0.5),
        ([-100.0, 150.0], 0.01, 125.1),
    ],
)
def test_the_spread_of_a_cell(mu: list[float], sigma: float, wanted: float) -> None:
    """What is seen and what is not known yet; the prior where there is little of both."""
    assert strength_spread(rating(mu, sigma)) == pytest.approx(wanted, rel=0.01)
    assert strength_spread(rating(mu, sigma, absent=7)) == strength_spread(rating(mu, sigma))


def test_a_cell_with_four_times_the_spread_does_not_decide_the_order() -> None:
    """The orders in two cells are opposite: overall all are about equal."""
    narrow, wide = (
        rating([22.0, 24.0, 26.0, 28.0] * 5, 0.1),
        rating([37.0, 29.0, 21.0, 13.0] * 5, 0.1),
    )
    one, other = cell_weights([narrow, wide])
    apart = one * narrow.mu + other * wide.mu
    assert np.ptp(apart) < 0.1 * np.ptp(wide.mu)
    assert np.ptp((narrow.mu + wide.mu) / 2) > 0.3 * np.ptp(wide.mu)


@pytest.mark.slow
def test_intervals_hold_where_cells_differ_in_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two cells one has four times the spread of the other; the truth has the same weights."""
    monkeypatch.setattr(trueskill, "MIN_KERNEL_BLOCKS", 1)  # compiled code, for speed
    chance = np.random.default_rng(4)
    bots, inside, pairs = 12, 0, np.triu_indices(12, 1)
    for _ in range(25):
        strengths = [chance.normal(0, wide, bots) for wide in (2.0, 8.0)]
        found = {}
        for cell, strength in zip((SMALL, LARGE), strengths, strict=True):
            tables = [chance.permutation(bots)[: cell.seats] for _ in range(120)]
            found[cell] = make_results(
                cell,
                *(
                    (
                        bot_indices.tolist(),
                        (1000 * chance.normal(strength[bot_indices], BETA)).round().tolist(),
                    )
                    for bot_indices in tables
                ),
            )
        rated = rate_cells(Roster("x", tuple(map(str, range(bots)))), found)
        mean = average_cells(rated, bots)
        share = cell_weights([one.rating for one in rated])
        true = share @ strengths
        error = np.sqrt(
            np.diag(mean.covariance)[pairs[0]]
            + np.diag(mean.covariance)[pairs[1]]
            - 2 * mean.covariance[pairs]
        )
        off = np.abs(np.subtract(*mean.mu[list(pairs)]) - np.subtract(*true[list(pairs)]))
        inside += int((off < 1.96 * error).sum())
        assert 1.2 < share[0] / share[1] < 4
    assert 0.90 < inside / (25 * 66) < 0.985


COUNTING = [
    ("no cell", [], "", set(), set()),
    ("all known everywhere", ["9999", "9999"], "0123", set(), {0, 1}),
    ("a new cell is not counted", ["9999", "9990"], "0123", {0}, {0}),
    ("a few blocks are too few", ["9999", "9992"], "0123", {0}, {0}),
    ("it counts once all are known", ["9999", "3333"], "0123", {0}, {0, 1}),
    ("what counts once always does", ["9999", "0000"], "0123", {1}, {0, 1}),
    ("who has left does not matter", ["9999", "9990"], "012", {0}, {0, 1}),
    ("newcomers are not waited for", ["99991", "99990"], "01234", set(), {0, 1}),
    ("most are newcomers", ["1111", "1011"], "0123", set(), {0}),
    ("the first games: most bots", ["0011", "0111", "1100"], "0123", set(), {1}),
    ("the first games: the same bots", ["1111", "0111", "1111"], "0123", set(), {0, 2}),
    ("nobody has played", ["0000", "0000"], "0123", set(), {0, 1}),
    ("nobody is there", ["99", "99"], "", set(), {0, 1}),
    ("one of twenty may be late", ["9" * 20, "9" * 19 + "1"], range(20), {0}, {0, 1}),
    ("but must have played", ["9" * 20, "9" * 19 + "0"], range(20), {0}, {0}),
    ("two of twenty are too many", ["9" * 20, "9" * 18 + "11"], range(20), {0}, {0}),
    (
        "who has no rank loses none",
        ["9" * 19 + "0", "9" * 19 + "0", "9" * 20],
        range(20),
        {0},
        {0, 1, 2},
    ),
]


@pytest.mark.parametrize(
    ("blocks", "bots", "before", "wanted"),
    [row[1:] for row in COUNTING],
    ids=[row[0] for row in COUNTING],
)
def test_which_cells_count(
    blocks: list[str], bots: Iterable[str], before: set[int], wanted: set[int]
) -> None:
    """A string has the blocks of all bots in a cell, one digit each."""
    known = [np.array([int(one) for one in each]) for each in blocks]
    assert counted_indices(known, [int(bot) for bot in bots], before) == wanted


def test_a_cell_without_blocks_does_not_count() -> None:
    rated = rate_cells(ROSTER, {LARGE: FOUR, SMALL: make_results(SMALL)})
    assert [one.cell for one in rated] == [LARGE]


def test_the_order_is_by_mu_and_then_by_number() -> None:
    tied = make_results(SMALL, ([2, 1, 0], [5, 5, 5]), ([1, 0, 4], [5, 5, 1]))
    mean = average_cells(rate_cells(ROSTER, {SMALL: tied}), 5)
    assert mean.order[-1] == 4
    assert sorted(mean.order) == [0, 1, 2, 4]
    assert mean.order.index(0) < mean.order.index(1)


def test_anchors_are_at_25() -> None:
    roster = Roster("friday", ROSTER.bots, anchors=("dan", "nobody"))
    (one,) = rate_cells(roster, {LARGE: FOUR})
    assert one.rating.mu[3] == pytest.approx(25)
    assert one.rating.mu[0] < 25


def test_the_average_of_no_cells() -> None:
    mean = average_cells([], 5)
    assert not mean.is_complete.any()
    assert mean.order == []


def test_there_is_no_negative_zero() -> None:
    assert str(round_figure(-1e-9)) == "0.0"
    assert round_figure(1.23456) == 1.2346


def test_a_new_cell_does_not_wait_for_a_bot_that_is_absent() -> None:
    blocks = [np.full(20, 9), np.array([9] * 19 + [0])]
    assert counted_indices(blocks, range(20), {0}) == {0}
    assert counted_indices(blocks, range(20), {0}, {19}) == {0, 1}
    assert counted_indices(blocks, range(20), {0}, {18}) == {0}
    few = [np.full(8, 9), np.array([9] * 7 + [0])]
    assert counted_indices(few, range(8), {0}, {7}) == {0}, (
        "one of eight is more than one of twenty"
    )


CELL = Cell("sticheln", 3)


def test_a_count_by_hand() -> None:
    found = count_totals(
        make_results(CELL, ([0, 1, 2], [9, 5, 5]), ([3, 1, 0], [1, 2, 3]), faults=2), 5
    )
    assert found.blocks.tolist() == [2, 2, 1, 1, 0]
    assert found.games.tolist() == [2, 2, 1, 1, 0]
    assert found.placement.tolist() == [1.0, (0.25 + 0.5) / 2, 0.25, 0.0, 0.0]
    assert found.wins.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert found.faults.tolist() == [4, 4, 2, 2, 0]
    assert found.decisions.tolist() == [20, 20, 10, 10, 0]
    assert found.cpu.tolist() == [1000, 1000, 500, 500, 0]


def test_tied_winners_share_the_win() -> None:
    found = count_totals(make_results(CELL, ([0, 1, 2], [7, 7, 1])), 3)
    assert found.wins.tolist() == [0.5, 0.5, 0.0]


def test_no_blocks() -> None:
    found = count_totals(make_results(CELL), 4)
    assert not np.any([found.blocks, found.games, found.placement, found.wins, found.cpu])
