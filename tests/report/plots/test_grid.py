"""What is in the cells of a heat map, and what they say."""

import pytest

from arena.report.plots.grid import TOLD, Grid
from arena.report.plots.heatmap import heatmap
from tests.report.plots.drawn import only


@pytest.mark.slow
def test_what_cells_say_shrinks_where_there_are_many() -> None:
    def grid(many: int, name: str) -> Grid:
        return Grid(
            title="t",
            rows=[name] * many,
            columns=[name] * many,
            values=[[0.5] * many] * many,
            tells=lambda row, column: f"{row} and {column} " + "x" * 90,
        )

    assert "x" * 90 in heatmap(grid(20, "a"))
    assert "a, a: 0.5" in heatmap(grid(40, "a"))
    many = heatmap(grid(60, "a-longer-name"))
    assert only(many).titles() == []
    for found in (heatmap(grid(40, "a")), many, heatmap(grid(30, "ß" * 600))):
        said = only(found).titles()
        assert sum(len(one.encode()) for one in said) <= 2 * TOLD


def test_cells_that_cannot_be_are_left_out() -> None:
    grid = Grid(
        title="t",
        rows="a",
        columns="bc",
        values=((0.5, None),),
        tells=lambda _, column: "x" * (1 - column),
    )
    assert "–" not in only(heatmap(grid)).texts()


def flat(columns: list[str]) -> Grid:
    return Grid(title="t", rows="a", columns=columns, values=[[0.5] * len(columns)])


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
    assert flat(columns).level is level
    only(heatmap(flat(columns)))


def test_places_have_no_decimals() -> None:
    grid = flat(["sticheln", "hat-trick"])
    assert grid.wide % 2 == 0
    assert all(isinstance(one, int) for one in (grid.left, grid.top, *grid.size))
