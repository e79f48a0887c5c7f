"""Heat maps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.grid import Grid
from arena.report.plots.heat import CHANCE, SHARE
from arena.report.plots.heatmap import heatmap
from tests.report.plots.drawn import STRANGE, only, plots, read, sentence

SMALL = Grid(
    title="Shares",
    rows=("ann", "bob"),
    columns=("first", "second"),
    values=((0.05, 0.95), (None, 0.5)),
    axis=("bot", "rank"),
    marks=frozenset({(1, 1)}),
    text=lambda value: f"{100 * value:.0f}",
)


def test_by_hand() -> None:
    names, drawn = plots(heatmap(SMALL))
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
    (box,) = read(heatmap(SMALL))
    assert box.attrib == {
        "class": "plot-scroll",
        "role": "group",
        "aria-label": "Shares",
        "tabindex": "0",
    }
    names, drawn = plots(heatmap(SMALL))
    assert names.height == drawn.height


def test_neighbours_of_one_colour_are_one_box() -> None:
    grid = Grid(title="t", rows=("a",), columns="bcd", values=((1.0, 1.0, 0.0),))
    _, drawn = plots(heatmap(grid))
    boxes = drawn.kinds("s8")[0].attrib["d"]
    assert boxes == f"M0 0h{2 * grid.wide}v22h-{2 * grid.wide}z"


@pytest.mark.parametrize("size", [(0, 0), (0, 3), (3, 0), (2, 2)])
def test_nothing(size: tuple[int, int]) -> None:
    rows, columns = size
    values: list[list[float | None]] = [[None, math.nan][:columns] for _ in range(rows)]
    grid = Grid(title="Shares", rows="ab"[:rows], columns="cd"[:columns], values=values)
    assert sentence(heatmap(grid)) == "Shares: nothing is known yet."


def test_colours_may_tell_something_else() -> None:
    grid = Grid(
        title="t", rows="a", columns="bc", values=((0.0, None),), warmth=((1.0, 1.0),), heat=CHANCE
    )
    drawn = only(heatmap(grid))
    assert len(drawn.kinds("d8")) == 2  # the key has each once
    assert len(drawn.kinds("none")) == 1


@given(st.data())
def test_anything(draw: st.DataObject) -> None:
    name = st.text(max_size=20) | st.sampled_from(STRANGE)
    rows = draw.draw(st.lists(name, max_size=4))
    columns = draw.draw(st.lists(name, max_size=9))
    value = st.none() | st.floats()
    line = st.lists(value, min_size=len(columns), max_size=len(columns))
    grid = Grid(
        title="t",
        rows=rows,
        columns=columns,
        values=draw.draw(st.lists(line, min_size=len(rows), max_size=len(rows))),
        heat=draw.draw(st.sampled_from([SHARE, CHANCE])),
    )
    found = heatmap(grid)
    assert found == heatmap(grid)
    if found.startswith("<p"):
        sentence(found)
    else:
        only(found)
