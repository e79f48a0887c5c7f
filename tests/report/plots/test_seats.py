"""What a seat is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.breakdowns import CellBias, Effect
from arena.ratings.cell import Cell
from arena.report.plots.seats import draw_panels
from arena.report.plots.svg import PHONE_WIDTH, SCREEN_WIDTH
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_sentence

AXIS = "placed, % above or below a fair seat"


def cell(variant: str, *effects: Effect) -> CellBias:
    return CellBias(Cell(variant, len(effects)), 300, effects, ())


SURE, MAYBE, UNKNOWN = Effect(0.05, 0.01), Effect(-0.01, 0.02), Effect(0.02, None)


def test_hand_computed_example() -> None:
    drawn = parse_plot(draw_panels([cell("sticheln", SURE, MAYBE, UNKNOWN)]))
    assert {"sticheln, 3 seats", "seat 0", "seat 1", "seat 2", AXIS} <= set(drawn.texts())
    assert drawn.texts()[-3:] == ["+5.0 ±1.0", "−1.0 ±2.0", "+2.0"]
    assert len(drawn.kinds("dot")) == 3
    assert len(drawn.kinds("hollow")) == 2
    assert len(drawn.kinds("whisker")) == 2
    assert drawn.desc == (
        "What each seat is worth in 1 cell: 1 of 3 seats surely differ from a half, most of all "
        "seat 0 of sticheln, 3 seats +5.0 ±1.0 %."
    )


def test_nothing_sure() -> None:
    drawn = parse_plot(draw_panels([cell("sticheln", MAYBE, MAYBE)]))
    assert drawn.desc.endswith("none of 2 seats is surely better or worse than a half.")


@pytest.mark.parametrize(
    "cells", [[], [cell("sticheln")], [cell("sticheln", Effect(math.nan, 1.0))]]
)
def test_no_data(cells: list[CellBias]) -> None:
    assert parse_sentence(draw_panels(cells)).startswith("What each seat is worth in ")


@pytest.mark.parametrize(
    ("many", "width", "named"),
    [(1, SCREEN_WIDTH, 1), (2, SCREEN_WIDTH, 2), (7, SCREEN_WIDTH, 2), (7, PHONE_WIDTH, 1)],
)
def test_the_axis_is_named_once_in_a_column(many: int, width: float, named: int) -> None:
    drawn = parse_plot(draw_panels([cell("hat-trick", SURE, MAYBE)] * many, width=width))
    assert drawn.texts().count(AXIS) == named
    assert drawn.texts().count("hat-trick, 2 seats") == many


@given(
    st.lists(
        st.tuples(
            st.sampled_from(STRANGE_NAMES),
            st.lists(st.builds(Effect, st.floats(), st.none() | st.floats()), max_size=4),
        ),
        max_size=4,
    ),
    st.sampled_from([SCREEN_WIDTH, PHONE_WIDTH]),
)
def test_any_data(several: list[tuple[str, list[Effect]]], width: float) -> None:
    cells = [cell(variant, *effects) for variant, effects in several]
    found = draw_panels(cells, width=width)
    assert found == draw_panels(cells, width=width)
    if found.startswith("<p"):
        parse_sentence(found)
    else:
        parse_plot(found)
