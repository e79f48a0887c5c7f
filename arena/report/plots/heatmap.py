"""Heat maps: a grid of figures on colours, with a key and tooltips."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from arena.report.plots.svg import (
    drawing,
    element,
    escape_text,
    name_label,
    name_width,
    path,
    placeholder,
    plot,
    rotation,
    text_line,
    title_element,
)
from arena.report.plots.text import (
    NO_VALUE,
    SMALL_FONT_SIZE,
    coordinate,
    finite,
    number,
    text_width,
)
from arena.sanitize import cut_middle
from arena.text import plural

LEVELS = 9
LIGHT_TEXT_LEVEL = 5
"""From this level on a sequential colour has text in the colour of the page."""
MIDDLE_CLASS = "d4"
"""The CSS class of the middle level."""
ROW_HEIGHT = 22
MIN_COLUMN_WIDTH, COLUMN_PADDING = 30, 10
"""The least width of a column, and the space beside its figures."""
MAX_LEVEL_NAMES_WIDTH = 200
"""The width for all names of columns that are not turned."""
MAX_ROW_NAME_WIDTH, MAX_COLUMN_NAME_WIDTH = 140.0, 260.0
"""The width of the name of a row, and of a column, which may be turned."""
DIAGONAL_SHARE = 0.7072
"""Height and width of a name that is turned by 45 degrees, as a share of its length."""
MAX_TOOLTIP_BYTES = 60_000
"""Bytes of all tooltips together; the full ones of 60 by 60 bots would load slowly."""
SHORT_NAME_LENGTH = 24
"""Characters of a name in a short tooltip."""
CellTooltip = Callable[[int, int], str]
"""Returns the tooltip of the cell in a row and a column."""
READING = (
    "Every cell has its figure; the colour only says the same once more, so that what stands out "
    "is seen at a glance."
)
COLUMN_NAME_ANGLE = -45.0
BROAD_NAMES_WIDTH = 180
"""Names of rows that are wider than this scroll with the cells on a phone."""
KEY_BOX_WIDTH = 22
"""The width of a colour in the key."""


@dataclass(frozen=True)
class ColourScale:
    """The values that colours stand for: from `low` to `high`, around `middle` if there is one."""

    low: float
    high: float
    middle: float | None = None

    def level(self, value: float) -> int:
        """The level of a value, from 0 to 8."""
        if self.middle is None:
            share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
            return min(LEVELS - 1, max(0, int(share * LEVELS)))
        far = max(self.high - self.middle, self.middle - self.low)
        share = (value - self.middle) / far if far > 0 else 0.0
        return min(LEVELS - 1, max(0, round((share + 1) / 2 * (LEVELS - 1))))

    def css_class(self, level: int) -> str:
        """The CSS class of a level: `s0` to `s8`, or `d0` to `d8` with `d4` in the middle."""
        return f"s{level}" if self.middle is None else f"d{level}"

    def has_light_text(self, level: int) -> bool:
        """Whether text on the colour has the colour of the page."""
        return self.middle is None and level >= LIGHT_TEXT_LEVEL


SHARE_COLOURS = ColourScale(0.0, 1.0)
CHANCE_COLOURS = ColourScale(0.0, 1.0, 0.5)


def diverging_colours(
    values: Sequence[Sequence[float | None]], middle: float, least: float = 1.0
) -> ColourScale:
    """Colours around a middle that cover all values, and at least a distance."""
    known = [one for row in values for value in row if (one := finite(value)) is not None]
    max_distance = max([abs(value - middle) for value in known] + [least])
    return ColourScale(middle - max_distance, middle + max_distance, middle)


@dataclass(frozen=True, kw_only=True, eq=False)
class Heatmap:
    """The content of a heat map."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    """Row by row; None: there is no value."""
    colour_scale: ColourScale = SHARE_COLOURS
    colour_values: Sequence[Sequence[float | None]] | None = None
    """The values that the colours show, if they differ from the printed ones."""
    format_value: Callable[[float], str] = number
    """Formats a value."""
    cell_tooltip: CellTooltip | None = None
    """Returns the tooltip of a cell; an empty one marks a cell that can have no value."""
    marked_cells: frozenset[tuple[int, int]] = frozenset()
    """Cells with a marked corner."""
    axis_titles: tuple[str, str] = ("", "")
    """Titles of rows and columns."""
    key_texts: tuple[str, str] = ("", "")
    """Meanings of the lowest and the highest colour."""
    max_row_name_width: float = MAX_ROW_NAME_WIDTH
    """The greatest width of the names of rows."""
    summary: str = ""
    """The main figures in words; by default the least and the greatest value."""

    @cached_property
    def known_values(self) -> list[list[float | None]]:
        """The values that can be drawn."""
        return [[finite(value) for value in row] for row in self.values]

    @cached_property
    def levels(self) -> list[list[int | None]]:
        """The level of each cell; None: there is no value."""
        colour_values = self.values if self.colour_values is None else self.colour_values
        return [
            [
                None
                if printed is None or (value := finite(one)) is None
                else self.colour_scale.level(value)
                for printed, one in zip(row, other, strict=True)
            ]
            for row, other in zip(self.known_values, colour_values, strict=True)
        ]

    @cached_property
    def texts(self) -> list[list[str]]:
        """The text of each cell."""
        return [
            [NO_VALUE if one is None else self.format_value(one) for one in row]
            for row in self.known_values
        ]

    @cached_property
    def column_name_width(self) -> float:
        """The width of the longest name of a column."""
        return min(
            max((name_width(one) for one in self.columns), default=0.0), MAX_COLUMN_NAME_WIDTH
        )

    @cached_property
    def value_width(self) -> float:
        """The width of a column that its figures need."""
        widest = max(
            (text_width(one, SMALL_FONT_SIZE) for row in self.texts for one in row), default=0.0
        )
        return max(MIN_COLUMN_WIDTH, widest + COLUMN_PADDING)

    @property
    def has_horizontal_names(self) -> bool:
        """Whether the names of columns are not turned: if they fit on a phone."""
        wide = self.column_name_width + COLUMN_PADDING
        return wide <= self.value_width or wide * len(self.columns) <= MAX_LEVEL_NAMES_WIDTH

    @cached_property
    def column_width(self) -> int:
        """The width of a column; it is even so that coordinates have no decimals."""
        return 2 * math.ceil(
            max(
                self.value_width,
                self.column_name_width + COLUMN_PADDING if self.has_horizontal_names else 0.0,
            )
            / 2
        )

    @cached_property
    def row_names_width(self) -> int:
        """The width of the names of rows."""
        names = min(
            max((name_width(one) for one in self.rows), default=0.0), self.max_row_name_width
        )
        return math.ceil(max(names, text_width(self.axis_titles[0], SMALL_FONT_SIZE)) + 10)

    @cached_property
    def header_height(self) -> int:
        """The coordinate of the first row."""
        heads = 22.0 if self.has_horizontal_names else DIAGONAL_SHARE * self.column_name_width + 16
        return math.ceil(heads + (18.0 if self.axis_titles[1] else 0.0))

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of all cells together."""
        return self.column_width * len(self.columns), ROW_HEIGHT * len(self.rows)

    @cached_property
    def tooltips(self) -> list[list[str]] | None:
        """The tooltip of each cell: full, short, or none, as far as all fit on a page."""
        for tooltip in (self.cell_tooltip, self.short_tooltip):
            if tooltip is None:
                continue
            rows, columns = range(len(self.rows)), range(len(self.columns))
            every = [
                ["" if self.is_empty(row, column) else tooltip(row, column) for column in columns]
                for row in rows
            ]
            if fits_on_page(one for line in every for one in line):
                return every
        return None

    def short_tooltip(self, row: int, column: int) -> str:
        """The short tooltip of a cell."""
        names = (
            cut_middle(self.rows[row], SHORT_NAME_LENGTH),
            cut_middle(self.columns[column], SHORT_NAME_LENGTH),
        )
        return f"{', '.join(names)}: {self.texts[row][column]}"

    def is_empty(self, row: int, column: int) -> bool:
        """Whether a cell can never have a value."""
        none = self.known_values[row][column] is None
        return none and self.cell_tooltip is not None and not self.cell_tooltip(row, column)


