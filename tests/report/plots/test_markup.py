"""Markup in which names are only text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots import markup
from arena.report.plots.text import measure
from tests.report.plots.drawn import STRANGE, only, read, words
from tests.report.plots.drawn import sentence as said


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (markup.element("g"), "<g/>"),
        (markup.element("g", class_=None), "<g/>"),
        (
            markup.element("text", "a", text_anchor="end", x=1.04),
            '<text text-anchor="end" x="1">a</text>',
        ),
        (markup.element("p", class_='"<&'), '<p class="&quot;&lt;&amp;"/>'),
        (markup.path("", "grid"), ""),
        (markup.path("M0 0", "grid"), '<path class="grid" d="M0 0"/>'),
        (markup.told(None), ""),
        (markup.writings([]), ""),
        (markup.write("a", (0, 0), 11.0), '<text x="0" y="3.8" font-size="11">a</text>'),
        (markup.turned((1, 2), -45), "rotate(-45 1 2)"),
    ],
)
def test_by_hand(found: str, expected: str) -> None:
    assert found == expected


def test_writings_share_what_is_said_of_them() -> None:
    found = markup.writings([("a", (0, 0)), ("b", (5, 0))], 11.0, class_="tick")
    assert found == (
        '<g font-size="11" class="tick"><text x="0" y="3.8">a</text>'
        '<text x="5" y="3.8">b</text></g>'
    )


@pytest.mark.parametrize("name", STRANGE, ids=range(len(STRANGE)))
def test_strange_names(name: str) -> None:
    content = markup.name(name, (0, 9), 90)
    drawn = only(markup.plot("x", (100, 20), f"x{name}", f"{name}.", content))
    assert all(letter.isprintable() for letter in drawn.title + drawn.desc)
    assert measure(drawn.texts()[0]) <= 90 if drawn.texts() else not name


@given(st.text(), st.floats(5, 300))
def test_any_name(text: str, room: float) -> None:
    (drawn,) = read(markup.name(text, (0, 0), room))
    shown = words(drawn)
    assert measure(shown) <= max(room, measure("…"))
    assert shown.isprintable()
    assert (drawn.find("title") is not None) == (shown.endswith("…") and not text.endswith("…"))


def test_long_texts_are_cut_where_they_are_told() -> None:
    assert len(markup.told("x" * 5000)) < 1100
    assert len(markup.sentence("x" * 5000 + ".")) < 1100


def test_sentence() -> None:
    assert said(markup.sentence("<b>.")) == "<b>."
