"""How wide text is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.text import (
    ELLIPSIS,
    MAX_VALUE,
    coordinate,
    estimate_text,
    finite,
    finite_margin,
    has_doubtful_width,
    margin_limit,
    number,
    percent,
    shorten,
    text_width,
)


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("", "i"), ("iii", "mmm"), ("abc", "abcd"), ("abc", "ABC"), ("ab", "日本"), ("ab", "🂡🂡")],
)
def test_wider(narrow: str, wide: str) -> None:
    assert text_width(narrow) < text_width(wide)


def test_size_and_marks() -> None:
    assert text_width("name", 24) == pytest.approx(2 * text_width("name", 12))
    assert text_width("e\u0301") == text_width("e")


@given(st.text(), st.floats(0, 400))
def test_shortened_fits(text: str, room: float) -> None:
    shown = shorten(text, room)
    assert text_width(shown) <= max(room, text_width(ELLIPSIS))
    assert shown == text or (shown.endswith(ELLIPSIS) and text.startswith(shown[:-1]))
    assert (shown == text) or text_width(text) > room


def test_shortened_as_little_as_can_be() -> None:
    assert shorten("abcdefghij", text_width("abcdef" + ELLIPSIS)) == "abcdef" + ELLIPSIS
    assert shorten("W" * 5000, 100).count("W") == 7
    assert shorten("first legal", text_width("first " + ELLIPSIS)) == "first" + ELLIPSIS


@pytest.mark.parametrize(("text", "doubt"), [("abc", False), ("日本", False), ("𒐫", True)])
def test_characters_of_doubtful_width(text: str, doubt: bool) -> None:
    assert has_doubtful_width(text) is doubt


INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("value", [None, NAN, INF, -INF, 1e9, -2e12])
def test_values_that_are_not_finite(value: float | None) -> None:
    assert finite(value) is None


def test_a_finite_value() -> None:
    assert finite(-3) == -3.0


@pytest.mark.parametrize(
    ("margin", "found"),
    [(None, None), (NAN, None), (INF, MAX_VALUE), (1e12, MAX_VALUE), (-2.0, 2.0), (0.0, 0.0)],
)
def test_finite_margins(margin: float | None, found: float | None) -> None:
    assert finite_margin(margin) == found


def test_margin_limit() -> None:
    assert margin_limit([1.0, 2.0, 3.0, None, MAX_VALUE]) == 6.0
    assert margin_limit([None, MAX_VALUE]) == 0.0


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (1.25, "1.2"), (-0.04, "0"), (-1.06, "-1.1"), (0.0, "0")]
)
def test_coordinates(value: float, text: str) -> None:
    assert coordinate(value) == text


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
    assert estimate_text(value, margin) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        *((0.0, "0 %"), (0.004, "<1 %"), (0.01, "1 %"), (0.5, "50 %")),
        *((0.99, "99 %"), (0.994, ">99 %"), (1.0, "100 %")),
    ],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@given(st.none() | st.floats(), st.none() | st.floats())
def test_estimates_use_few_characters(value: float | None, margin: float | None) -> None:
    text = estimate_text(value, margin)
    assert set(text) <= set("0123456789,.−–±∞ ")
    assert text.isprintable()