def fits_on_page(tooltips: Iterable[str]) -> bool:
    """Whether all tooltips together are short enough for a page."""
    room = MAX_TOOLTIP_BYTES
    for one in tooltips:
        room -= len(escape_text(one).encode())
        if room < 0:
            return False
    return True


def draw_heatmap(grid: Heatmap) -> str:
    """Draw a heat map, which can scroll beside the names of its rows."""
    if not any(one is not None for row in grid.known_values for one in row):
        return placeholder(f"{grid.title}: nothing is known yet.")
    width, height = grid.size
    top, base = grid.header_height, grid.header_height + height
    overhang = (
        0.0
        if grid.has_horizontal_names
        else DIAGONAL_SHARE * grid.column_name_width - grid.column_width / 2 + 8
    )
    low, high = (text_width(end, SMALL_FONT_SIZE) for end in key_labels(grid))
    needed = (
        low + KEY_BOX_WIDTH * LEVELS + high + 14,
        text_width(grid.axis_titles[1], SMALL_FONT_SIZE),
    )
    whole = math.ceil(max(width + max(overhang, 0.0), *needed)), base + 36
    inside = f"translate(0 {top})"
    kind = "names broad" if grid.row_names_width > BROAD_NAMES_WIDTH else "names"
    names = drawing(
        kind, (grid.row_names_width, whole[1]), *draw_row_names(grid), aria_hidden="true"
    )
    cells = [
        element("g", *draw_colours(grid), *draw_values(grid), class_="cells", transform=inside)
    ]
    words = grid.title, describe(grid)
    drawn = plot(
        "heatmap", whole, *words, *draw_column_names(grid), *cells, draw_key(grid, base + 14)
    )
    return element(
        "div",
        names,
        drawn,
        class_="plot-scroll",
        role="group",
        aria_label=cut_middle(grid.title),
        tabindex="0",
    )


