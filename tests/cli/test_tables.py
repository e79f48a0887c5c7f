"""Markdown that comes back as it went."""

from hypothesis import given
from hypothesis import strategies as st

from arena.cli.tables import to_markdown
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


def test_markdown() -> None:
    text = to_markdown(["bot", "mu"], [["a|b*c", "1"], ["[x](y)", "2"]], left=[0])
    assert text == ("| bot | mu |\n| :-- | --: |\n| a\\|b\\*c | 1 |\n| \\[x\\]\\(y\\) | 2 |\n")


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_markdown_comes_back(names: list[str]) -> None:
    first, _, *rows = to_markdown(names, [names, names]).splitlines()
    for line in (first, *rows):
        assert cells(line) == [printable(name).strip(" ") for name in names]
