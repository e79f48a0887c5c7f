"""Columns that fit into the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from arena.cli.grid import (
    TextScale,
    axis,
    box_plot,
    fitting_columns,
    fixed_column,
    flexible_column,
    grid_lines,
    markdown_table,
    scale_around,
    shorten,
    split_columns,
    total_width,
    whisker,
)
from arena.sanitize import printable

NAMES = flexible_column("bot", [Text("ann"), Text("a-name-that-is-long-1")], 9, 6)
GOOD = fixed_column("mu", [Text("31.2"), Text("5.0")], 8)
LESS = fixed_column("games", [Text("1,000"), Text("20")], 1)


def render_grid(width: int) -> list[str]:
    return [line.plain for line in grid_lines([NAMES, GOOD, LESS], width)]


def test_all_there_is() -> None:
    assert render_grid(80) == [
        "bot                      mu  games",
        "ann                    31.2  1,000",
        "a-name-that-is-long-1   5.0     20",
    ]


def test_names_are_shortened_before_a_column_goes() -> None:
    assert render_grid(20) == [
        "bot        mu  games",
        "ann      31.2  1,000",
        "a-n…g-1   5.0     20",
    ]


def test_the_least_useful_column_goes_first() -> None:
    assert render_grid(18)[0].split() == ["bot", "mu"]
    assert render_grid(8)[0].split() == ["bot"]


def test_a_rule_above_a_row() -> None:
    lines = [line.plain for line in grid_lines([GOOD], 80, {1})]
    assert lines == ["  mu", "31.2", "┄┄┄┄", " 5.0"]


def test_a_title_of_several_lines_stands_on_its_column() -> None:
    tall = fixed_column("a\n+b\n+c", [Text("1"), Text("2")])
    assert [line.plain for line in grid_lines([GOOD, tall], 80)] == [
        "       a",
        "      +b",
        "  mu  +c",
        "31.2   1",
        " 5.0   2",
    ]


def test_columns_go_on_below() -> None:
    columns = [fixed_column(str(number), [Text("x" * 8)]) for number in range(5)]
    found = split_columns(NAMES, columns, 30)
    assert [len(bundle) - 1 for bundle in found] == [2, 2, 1]
    assert all(bundle[0] is NAMES for bundle in found)
    assert split_columns(NAMES, columns, 1) == [[NAMES, column] for column in columns]


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("plain", 5, "plain"),
        ("abcdefgh", 5, "ab…gh"),
        ("abcdefgh", 2, "a…"),
        ("abcdefgh", 1, "…"),
        ("東京タワー", 6, "東…ー"),
        ("東京タワー", 7, "東京…ー"),
        ("東京タワー", 8, "東京…ー"),
    ],
)
def test_the_middle_is_left_out(text: str, width: int, short: str) -> None:
    found = shorten(Text(text), width)
    assert found.plain == short
    assert found.cell_len <= width


@given(
    st.lists(st.text("ab東\u0301", max_size=30), min_size=1, max_size=4),
    st.lists(st.integers(1, 20), max_size=8),
    st.integers(1, 120),
)
def test_no_line_is_too_wide(names: list[str], widths: list[int], width: int) -> None:
    columns = [flexible_column("bot", [Text(name) for name in names], 50, 8)]
    columns += [
        fixed_column("", [Text("x" * wide) for _ in names], worth)
        for worth, wide in enumerate(widths)
    ]
    assert all(line.cell_len <= width for line in grid_lines(columns, width))
    kept = fitting_columns(columns, width)
    assert columns[0] in kept
    assert len(kept) == 1 or total_width(column.min_width for column in kept) <= width


def cells(line: str) -> list[str]:
    """The cells of a row of Markdown, without escapes."""
    found, cell, escaped = [], "", False
    for sign in line:
        if escaped:
            cell, escaped = cell + sign, False
        elif sign == "\\":
            escaped = True
        elif sign == "|":
            found.append(cell.strip(" "))
            cell = ""
        else:
            cell += sign
    return found[1:]


def test_markdown() -> None:
    text = markdown_table(["bot", "mu"], [["a|b*c", "1"], ["[x](y)", "2"]], left_aligned=[0])
    assert text == ("| bot | mu |\n| :-- | --: |\n| a\\|b\\*c | 1 |\n| \\[x\\]\\(y\\) | 2 |\n")


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_markdown_comes_back(names: list[str]) -> None:
    first, _, *rows = markdown_table(names, [names, names]).splitlines()
    for line in (first, *rows):
        assert cells(line) == [printable(name).strip(" ") for name in names]


ON = TextScale(20, 30, 11)


@pytest.mark.parametrize(
    ("value", "low", "high", "drawn"),
    [
        (27, 26, 29, "     ┊├●─┤ "),
        (25, 23, 27, "   ├─●─┤   "),
        (21, 20.9, 21.1, " ●   ┊     "),
        (20, 20, 22, "●─┤  ┊     "),
    ],
)
def test_whisker(value: float, low: float, high: float, drawn: str) -> None:
    assert whisker(ON, value, low, high, 25).plain == drawn


def test_box() -> None:
    assert box_plot(ON, (20, 22, 24, 27, 30), 25).plain == "├─━━●━━━──┤"


def test_axis() -> None:
    assert axis(ON, 25).plain == "20  25   30"
    assert axis(TextScale(20, 25.4, 11), 25).plain == "20       25"
    assert axis(TextScale(-9.6, 30, 11), 0).plain == "−10      30"
    assert axis(TextScale(-9.6, 9.6, 11), 0).plain == "−10  0   10"


def test_a_scale_holds_everything() -> None:
    assert scale_around([(22, 24), (26, 31)], 10, 25) == TextScale(22, 31, 10)
    assert scale_around([(26, 31)], 10, 25) == TextScale(25, 31, 10)
    assert scale_around([], 10, 25) == TextScale(25, 25, 10)


@given(st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6).map(sorted), st.integers(1, 50))
def test_the_width_of_a_box_plot(values: list[float], width: int) -> None:
    low, *quantiles = values
    on = scale_around([(low, quantiles[-1])], width, 0.0)
    drawn = box_plot(on, quantiles, 0.0).plain
    assert len(drawn) == width
    assert "●" in drawn
    assert len(axis(on, 0.0).plain) <= width