def draw_row_names(grid: Heatmap) -> Iterator[str]:
    """Draw the names of rows and their title."""
    x = grid.row_names_width - 8
    if grid.axis_titles[0]:
        yield text_line(
            grid.axis_titles[0],
            (x, grid.header_height - 10),
            SMALL_FONT_SIZE,
            class_="axis",
            text_anchor="end",
        )
    every = (
        name_label(
            label, (x, grid.header_height + ROW_HEIGHT * (row + 0.5)), grid.max_row_name_width
        )
        for row, label in enumerate(grid.rows)
    )
    yield element("g", *every, text_anchor="end")


def draw_column_names(grid: Heatmap) -> Iterator[str]:
    """Draw the names of columns and their title."""
    if grid.axis_titles[1]:
        yield text_line(grid.axis_titles[1], (0, 7), SMALL_FONT_SIZE, class_="axis")
    for column, label in enumerate(grid.columns):
        middle = grid.column_width * (column + 0.5)
        if grid.has_horizontal_names:
            yield name_label(
                label,
                (middle, grid.header_height - 10),
                MAX_COLUMN_NAME_WIDTH,
                text_anchor="middle",
            )
        else:
            at = middle, grid.header_height - 8
            yield name_label(
                label, at, MAX_COLUMN_NAME_WIDTH, transform=rotation(at, COLUMN_NAME_ANGLE)
            )


