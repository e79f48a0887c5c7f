"""How wide text is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.text import ELLIPSIS, doubtful, measure, shorten


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("", "i"), ("iii", "mmm"), ("abc", "abcd"), ("abc", "ABC"), ("ab", "日本"), ("ab", "🂡🂡")],
)
def test_wider(narrow: str, wide: str) -> None:
    assert measure(narrow) < measure(wide)


def test_size_and_marks() -> None:
    assert measure("name", 24) == pytest.approx(2 * measure("name", 12))
    assert measure("e\u0301") == measure("e")


@given(st.text(), st.floats(0, 400))
def test_shortened_fits(text: str, room: float) -> None:
    shown = shorten(text, room)
    assert measure(shown) <= max(room, measure(ELLIPSIS))
    assert shown == text or (shown.endswith(ELLIPSIS) and text.startswith(shown[:-1]))
    assert (shown == text) or measure(text) > room


def test_shortened_as_little_as_can_be() -> None:
    assert shorten("abcdefghij", measure("abcdef" + ELLIPSIS)) == "abcdef" + ELLIPSIS
    assert shorten("W" * 5000, 100).count("W") == 7
    assert shorten("first legal", measure("first " + ELLIPSIS)) == "first" + ELLIPSIS


@pytest.mark.parametrize(("text", "doubt"), [("abc", False), ("日本", False), ("𒐫", True)])
def test_doubtful(text: str, doubt: bool) -> None:
    assert doubtful(text) is doubt
