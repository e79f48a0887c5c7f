"""Dots in their intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.whiskers import Scale, axis, box, scale, whisker

ON = Scale(20, 30, 11)


@pytest.mark.parametrize(
    ("value", "low", "high", "drawn"),
    [
        (27, 26, 29, "     ┊├●─┤ "),
        (25, 23, 27, "   ├─●─┤   "),
        (21, 20.9, 21.1, " ●   ┊     "),
        (20, 20, 22, "●─┤  ┊     "),
    ],
)
def test_whisker(value: float, low: float, high: float, drawn: str) -> None:
    assert whisker(ON, value, low, high, 25).plain == drawn


def test_box() -> None:
    assert box(ON, (20, 22, 24, 27, 30), 25).plain == "├─━━●━━━──┤"


def test_axis() -> None:
    assert axis(ON, 25).plain == "20  25   30"
    assert axis(Scale(20, 25.4, 11), 25).plain == "20       25"
    assert axis(Scale(-9.6, 30, 11), 0).plain == "−10      30"
    assert axis(Scale(-9.6, 9.6, 11), 0).plain == "−10  0   10"


def test_a_scale_holds_everything() -> None:
    assert scale([(22, 24), (26, 31)], 10, 25) == Scale(22, 31, 10)
    assert scale([(26, 31)], 10, 25) == Scale(25, 31, 10)
    assert scale([], 10, 25) == Scale(25, 25, 10)


@given(st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6).map(sorted), st.integers(1, 50))
def test_it_is_as_wide_as_it_should_be(values: list[float], width: int) -> None:
    low, *quantiles = values
    on = scale([(low, quantiles[-1])], width, 0.0)
    drawn = box(on, quantiles, 0.0).plain
    assert len(drawn) == width
    assert "●" in drawn
    assert len(axis(on, 0.0).plain) <= width
