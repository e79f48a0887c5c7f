"""Tables for other programs: CSV for spreadsheets, Markdown for pages."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from arena.cli.untrusted import printable

FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet takes for the beginning of a formula."""

Value = str | int | float | None

ESCAPED = "\\`*_{}[]<>()#|~$!&"
"""What means something in Markdown."""


def to_csv(titles: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Comma-separated values, of which no text is a formula."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([inert(value) for value in row] for row in (titles, *rows))
    return out.getvalue()


def inert(value: Value) -> Value:
    """The value; a text that would be a formula begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text


def to_markdown(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = ()
) -> str:
    """A table as Markdown has it; numbers stand to the right, but for the columns named."""
    ends = set(left)
    rules = [":--" if index in ends else "--:" for index in range(len(titles))]
    lines = [map(escaped, titles), rules, *(map(escaped, row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escaped(text: str) -> str:
    """The text so that Markdown shows it as it is."""
    return "".join(f"\\{sign}" if sign in ESCAPED else sign for sign in printable(text))
