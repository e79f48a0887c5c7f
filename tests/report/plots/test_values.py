"""Values as they are taken and written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.values import (
    FARTHEST,
    counted,
    estimate,
    finite,
    number,
    percent,
    reach,
    spot,
    usual,
)

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("value", [None, NAN, INF, -INF, 1e9, -2e12])
def test_no_place(value: float | None) -> None:
    assert finite(value) is None


def test_place() -> None:
    assert finite(-3) == -3.0


@pytest.mark.parametrize(
    ("margin", "found"),
    [(None, None), (NAN, None), (INF, FARTHEST), (1e12, FARTHEST), (-2.0, 2.0), (0.0, 0.0)],
)
def test_reach(margin: float | None, found: float | None) -> None:
    assert reach(margin) == found


def test_usual() -> None:
    assert usual([1.0, 2.0, 3.0, None, FARTHEST]) == 6.0
    assert usual([None, FARTHEST]) == 0.0


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (1.25, "1.2"), (-0.04, "0"), (-1.06, "-1.1"), (0.0, "0")]
)
def test_spot(value: float, text: str) -> None:
    assert spot(value) == text


@pytest.mark.parametrize(
    ("value", "digits", "sign", "text"),
    [
        (1234.5, 0, "", "1,234"),
        (-0.01, 1, "", "0.0"),
        (-0.01, 1, "+", "+0.0"),
        (-2.5, 1, "", "−2.5"),
        (2.5, 1, "+", "+2.5"),
    ],
)
def test_number(value: float, digits: int, sign: str, text: str) -> None:
    assert number(value, digits, sign) == text


@pytest.mark.parametrize(
    ("value", "margin", "text"),
    [
        (25.04, 1.26, "25.0 ±1.3"),
        (25.0, None, "25.0"),
        (25.0, INF, "25.0 ±∞"),
        (25.0, NAN, "25.0"),
        (None, 1.0, "–"),
        (NAN, 1.0, "–"),
    ],
)
def test_estimate(value: float | None, margin: float | None, text: str) -> None:
    assert estimate(value, margin) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        *((0.0, "0 %"), (0.004, "<1 %"), (0.01, "1 %"), (0.5, "50 %")),
        *((0.99, "99 %"), (0.994, ">99 %"), (1.0, "100 %")),
    ],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


def test_counted() -> None:
    assert [counted(many, "bot") for many in (0, 1, 1200)] == ["0 bots", "1 bot", "1,200 bots"]


@given(st.none() | st.floats(), st.none() | st.floats())
def test_never_anything_else(value: float | None, margin: float | None) -> None:
    text = estimate(value, margin)
    assert set(text) <= set("0123456789,.−–±∞ ")
    assert text.isprintable()
