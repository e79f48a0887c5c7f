"""Heat maps: rows and columns of figures, each printed on a colour that tells the same."""

import math
from collections.abc import Iterator
from itertools import groupby, pairwise

from arena.printable import short
from arena.report.plots.grid import HIGHEST, SLOPE, TALL, Grid
from arena.report.plots.heat import LEVELS, MIDDLE
from arena.report.plots.markup import (
    clean,
    drawing,
    element,
    name,
    path,
    plot,
    sentence,
    told,
    turned,
    write,
)
from arena.report.plots.text import SMALL, measure
from arena.report.plots.values import NONE, counted, spot

READING = (
    "Every cell has its figure; the colour only says the same once more, so that what stands out "
    "is seen at a glance."
)

TURN = -45.0
BROAD = 180
"""Names that take more than this do not stay in place on a phone."""
KEY = 22
"""The width of a colour in the key."""


def heatmap(grid: Grid) -> str:
    """A heat map that scrolls, if it has to, beside the names of its rows."""
    if not any(one is not None for row in grid.found for one in row):
        return sentence(f"{grid.title}: nothing is known yet.")
    width, height = grid.size
    top, base = grid.top, grid.top + height
    overhang = 0.0 if grid.level else SLOPE * grid.heads - grid.wide / 2 + 8
    low, high = (measure(end, SMALL) for end in edges(grid))
    needed = low + KEY * LEVELS + high + 14, measure(grid.axis[1], SMALL)
    whole = math.ceil(max(width + max(overhang, 0.0), *needed)), base + 36
    inside = f"translate(0 {top})"
    kind = "names broad" if grid.left > BROAD else "names"
    names = drawing(kind, (grid.left, whole[1]), *rows(grid), aria_hidden="true")
    cells = [element("g", *colours(grid), *figures(grid), class_="cells", transform=inside)]
    words = grid.title, describe(grid)
    drawn = plot("heatmap", whole, *words, *columns(grid), *cells, key(grid, base + 14))
    return element(
        "div",
        names,
        drawn,
        class_="plot-scroll",
        role="group",
        aria_label=short(grid.title),
        tabindex="0",
    )


def rows(grid: Grid) -> Iterator[str]:
    """The names of rows, and what they are."""
    x = grid.left - 8
    if grid.axis[0]:
        yield write(grid.axis[0], (x, grid.top - 10), SMALL, class_="axis", text_anchor="end")
    every = (
        name(label, (x, grid.top + TALL * (row + 0.5)), grid.room)
        for row, label in enumerate(grid.rows)
    )
    yield element("g", *every, text_anchor="end")


def columns(grid: Grid) -> Iterator[str]:
    """The names of columns, and what they are."""
    if grid.axis[1]:
        yield write(grid.axis[1], (0, 7), SMALL, class_="axis")
    for column, label in enumerate(grid.columns):
        middle = grid.wide * (column + 0.5)
        if grid.level:
            yield name(label, (middle, grid.top - 10), HIGHEST, text_anchor="middle")
        else:
            at = middle, grid.top - 8
            yield name(label, at, HIGHEST, transform=turned(at, TURN))


def colours(grid: Grid) -> Iterator[str]:
    """A path for each colour, over the colour of the middle, and the gaps between cells."""
    width, height = grid.size
    yield element("rect", class_="under", width=width, height=height)
    found: dict[str, str] = {}
    for row, levels in enumerate(grid.levels):
        column = 0
        for level, run in groupby(levels):
            many = len(list(run))
            kind = "none" if level is None else grid.heat.kind(level)
            wide = grid.wide * many
            box = f"M{grid.wide * column} {TALL * row}h{wide}v{TALL}h-{wide}z"
            found[kind] = found.get(kind, "") + box
            column += many
    # The colour of the middle is there already.
    yield from (path(found[kind], kind) for kind in sorted(found) if kind != MIDDLE)
    down = "".join(f"M{grid.wide * each} 0v{height}" for each in range(len(grid.columns) + 1))
    along = "".join(f"M0 {TALL * each}h{width}" for each in range(len(grid.rows) + 1))
    yield path(down + along, "gaps")
    corners = (
        f"M{grid.wide * (column + 1) - 9} {TALL * row + 1}h8v8z"
        for row, column in sorted(grid.marks)
    )
    yield path("".join(corners), "sign")


def figures(grid: Grid) -> Iterator[str]:
    """The figures of each row, with what they say."""
    for row, (texts, levels) in enumerate(zip(grid.texts, grid.levels, strict=True)):
        every = []
        for column, (text, level) in enumerate(zip(texts, levels, strict=True)):
            kind = "muted" if text == NONE else None
            if level is not None and grid.heat.lit(level):
                kind = "lit"
            said = None if grid.sayings is None else grid.sayings[row][column]
            if grid.empty(row, column):
                continue
            x = grid.wide * column + grid.wide // 2
            every.append(element("text", clean(text), told(said), x=x, class_=kind))
        at = f"translate(0 {TALL * row + 15})"
        yield element("g", *every, font_size=SMALL, text_anchor="middle", transform=at)


def edges(grid: Grid) -> tuple[str, str]:
    """What the lowest and the highest colour mean."""
    low, high = grid.ends
    return low or grid.text(grid.heat.low), high or grid.text(grid.heat.high)


def key(grid: Grid, y: float) -> str:
    """What the colours mean."""
    low, high = edges(grid)
    first = math.ceil(measure(low, SMALL)) + 6
    steps = range(first, first + KEY * (LEVELS + 1), KEY)
    under = element("rect", class_="under", x=first, y=y, width=KEY * LEVELS, height=12)
    boxes = (
        path(f"M{begin} {spot(y)}H{end}v12H{begin}z", grid.heat.kind(level))
        for level, (begin, end) in enumerate(pairwise(steps))
    )
    gaps = path("".join(f"M{x} {spot(y)}v12" for x in steps), "gaps")
    return (
        element("g", under, *boxes, gaps, class_="cells")
        + write(low, (first - 6, y + 6), SMALL, class_="tick", text_anchor="end")
        + write(high, (steps[-1] + 6, y + 6), SMALL, class_="tick")
    )


def describe(grid: Grid) -> str:
    """The main figures in words."""
    size = f"{counted(len(grid.rows), 'row')} by {counted(len(grid.columns), 'column')}"
    if grid.wholly:
        return f"{grid.title}: {size}. {grid.wholly}"
    known = [
        (value, row, column)
        for row, values in enumerate(grid.found)
        for column, value in enumerate(values)
        if value is not None
    ]
    least, most = (
        f"{grid.text(value)} ({grid.rows[row]}, {grid.columns[column]})"
        for value, row, column in (min(known), max(known))
    )
    return f"{grid.title}: {size}, from {least} to {most}."
