"""Standings of blocks: who is first, by points or by placement, and what counts as a tie."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.cell import Cell
from arena.ratings.results import RankBy, Results, block_ranks, tie_rate


def blocks(points: Sequence[Sequence[float]], placement: Sequence[Sequence[float]]) -> Results:
    shape = np.shape(points)
    nothing = np.zeros(shape, dtype=np.int64)
    return Results(
        cell=Cell("sticheln", shape[1]),
        bot_indices=np.tile(np.arange(shape[1]), (shape[0], 1)),
        games=np.full(shape[0], 4),
        points=np.array(points, dtype=float),
        placement=np.array(placement, dtype=float),
        wins=np.zeros(shape),
        faults=nothing,
        decisions=nothing,
        cpu=nothing,
    )


@pytest.mark.parametrize(
    ("points", "placement", "by", "expected"),
    [
        ([9, 5, 7], [0, 3, 1], "score", [1, 3, 2]),
        ([9, 5, 7], [0, 3, 1], "placement", [3, 1, 2]),
        ([7, 5, 7], [1, 0, 2], "score", [2, 3, 1]),
        ([7, 5, 7], [1, 0, 1], "score", [1, 3, 1]),
        ([1, 2, 3], [2, 2, 2], "placement", [3, 2, 1]),
        ([1, 2, 2], [2, 2, 2], "placement", [3, 1, 1]),
        ([0, 0, 0, 0], [2, 2, 2, 2], "score", [1, 1, 1, 1]),
        ([-3, -3, -9, 4], [1, 1, 0, 4], "score", [2, 2, 4, 1]),
    ],
)
def test_standing(
    points: list[float], placement: list[float], by: RankBy, expected: list[int]
) -> None:
    assert block_ranks(blocks([points], [placement]), by).tolist() == [expected]


def test_sums_of_thirds_tie_however_they_were_added_up() -> None:
    one, other = 1 / 3 + 2 / 3 + 1 / 3 + 1, 1 + 1 / 3 + 1 / 3 + 2 / 3
    third = 7 / 3 - 1e-15
    assert len({one, other, third}) > 1
    assert block_ranks(blocks([[5, 5, 5]], [[one, other, third]])).tolist() == [[1, 1, 1]]


@given(st.lists(st.lists(st.integers(-2, 2), min_size=8, max_size=8), min_size=1, max_size=9))
def test_as_it_would_be_sorted_by_hand(rows: list[list[int]]) -> None:
    points = [row[:4] for row in rows]
    placement = [row[4:] for row in rows]
    for found, first, second in zip(
        block_ranks(blocks(points, placement)).tolist(), points, placement, strict=True
    ):
        standing = list(zip(first, second, strict=True))
        assert found == [1 + sum(other > own for other in standing) for own in standing]


def test_no_blocks() -> None:
    nothing = blocks([[1, 2, 3]], [[0, 0, 0]])
    empty = Results(nothing.cell, *(getattr(nothing, name)[:0] for name in FIELDS))
    assert block_ranks(empty).shape == (0, 3)
    assert tie_rate(block_ranks(empty)) == 0


FIELDS = ("bot_indices", "games", "points", "placement", "wins", "faults", "decisions", "cpu")


@pytest.mark.parametrize(
    ("standings", "rate"),
    [
        ([[1, 2, 3, 4]], Fraction(0)),
        ([[1, 1, 3, 4]], Fraction(1, 3)),
        ([[1, 2, 2, 2]], Fraction(2, 3)),
        ([[4, 1, 1, 3], [1, 1, 1, 1]], Fraction(4, 6)),
        ([[2, 3, 1], [3, 1, 1]], Fraction(1, 4)),
    ],
)
def test_ties_are_counted_between_neighbours(standings: list[list[int]], rate: Fraction) -> None:
    assert tie_rate(np.array(standings)) == pytest.approx(float(rate))
