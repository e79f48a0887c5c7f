"""Tables for other programs: CSV for spreadsheets, Markdown for pages."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from arena.cli.untrusted import markdown, spreadsheet

Value = str | int | float | None


def to_csv(titles: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Comma-separated values, of which no text is a formula."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(
        [spreadsheet(value) if isinstance(value, str) else value for value in row]
        for row in (titles, *rows)
    )
    return out.getvalue()


def to_markdown(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = ()
) -> str:
    """A table as Markdown has it; numbers stand to the right, but for the columns named."""
    ends = set(left)
    rules = [":--" if index in ends else "--:" for index in range(len(titles))]
    lines = [map(markdown, titles), rules, *(map(markdown, row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
