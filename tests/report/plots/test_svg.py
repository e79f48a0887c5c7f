"""Markup in which names are only text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots import svg
from arena.report.plots.svg import PHONE_WIDTH, SCREEN_WIDTH, draw_both_widths
from arena.report.plots.text import text_width
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_svg, visible_text
from tests.report.plots.svg_reader import parse_sentence as said
from tests.report.plots.test_palette import PLOTS


def test_both() -> None:
    wide, narrow = parse_svg(draw_both_widths(lambda width: f"<p>{width}</p>"))
    assert (wide.get("class"), wide.findtext("p")) == ("plot-wide", str(SCREEN_WIDTH))
    assert (narrow.get("class"), narrow.findtext("p")) == ("plot-narrow", str(PHONE_WIDTH))


def test_one_of_them_is_hidden() -> None:
    bare = re.sub(r"\s+", " ", PLOTS)
    assert bare.index(".plot-narrow { display: none; }") < bare.index("@media (width < 45rem)")
    narrow, _, printed = bare.partition("@media (width < 45rem)")[2].partition("@media print")
    assert ".plot-wide { display: none; }" in narrow
    assert ".plot-narrow { display: block; }" in narrow
    assert ".plot-wide { display: block; }" in printed
    assert ".plot-narrow { display: none; }" in printed


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (svg.element("g"), "<g/>"),
        (svg.element("g", class_=None), "<g/>"),
        (
            svg.element("text", "a", text_anchor="end", x=1.04),
            '<text text-anchor="end" x="1">a</text>',
        ),
        (svg.element("p", class_='"<&'), '<p class="&quot;&lt;&amp;"/>'),
        (svg.path("", "grid"), ""),
        (svg.path("M0 0", "grid"), '<path class="grid" d="M0 0"/>'),
        (svg.title_element(None), ""),
        (svg.text_lines([]), ""),
        (svg.text_line("a", (0, 0), 11.0), '<text x="0" y="3.8" font-size="11">a</text>'),
        (svg.rotation((1, 2), -45), "rotate(-45 1 2)"),
    ],
)
def test_hand_computed_example(found: str, expected: str) -> None:
    assert found == expected


def test_text_lines_share_attributes() -> None:
    found = svg.text_lines([("a", (0, 0)), ("b", (5, 0))], 11.0, class_="tick")
    assert found == (
        '<g font-size="11" class="tick"><text x="0" y="3.8">a</text>'
        '<text x="5" y="3.8">b</text></g>'
    )


@pytest.mark.parametrize("name", STRANGE_NAMES, ids=range(len(STRANGE_NAMES)))
def test_strange_names(name: str) -> None:
    content = svg.name_label(name, (0, 9), 90)
    drawn = parse_plot(svg.plot("x", (100, 20), f"x{name}", f"{name}.", content))
    assert all(letter.isprintable() for letter in drawn.title + drawn.desc)
    assert text_width(drawn.texts()[0]) <= 90 if drawn.texts() else not name


@given(st.text(), st.floats(5, 300))
def test_any_name(text: str, room: float) -> None:
    (drawn,) = parse_svg(svg.name_label(text, (0, 0), room))
    shown = visible_text(drawn)
    assert text_width(shown) <= max(room, text_width("…"))
    assert shown.isprintable()
    assert (drawn.find("title") is not None) == (shown.endswith("…") and not text.endswith("…"))


def test_long_titles_are_cut() -> None:
    assert len(svg.title_element("x" * 5000)) < 1100
    assert len(svg.placeholder("x" * 5000 + ".")) < 1100


def test_sentence() -> None:
    assert said(svg.placeholder("<b>.")) == "<b>."
