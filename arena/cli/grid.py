"""A grid: columns of text that fit the terminal, the least useful left out if there is no room."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from rich.text import Text

GAP = 2
RULE = "┄"
MISSING = "…"

Draw = Callable[[int], Sequence[Text]]
"""The title of a column and its cells, for a width; a title may have several lines."""


@dataclass(frozen=True)
class Column:
    """A column that can be as narrow as `least` and is never wider than `most`."""

    draw: Draw
    least: int
    most: int
    worth: int = 0
    """Where there is no room for all, columns of least worth are left out."""
    right: bool = False
    legend: str = ""
    """What it says, for those who wonder."""


def plain(title: str, cells: Iterable[Text], worth: int = 0, legend: str = "") -> Column:
    """Figures, shown whole or not at all."""
    texts = [Text(title, "dim"), *cells]
    width = breadth(texts)
    return Column(lambda _width: texts, width, width, worth, right=True, legend=legend)


def elastic(title: str, cells: Iterable[Text], worth: int, least: int) -> Column:
    """Names, shortened where there is no room."""
    texts = [Text(title, "dim"), *cells]
    most = breadth(texts)
    return Column(lambda width: [cut(text, width) for text in texts], min(least, most), most, worth)


def breadth(texts: Iterable[Text]) -> int:
    """How wide the widest line is, as a terminal shows it."""
    return max((line.cell_len for text in texts for line in text.split("\n")), default=0)


def cut(text: Text, width: int) -> Text:
    """The text; where it is wider, its middle is left out, for names often differ at their ends."""
    if text.cell_len <= width:
        return text
    tail = max(0, (width - 1) // 2)
    end = len(text)
    while end > 0 and text[end - 1 :].cell_len <= tail:
        end -= 1
    begin = 0
    while text[: begin + 1].cell_len <= width - 1 - text[end:].cell_len:
        begin += 1
    return text[:begin].append(MISSING).append_text(text[end:])


def fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns there is room for; the one of greatest worth always stays."""
    kept = list(columns)
    while len(kept) > 1 and total(column.least for column in kept) > width:
        kept.remove(min(reversed(kept), key=lambda column: column.worth))
    return kept


def total(widths: Iterable[int]) -> int:
    """How wide columns of such widths are together."""
    each = list(widths)
    return sum(each) + GAP * max(len(each) - 1, 0)


def shares(columns: Sequence[Column], width: int) -> list[int]:
    """How wide each column becomes: those of more worth first get what they can use."""
    widths = [column.least for column in columns]
    left = width - total(widths)
    for index in sorted(range(len(columns)), key=lambda index: -columns[index].worth):
        more = max(0, min(left, columns[index].most - widths[index]))
        widths[index] += more
        left -= more
    return widths


def lay_out(columns: Sequence[Column], width: int, rules: Set[int] = frozenset()) -> list[Text]:
    """The lines of a grid, with a thin rule above each row of this number."""
    kept = fitting(columns, width)
    widths = shares(kept, width)
    drawn = [column.draw(wide) for column, wide in zip(kept, widths, strict=True)]
    titles = [cells[0].split("\n") for cells in drawn]
    height = max(map(len, titles))
    lines = []
    for level in range(height):
        parts = [
            lines_of[level - height + len(lines_of)] if level >= height - len(lines_of) else Text()
            for lines_of in titles
        ]
        lines.append(joined(kept, widths, parts))
    for row in range(1, max(map(len, drawn))):
        if row - 1 in rules:
            lines.append(Text(RULE * min(width, total(widths)), "dim"))
        lines.append(joined(kept, widths, [cells[row] for cells in drawn]))
    for line in lines:
        line.truncate(width, overflow="crop")
    return lines


def joined(columns: Sequence[Column], widths: Sequence[int], parts: Sequence[Text]) -> Text:
    """One line of a grid."""
    line = Text()
    for column, width, part in zip(columns, widths, parts, strict=True):
        if line:
            line.append(" " * GAP)
        room = " " * max(0, width - part.cell_len)
        line.append_text(Text(room) + part if column.right else part + Text(room))
    line.rstrip()
    return line


def bundles(first: Column, columns: Sequence[Column], width: int) -> list[list[Column]]:
    """The columns in as many grids as it takes, each after the first column."""
    found: list[list[Column]] = [[first]]
    for column in columns:
        wanted = [*found[-1], column]
        if len(wanted) > 2 and total(one.least for one in wanted) > width:
            wanted = [first, column]
            found.append(wanted)
        else:
            found[-1] = wanted
    return found
