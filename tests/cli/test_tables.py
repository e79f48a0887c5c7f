"""CSV and Markdown that come back as they went."""

import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.tables import to_csv, to_markdown
from arena.cli.untrusted import printable


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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain", "plain"),
        ("=1+1", "'=1+1"),
        ("@sum", "'@sum"),
        ("-1", "'-1"),
        ("+1", "'+1"),
        (" =1", "' =1"),
        ("\t=1", "␉=1"),
        ("a,b", "a,b"),
        ('say "hi"', 'say "hi"'),
        ("two\nlines", "two␊lines"),
    ],
)
def test_no_text_is_a_formula(name: str, shown: str) -> None:
    text = to_csv(["bot", "points"], [[name, -1.5], [name, None]])
    first, second, third = csv.reader(StringIO(text))
    assert first == ["bot", "points"]
    assert second == [shown, "-1.5"]
    assert third == [shown, ""]


def test_markdown() -> None:
    text = to_markdown(["bot", "mu"], [["a|b*c", "1"], ["[x](y)", "2"]], left=[0])
    assert text == ("| bot | mu |\n| :-- | --: |\n| a\\|b\\*c | 1 |\n| \\[x\\]\\(y\\) | 2 |\n")


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_markdown_comes_back(names: list[str]) -> None:
    first, _, *rows = to_markdown(names, [names, names]).splitlines()
    for line in (first, *rows):
        assert cells(line) == [printable(name).strip(" ") for name in names]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_csv_comes_back(names: list[str]) -> None:
    (row,) = list(csv.reader(StringIO(to_csv(names, []), newline="")))
    (back,) = list(csv.reader(StringIO(to_csv(["x"], [names]).partition("\n")[2], newline="")))
    assert len(row) == len(back) == len(names)
    for name, found in zip(names, back, strict=True):
        assert found.removeprefix("'") == printable(name).removeprefix("'")
        assert not found.lstrip().startswith(("=", "+", "-", "@"))