def draw_colours(grid: Heatmap) -> Iterator[str]:
    """Draw a path for each colour, over the colour of the middle, and the gaps between cells."""
    width, height = grid.size
    yield element("rect", class_="under", width=width, height=height)
    paths: dict[str, str] = {}
    for row, levels in enumerate(grid.levels):
        column = 0
        for level, run in groupby(levels):
            column_count = len(list(run))
            kind = "none" if level is None else grid.colour_scale.css_class(level)
            span = grid.column_width * column_count
            box = f"M{grid.column_width * column} {ROW_HEIGHT * row}h{span}v{ROW_HEIGHT}h-{span}z"
            paths[kind] = paths.get(kind, "") + box
            column += column_count
    # The rectangle below has the colour of the middle already.
    yield from (path(paths[kind], kind) for kind in sorted(paths) if kind != MIDDLE_CLASS)
    down = "".join(
        f"M{grid.column_width * each} 0v{height}" for each in range(len(grid.columns) + 1)
    )
    along = "".join(f"M0 {ROW_HEIGHT * each}h{width}" for each in range(len(grid.rows) + 1))
    yield path(down + along, "gaps")
    corners = (
        f"M{grid.column_width * (column + 1) - 9} {ROW_HEIGHT * row + 1}h8v8z"
        for row, column in sorted(grid.marked_cells)
    )
    yield path("".join(corners), "sign")


def draw_values(grid: Heatmap) -> Iterator[str]:
    """Draw the figures of each row with their tooltips."""
    for row, (texts, levels) in enumerate(zip(grid.texts, grid.levels, strict=True)):
        texts_of_row = []
        for column, (text, level) in enumerate(zip(texts, levels, strict=True)):
            kind = "muted" if text == NO_VALUE else None
            if level is not None and grid.colour_scale.has_light_text(level):
                kind = "lit"
            tooltip = None if grid.tooltips is None else grid.tooltips[row][column]
            if grid.is_empty(row, column):
                continue
            x = grid.column_width * column + grid.column_width // 2
            texts_of_row.append(
                element("text", escape_text(text), title_element(tooltip), x=x, class_=kind)
            )
        at = f"translate(0 {ROW_HEIGHT * row + 15})"
        yield element(
            "g", *texts_of_row, font_size=SMALL_FONT_SIZE, text_anchor="middle", transform=at
        )


def key_labels(grid: Heatmap) -> tuple[str, str]:
    """The texts at both ends of the key."""
    low, high = grid.key_texts
    return low or grid.format_value(grid.colour_scale.low), high or grid.format_value(
        grid.colour_scale.high
    )


def draw_key(grid: Heatmap, y: float) -> str:
    """Draw the key of the colours."""
    low, high = key_labels(grid)
    first = math.ceil(text_width(low, SMALL_FONT_SIZE)) + 6
    steps = range(first, first + KEY_BOX_WIDTH * (LEVELS + 1), KEY_BOX_WIDTH)
    under = element("rect", class_="under", x=first, y=y, width=KEY_BOX_WIDTH * LEVELS, height=12)
    boxes = (
        path(f"M{begin} {coordinate(y)}H{end}v12H{begin}z", grid.colour_scale.css_class(level))
        for level, (begin, end) in enumerate(pairwise(steps))
    )
    gaps = path("".join(f"M{x} {coordinate(y)}v12" for x in steps), "gaps")
    return (
        element("g", under, *boxes, gaps, class_="cells")
        + text_line(low, (first - 6, y + 6), SMALL_FONT_SIZE, class_="tick", text_anchor="end")
        + text_line(high, (steps[-1] + 6, y + 6), SMALL_FONT_SIZE, class_="tick")
    )


def describe(grid: Heatmap) -> str:
    """The main figures in words."""
    size = f"{plural(len(grid.rows), 'row')} by {plural(len(grid.columns), 'column')}"
    if grid.summary:
        return f"{grid.title}: {size}. {grid.summary}"
    known = [
        (value, row, column)
        for row, values in enumerate(grid.known_values)
        for column, value in enumerate(values)
        if value is not None
    ]
    least, most = (
        f"{grid.format_value(value)} ({grid.rows[row]}, {grid.columns[column]})"
        for value, row, column in (min(known), max(known))
    )
    return f"{grid.title}: {size}, from {least} to {most}."
