"""How points scatter."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.breakdowns import BotDistribution, CellSpread
from arena.ratings.cell import Cell
from arena.report.plots.distributions import MAX_BAR_HEIGHT, draw
from arena.report.plots.svg import PHONE_WIDTH, SCREEN_WIDTH
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_sentence

CELL = Cell("sticheln", 3)
ANN = BotDistribution("ann", 90, 5.0, 8.0, (-8.0, 0.0, 6.0, 10.0, 17.0), (60.0, 20.0, 10.0))
BOB = BotDistribution("bob", 90, -5.0, 7.5, (-17.0, -10.0, -6.0, 0.0, 8.0), (10.0, 35.0, 45.0))


def test_hand_computed_example() -> None:
    drawn = parse_plot(draw(CellSpread(CELL, 0.5, (ANN, BOB))))
    assert {"ann", "bob", "+5.0", "−5.0", "mean", "ranks"} <= set(drawn.texts())
    assert "points in a game, less the mean of the table" in drawn.texts()
    assert drawn.desc == (
        "Mean points in a game of 2 bots in sticheln, 3 seats: ann +5.0 (deviation 8.0), "
        "bob −5.0 (deviation 7.5)."
    )
    assert drawn.titles() == [
        "ann, 90 games: 5 % −8.0, 25 % +0.0, median +6.0, 75 % +10.0, 95 % +17.0; mean +5.0",
        "ann: rank 1 67 %, rank 2 22 %, rank 3 11 %",
        "bob, 90 games: 5 % −17.0, 25 % −10.0, median −6.0, 75 % +0.0, 95 % +8.0; mean −5.0",
        "bob: rank 1 11 %, rank 2 39 %, rank 3 50 %",
    ]
    first = drawn.kinds("bars")[0].attrib["d"]
    assert f"v-{MAX_BAR_HEIGHT:.0f}h6" in first


def test_hills() -> None:
    shown = CellSpread(CELL, 0.5, (ANN, BOB))
    edges = [-20.0, 0.0, 20.0]
    found = draw(shown, edges=edges, histograms={"ann": [30, 60], "bob": [1]})
    assert len(parse_plot(found).kinds("hill")) == 1
    assert parse_plot(found).height > parse_plot(draw(shown)).height


@pytest.mark.parametrize("bots", [(), (BotDistribution("ann", 0, math.nan, math.nan, (), ()),)])
def test_no_data(bots: tuple[BotDistribution, ...]) -> None:
    assert parse_sentence(draw(CellSpread(CELL, None, bots))) == (
        "No points are known yet in sticheln, 3 seats."
    )


@pytest.mark.parametrize("width", [SCREEN_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("many", [1, 2, 60])
def test_sizes(many: int, width: float) -> None:
    drawn = parse_plot(draw(CellSpread(CELL, None, (ANN,) * many), width=width))
    assert drawn.texts().count("ann") == many
    assert {"0", "10"} & set(drawn.texts())


@given(
    st.lists(
        st.builds(
            BotDistribution,
            st.sampled_from(STRANGE_NAMES),
            st.integers(0, 9),
            st.floats(),
            st.floats(),
            st.lists(st.floats(), min_size=5, max_size=5).map(sorted).map(tuple),
            st.lists(st.floats(0, 100), max_size=8).map(tuple),
        ),
        max_size=4,
    ),
    st.sampled_from([SCREEN_WIDTH, PHONE_WIDTH]),
)
def test_any_data(bots: list[BotDistribution], width: float) -> None:
    found = draw(CellSpread(CELL, None, tuple(bots)), width=width)
    assert found == draw(CellSpread(CELL, None, tuple(bots)), width=width)
    if found.startswith("<p"):
        parse_sentence(found)
    else:
        parse_plot(found)
