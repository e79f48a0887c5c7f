"""Ratings as dots in their intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.standings import StandingsLine
from arena.report.plots.svg import PHONE_WIDTH, SCREEN_WIDTH
from arena.report.plots.whiskers import (
    CELL_SIZE,
    MANY_ROWS,
    PlottedRating,
    domain,
    draw,
    draw_cell,
    draw_head,
    plotted_ratings,
    shared_scale,
)
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_sentence

FEW = (
    PlottedRating("ann", 32.5, 2.0, 1),
    PlottedRating("bob", 31.0, 2.5, 1),
    PlottedRating("cleo", 20.0, math.inf, 2),
    PlottedRating("dan", None),
)


def test_hand_computed_example() -> None:
    drawn = parse_plot(draw(FEW))
    assert drawn.title == "Ratings"
    assert drawn.desc == (
        "Ratings of 3 bots with 95 % intervals: ann 32.5 ±2.0, bob 31.0 ±2.5, cleo 20.0 ±∞."
        " 1 bot without a rating. The line at 25 is the mean."
    )
    texts = drawn.texts()
    assert [text for text in texts if text in {"ann", "bob", "cleo", "dan"}] == [
        *("ann", "bob", "cleo", "dan")
    ]
    assert {"32.5 ±2.0", "31.0 ±2.5", "20.0 ±∞", "–", "rating (mu)", "25"} <= set(texts)
    assert len(drawn.kinds("dot")) == 3
    assert len(drawn.kinds("muted")) == 2
    (rules,) = drawn.kinds("rule")
    assert rules.attrib["d"].count("M") == 2


def test_arrows_where_an_interval_goes_on() -> None:
    first, _, last = (one.attrib["d"] for one in parse_plot(draw(FEW)).kinds("whisker"))
    assert "l" not in first
    assert last.count("l") == 4


def test_from_standings() -> None:
    line = StandingsLine(bot="ann", mu=26.0, margin=1.0, tier=3, blocks=1, games=1, faults=0)
    assert plotted_ratings([line]) == (PlottedRating("ann", 26.0, 1.0, 3),)


def test_an_endless_interval_leaves_room_to_the_others() -> None:
    low, high = domain(FEW)
    assert high - low < 40


@pytest.mark.parametrize(
    ("rated", "words"),
    [
        ((), "There is no bot to be rated."),
        (
            (PlottedRating("ann", None), PlottedRating("bob", math.nan)),
            "None of 2 bots has a rating yet.",
        ),
    ],
)
def test_no_bots(rated: tuple[PlottedRating, ...], words: str) -> None:
    assert parse_sentence(draw(rated)) == words


@pytest.mark.parametrize("width", [SCREEN_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("many", [1, 2, 60])
def test_sizes(many: int, width: float) -> None:
    rated = [
        PlottedRating(f"bot {place}", 40 - place / 3, 1.0, place // 4) for place in range(many)
    ]
    drawn = parse_plot(draw(rated, width=width))
    assert drawn.width == width
    assert len(drawn.kinds("dot")) == many
    assert len(drawn.kinds("tick")) == (2 if many >= MANY_ROWS else 1)


@given(
    st.lists(
        st.builds(
            PlottedRating,
            st.text(max_size=20) | st.sampled_from(STRANGE_NAMES),
            st.none() | st.floats(),
            st.none() | st.floats(),
            st.none() | st.integers(1, 3),
        ),
        max_size=5,
    ),
    st.sampled_from([SCREEN_WIDTH, PHONE_WIDTH]),
)
def test_any_data(rated: list[PlottedRating], width: float) -> None:
    found = draw(rated, width=width)
    assert found == draw(rated, width=width)
    if found.startswith("<p"):
        parse_sentence(found)
    else:
        parse_plot(found)


@pytest.mark.parametrize("one", [*FEW, PlottedRating(STRANGE_NAMES[0], 12.0, 99.0)])
def test_cells(one: PlottedRating) -> None:
    drawn = parse_plot(draw_cell(one, shared_scale(FEW)))
    assert (drawn.width, drawn.height) == CELL_SIZE
    assert len(drawn.kinds("dot")) == (one.mu is not None)
    assert len(drawn.kinds("mean")) == 1


def test_head() -> None:
    drawn = parse_plot(draw_head(shared_scale(FEW)))
    assert drawn.title == "rating (mu)"
    assert len(drawn.texts()) >= 2
