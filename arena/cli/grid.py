"""Tables for the terminal and Markdown, and plots of intervals drawn with characters."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from arena.cli.output import escape_markdown, print_lines

COLUMN_GAP = 2
"""Spaces between two columns."""
RULE = "┄"
ELLIPSIS = "…"
DOT, LINE, THICK, LEFT, RIGHT, CENTRE = "●", "─", "━", "├", "┤", "┊"
"""The characters of an interval and its scale."""

RenderColumn = Callable[[int], Sequence[Text]]
"""The title of a column and its cells, for a width; a title may have several lines."""


@dataclass(frozen=True)
class GridColumn:
    """A column that is between `min_width` and `max_width` characters wide."""

    render: RenderColumn
    min_width: int
    max_width: int
    priority: int = 0
    """Columns of the lowest priority are left out first where there is no room for all."""
    right_aligned: bool = False
    legend: str = ""
    """What the column shows, for the line below the table."""


def fixed_column(
    title: str, cells: Iterable[Text], priority: int = 0, legend: str = ""
) -> GridColumn:
    """A column of figures, printed whole or not at all."""
    texts = [Text(title, "dim"), *cells]
    width = text_width(texts)
    return GridColumn(
        lambda _width: texts, width, width, priority, right_aligned=True, legend=legend
    )


def flexible_column(title: str, cells: Iterable[Text], priority: int, min_width: int) -> GridColumn:
    """A column of names, shortened where there is no room."""
    texts = [Text(title, "dim"), *cells]
    widest = text_width(texts)
    return GridColumn(
        lambda width: [shorten(text, width) for text in texts],
        min(min_width, widest),
        widest,
        priority,
    )


def text_width(texts: Iterable[Text]) -> int:
    """The width of the widest line in a terminal."""
    return max((line.cell_len for text in texts for line in text.split("\n")), default=0)


def shorten(text: Text, width: int) -> Text:
    """The text without its middle if it is too wide, because names often differ at their ends."""
    if text.cell_len <= width:
        return text
    tail = max(0, (width - 1) // 2)
    end = len(text)
    while end > 0 and text[end - 1 :].cell_len <= tail:
        end -= 1
    begin = 0
    while text[: begin + 1].cell_len <= width - 1 - text[end:].cell_len:
        begin += 1
    return text[:begin].append(ELLIPSIS).append_text(text[end:])


def fitting_columns(columns: Sequence[GridColumn], width: int) -> list[GridColumn]:
    """The columns there is room for; the one of the highest priority always stays."""
    kept = list(columns)
    while len(kept) > 1 and total_width(column.min_width for column in kept) > width:
        kept.remove(min(reversed(kept), key=lambda column: column.priority))
    return kept


def total_width(widths: Iterable[int]) -> int:
    """The width of columns of these widths together with their gaps."""
    each = list(widths)
    return sum(each) + COLUMN_GAP * max(len(each) - 1, 0)


def column_widths(columns: Sequence[GridColumn], width: int) -> list[int]:
    """The width of each column; columns of higher priority get the free space first."""
    widths = [column.min_width for column in columns]
    left = width - total_width(widths)
    for index in sorted(range(len(columns)), key=lambda index: -columns[index].priority):
        more = max(0, min(left, columns[index].max_width - widths[index]))
        widths[index] += more
        left -= more
    return widths


def grid_lines(
    columns: Sequence[GridColumn], width: int, ruled_rows: Set[int] = frozenset()
) -> list[Text]:
    """The lines of a grid, with a thin rule above each of the ruled rows."""
    kept = fitting_columns(columns, width)
    widths = column_widths(kept, width)
    drawn = [column.render(wide) for column, wide in zip(kept, widths, strict=True)]
    titles = [cells[0].split("\n") for cells in drawn]
    height = max(map(len, titles))
    lines = []
    for level in range(height):
        parts = [
            lines_of[level - height + len(lines_of)] if level >= height - len(lines_of) else Text()
            for lines_of in titles
        ]
        lines.append(join_cells(kept, widths, parts))
    for row in range(1, max(map(len, drawn))):
        if row - 1 in ruled_rows:
            lines.append(Text(RULE * min(width, total_width(widths)), "dim"))
        lines.append(join_cells(kept, widths, [cells[row] for cells in drawn]))
    for line in lines:
        line.truncate(width, overflow="crop")
    return lines


def print_grid(
    console: Console, columns: Sequence[GridColumn], ruled_rows: Set[int] = frozenset()
) -> None:
    """Print columns as wide as the terminal allows."""
    print_lines(console, grid_lines(columns, console.width, ruled_rows))


def join_cells(columns: Sequence[GridColumn], widths: Sequence[int], parts: Sequence[Text]) -> Text:
    """One line of a grid."""
    line = Text()
    for column, width, part in zip(columns, widths, parts, strict=True):
        if line:
            line.append(" " * COLUMN_GAP)
        room = " " * max(0, width - part.cell_len)
        line.append_text(Text(room) + part if column.right_aligned else part + Text(room))
    line.rstrip()
    return line


def split_columns(
    first: GridColumn, columns: Sequence[GridColumn], width: int
) -> list[list[GridColumn]]:
    """The columns in as many grids as they need, each of which begins with the first column."""
    grids: list[list[GridColumn]] = [[first]]
    for column in columns:
        longer = [*grids[-1], column]
        if len(longer) > 2 and total_width(one.min_width for one in longer) > width:
            grids.append([first, column])
        else:
            grids[-1] = longer
    return grids


def markdown_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, left_aligned: Iterable[int] = ()
) -> str:
    """A Markdown table; all columns but the named ones are aligned to the right."""
    left = set(left_aligned)
    rules = [":--" if index in left else "--:" for index in range(len(titles))]
    lines = [map(escape_markdown, titles), rules, *(map(escape_markdown, row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@dataclass(frozen=True)
class TextScale:
    """A linear scale from `low` to `high` over so many characters."""

    low: float
    high: float
    width: int

    def position(self, value: float) -> int:
        """The index of the character for a value."""
        span = self.high - self.low
        share = (value - self.low) / span if span > 0 else 0.5
        return min(self.width - 1, max(0, round(share * (self.width - 1))))


def scale_around(intervals: Sequence[tuple[float, float]], width: int, centre: float) -> TextScale:
    """A scale that contains all intervals and the centre."""
    low = min((low for low, _ in intervals), default=centre)
    high = max((high for _, high in intervals), default=centre)
    return TextScale(min(low, centre), max(high, centre), width)


def whisker(scale: TextScale, value: float, low: float, high: float, centre: float) -> Text:
    """A dot in its interval."""
    return box_plot(scale, (low, value, value, value, high), centre)


def box_plot(scale: TextScale, quantiles: Sequence[float], centre: float) -> Text:
    """A line from the first to the last of five values, thick between the second and the fourth."""
    first, begin, dot, end, last = (scale.position(value) for value in quantiles)
    middle = scale.position(centre)
    signs = [" "] * scale.width
    signs[middle] = CENTRE
    signs[first : last + 1] = LINE * (last + 1 - first)
    if begin < end:
        signs[begin : end + 1] = THICK * (end + 1 - begin)
    signs[first], signs[last] = LEFT, RIGHT
    signs[dot] = DOT
    text = Text("".join(signs))
    text.stylize("cyan", first, last + 1)
    if not first <= middle <= last:
        text.stylize("dim", middle, middle + 1)
    return text


def axis(scale: TextScale, centre: float) -> Text:
    """The values at both ends and at the centre of a scale, as far as there is room."""
    low, middle, high = (axis_label(value) for value in (scale.low, centre, scale.high))
    signs = list(low.ljust(scale.width - len(high)) + high)[: scale.width]
    start = scale.position(centre) - len(middle) // 2
    if len(low) < start and start + len(middle) < scale.width - len(high):
        signs[start : start + len(middle)] = middle
    return Text("".join(signs), "dim")


def axis_label(value: float) -> str:
    """A value as a whole number; there is no −0."""
    return str(round(value)).replace("-", "−")
