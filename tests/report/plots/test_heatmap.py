"""Heat maps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.heatmap import (
    CHANCE_COLOURS,
    LEVELS,
    MAX_TOOLTIP_BYTES,
    MIDDLE_CLASS,
    SHARE_COLOURS,
    ColourScale,
    Heatmap,
    diverging_colours,
    draw_heatmap,
)
from tests.report.plots.svg_reader import (
    STRANGE_NAMES,
    parse_plot,
    parse_plots,
    parse_sentence,
    parse_svg,
)


@pytest.mark.slow
def test_cell_tooltips_are_shortened_in_large_grids() -> None:
    def grid(many: int, name: str) -> Heatmap:
        return Heatmap(
            title="t",
            rows=[name] * many,
            columns=[name] * many,
            values=[[0.5] * many] * many,
            cell_tooltip=lambda row, column: f"{row} and {column} " + "x" * 90,
        )

    assert "x" * 90 in draw_heatmap(grid(20, "a"))
    assert "a, a: 0.5" in draw_heatmap(grid(40, "a"))
    many = draw_heatmap(grid(60, "a-longer-name"))
    assert parse_plot(many).titles() == []
    for found in (draw_heatmap(grid(40, "a")), many, draw_heatmap(grid(30, "ß" * 600))):
        said = parse_plot(found).titles()
        assert sum(len(one.encode()) for one in said) <= 2 * MAX_TOOLTIP_BYTES


def test_cells_that_cannot_be_are_left_out() -> None:
    grid = Heatmap(
        title="t",
        rows="a",
        columns="bc",
        values=((0.5, None),),
        cell_tooltip=lambda _, column: "x" * (1 - column),
    )
    assert "–" not in parse_plot(draw_heatmap(grid)).texts()


def flat(columns: list[str]) -> Heatmap:
    return Heatmap(title="t", rows="a", columns=columns, values=[[0.5] * len(columns)])


@pytest.mark.parametrize(
    ("columns", "level"),
    [
        (["a", "b"], True),
        (["first-legal"], True),
        (["sticheln+reverse"] * 2, False),
        (["monte-c"] * 40, False),
    ],
)
def test_names_of_columns_are_turned_where_they_would_need_wide_ones(
    columns: list[str], level: bool
) -> None:
    assert flat(columns).has_horizontal_names is level
    parse_plot(draw_heatmap(flat(columns)))


def test_places_have_no_decimals() -> None:
    grid = flat(["sticheln", "hat-trick"])
    assert grid.column_width % 2 == 0
    assert all(
        isinstance(one, int) for one in (grid.row_names_width, grid.header_height, *grid.size)
    )


@pytest.mark.parametrize(
    ("heat", "levels"),
    [
        (SHARE_COLOURS, {0.0: 0, 0.1: 0, 0.12: 1, 0.5: 4, 0.99: 8, 1.0: 8, -5.0: 0, 5.0: 8}),
        (CHANCE_COLOURS, {0.0: 0, 0.45: 4, 0.5: 4, 0.55: 4, 0.6: 5, 0.4: 3, 1.0: 8, 7.0: 8}),
        (ColourScale(3.0, 3.0), {3.0: 0, 4.0: 0}),
        (ColourScale(3.0, 3.0, 3.0), {3.0: 4, 4.0: 4}),
    ],
)
def test_levels(heat: ColourScale, levels: dict[float, int]) -> None:
    assert {value: heat.level(value) for value in levels} == levels


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_levels_are_monotonic(one: float, other: float) -> None:
    for heat in (SHARE_COLOURS, CHANCE_COLOURS, ColourScale(-5, 20, 1)):
        low, high = heat.level(min(one, other)), heat.level(max(one, other))
        assert 0 <= low <= high < LEVELS


def test_diverging_colours() -> None:
    assert diverging_colours([[1.0, None], [float("nan"), -7.0]], 2.0) == ColourScale(
        -7.0, 11.0, 2.0
    )
    assert diverging_colours([], 25.0, 2.0) == ColourScale(23.0, 27.0, 25.0)


def test_css_classes() -> None:
    assert (
        SHARE_COLOURS.css_class(0),
        SHARE_COLOURS.css_class(8),
        CHANCE_COLOURS.css_class(0),
    ) == (
        "s0",
        "s8",
        "d0",
    )
    assert CHANCE_COLOURS.css_class(CHANCE_COLOURS.level(0.5)) == MIDDLE_CLASS


SMALL = Heatmap(
    title="Shares",
    rows=("ann", "bob"),
    columns=("first", "second"),
    values=((0.05, 0.95), (None, 0.5)),
    axis_titles=("bot", "rank"),
    marked_cells=frozenset({(1, 1)}),
    format_value=lambda value: f"{100 * value:.0f}",
)


def test_hand_computed_example() -> None:
    names, drawn = parse_plots(draw_heatmap(SMALL))
    assert names.texts() == ["bot", "ann", "bob"]
    assert drawn.texts() == ["rank", "first", "second", "5", "95", "–", "50", "0", "100"]
    assert drawn.desc == "Shares: 2 rows by 2 columns, from 5 (ann, first) to 95 (ann, second)."
    assert drawn.titles() == [
        "ann, first: 5",
        "ann, second: 95",
        "bob, first: –",
        "bob, second: 50",
    ]
    kinds = {kind: len(drawn.kinds(kind)) for kind in ("s0", "s8", "s4", "none", "sign", "lit")}
    assert kinds == {"s0": 2, "s8": 2, "s4": 2, "none": 1, "sign": 1, "lit": 1}
    assert [one.text for one in drawn.kinds("muted")] == ["–"]


def test_container_scrolls_and_can_be_reached() -> None:
    (box,) = parse_svg(draw_heatmap(SMALL))
    assert box.attrib == {
        "class": "plot-scroll",
        "role": "group",
        "aria-label": "Shares",
        "tabindex": "0",
    }
    names, drawn = parse_plots(draw_heatmap(SMALL))
    assert names.height == drawn.height


def test_neighbours_of_one_colour_are_one_box() -> None:
    grid = Heatmap(title="t", rows=("a",), columns="bcd", values=((1.0, 1.0, 0.0),))
    _, drawn = parse_plots(draw_heatmap(grid))
    boxes = drawn.kinds("s8")[0].attrib["d"]
    assert boxes == f"M0 0h{2 * grid.column_width}v22h-{2 * grid.column_width}z"


@pytest.mark.parametrize("size", [(0, 0), (0, 3), (3, 0), (2, 2)])
def test_no_data(size: tuple[int, int]) -> None:
    rows, columns = size
    values: list[list[float | None]] = [[None, math.nan][:columns] for _ in range(rows)]
    grid = Heatmap(title="Shares", rows="ab"[:rows], columns="cd"[:columns], values=values)
    assert parse_sentence(draw_heatmap(grid)) == "Shares: nothing is known yet."


def test_colours_may_show_other_values() -> None:
    grid = Heatmap(
        title="t",
        rows="a",
        columns="bc",
        values=((0.0, None),),
        colour_values=((1.0, 1.0),),
        colour_scale=CHANCE_COLOURS,
    )
    drawn = parse_plot(draw_heatmap(grid))
    assert len(drawn.kinds("d8")) == 2  # the key has each once
    assert len(drawn.kinds("none")) == 1


@given(st.data())
def test_any_data(draw: st.DataObject) -> None:
    name = st.text(max_size=20) | st.sampled_from(STRANGE_NAMES)
    rows = draw.draw(st.lists(name, max_size=4))
    columns = draw.draw(st.lists(name, max_size=9))
    value = st.none() | st.floats()
    line = st.lists(value, min_size=len(columns), max_size=len(columns))
    grid = Heatmap(
        title="t",
        rows=rows,
        columns=columns,
        values=draw.draw(st.lists(line, min_size=len(rows), max_size=len(rows))),
        colour_scale=draw.draw(st.sampled_from([SHARE_COLOURS, CHANCE_COLOURS])),
    )
    found = draw_heatmap(grid)
    assert found == draw_heatmap(grid)
    if found.startswith("<p"):
        parse_sentence(found)
    else:
        parse_plot(found)
