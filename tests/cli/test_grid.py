"""Columns that fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from arena.cli.grid import bundles, cut, elastic, fitting, lay_out, plain, total

NAMES = elastic("bot", [Text("ann"), Text("a-name-that-is-long-1")], 9, 6)
GOOD = plain("mu", [Text("31.2"), Text("5.0")], 8)
LESS = plain("games", [Text("1,000"), Text("20")], 1)


def shown(width: int) -> list[str]:
    return [line.plain for line in lay_out([NAMES, GOOD, LESS], width)]


def test_all_there_is() -> None:
    assert shown(80) == [
        "bot                      mu  games",
        "ann                    31.2  1,000",
        "a-name-that-is-long-1   5.0     20",
    ]


def test_names_are_shortened_before_a_column_goes() -> None:
    assert shown(20) == [
        "bot        mu  games",
        "ann      31.2  1,000",
        "a-n…g-1   5.0     20",
    ]


def test_the_least_useful_column_goes_first() -> None:
    assert shown(18)[0].split() == ["bot", "mu"]
    assert shown(8)[0].split() == ["bot"]


def test_a_rule_above_a_row() -> None:
    lines = [line.plain for line in lay_out([GOOD], 80, {1})]
    assert lines == ["  mu", "31.2", "┄┄┄┄", " 5.0"]


def test_a_title_of_several_lines_stands_on_its_column() -> None:
    tall = plain("a\n+b\n+c", [Text("1"), Text("2")])
    assert [line.plain for line in lay_out([GOOD, tall], 80)] == [
        "       a",
        "      +b",
        "  mu  +c",
        "31.2   1",
        " 5.0   2",
    ]


def test_columns_go_on_below() -> None:
    columns = [plain(str(number), [Text("x" * 8)]) for number in range(5)]
    found = bundles(NAMES, columns, 30)
    assert [len(bundle) - 1 for bundle in found] == [2, 2, 1]
    assert all(bundle[0] is NAMES for bundle in found)
    assert bundles(NAMES, columns, 1) == [[NAMES, column] for column in columns]


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
    found = cut(Text(text), width)
    assert found.plain == short
    assert found.cell_len <= width


@given(
    st.lists(st.text("ab東\u0301", max_size=30), min_size=1, max_size=4),
    st.lists(st.integers(1, 20), max_size=8),
    st.integers(1, 120),
)
def test_no_line_is_too_wide(names: list[str], widths: list[int], width: int) -> None:
    columns = [elastic("bot", [Text(name) for name in names], 50, 8)]
    columns += [
        plain("", [Text("x" * wide) for _ in names], worth) for worth, wide in enumerate(widths)
    ]
    assert all(line.cell_len <= width for line in lay_out(columns, width))
    kept = fitting(columns, width)
    assert columns[0] in kept
    assert len(kept) == 1 or total(column.least for column in kept) <= width
