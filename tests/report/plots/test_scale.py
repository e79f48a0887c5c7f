"""Scales and ticks."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.scale import Scale, Tick, across, other, span, steps
from arena.report.plots.text import SMALL, measure

VALUES = st.floats(-1e6, 1e6)


def test_places() -> None:
    scale = Scale(0, 10, 100, 0)
    assert (scale.at(0), scale.at(10), scale.at(5), scale.at(20)) == (100, 0, 50, -100)
    assert (scale.within(20), scale.within(-3)) == (0, 100)
    assert scale.holds(10)
    assert not scale.holds(10.1)


@pytest.mark.parametrize(
    ("low", "high", "most", "labels"),
    [
        (0, 10, 6, "0 2 4 6 8 10"),
        (15.2, 47, 9, "20 25 30 35 40 45"),
        (-0.3, 0.31, 7, "−0.3 −0.2 −0.1 0.0 0.1 0.2 0.3"),
        (0, 12345, 4, "0 5,000 10,000"),
        (24.5, 25.5, 1, "25"),
    ],
)
def test_steps(low: float, high: float, most: int, labels: str) -> None:
    assert " ".join(tick.label for tick in steps(low, high, most)) == labels


@given(st.lists(VALUES, max_size=6), st.floats(0.01, 100), st.integers(1, 12))
def test_any_steps(values: list[float], least: float, most: int) -> None:
    low, high = span(values, least)
    assert all(low <= value <= high for value in values)
    assert high - low >= least
    ticks = steps(low, high, most)
    assert len(ticks) <= most
    assert all(low - 1e-6 * least <= tick.value <= high + 1e-6 * least for tick in ticks)
    assert len({tick.label for tick in ticks}) == len(ticks)
    gaps = [right.value - left.value for left, right in pairwise(ticks)]
    assert all(gap == pytest.approx(gaps[0], rel=1e-3) for gap in gaps)


@given(st.lists(VALUES, max_size=6), st.floats(40, 600))
def test_labels_do_not_touch(values: list[float], room: float) -> None:
    scale = Scale(*span(values, 1.0), 0, room)
    for left, right in pairwise(across(scale)):
        space = (measure(left.label, SMALL) + measure(right.label, SMALL)) / 2
        assert scale.at(right.value) - scale.at(left.value) > space


def test_two_ticks_where_there_is_little_room() -> None:
    assert [tick.label for tick in across(Scale(-47, 47, 0, 145))] == ["−40", "0", "40"]


def test_other() -> None:
    ticks = [Tick(float(value), str(value)) for value in (-3, -2, -1, 0, 1, 2)]
    assert [tick.value for tick in other(ticks)] == [-2, 0, 2]
