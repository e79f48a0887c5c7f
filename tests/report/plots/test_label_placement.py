"""Labels that do not touch each other."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.svg import separate_labels


@pytest.mark.parametrize(
    ("wishes", "heights"),
    [
        ([], []),
        ([50], [50]),
        ([10, 40, 80], [10, 40, 80]),
        ([50, 50], [45, 55]),
        ([52, 50, 90], [56, 46, 90]),
        ([0, 0, 0], [0, 10, 20]),
        ([100, 100], [90, 100]),
    ],
)
def test_hand_computed_example(wishes: list[float], heights: list[float]) -> None:
    assert separate_labels(wishes, 10, 0, 100) == pytest.approx(heights)


@given(st.lists(st.floats(-50, 350), max_size=12))
def test_any_data(wishes: list[float]) -> None:
    heights = separate_labels(wishes, 16, 20, 300)
    order = sorted(range(len(wishes)), key=lambda place: heights[place])
    assert all(wishes[a] <= wishes[b] for a, b in pairwise(order))
    assert all(heights[b] - heights[a] >= 16 - 1e-6 for a, b in pairwise(order))
    assert all(20 - 1e-6 <= height <= 300 + 1e-6 for height in heights)


def test_too_many() -> None:
    heights = separate_labels([50.0] * 20, 10, 0, 100)
    assert sorted(heights) == pytest.approx([10 * place for place in range(20)])
