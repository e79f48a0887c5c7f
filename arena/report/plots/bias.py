"""What a seat is worth: a small panel for each cell, all on one scale."""

from collections.abc import Sequence

from arena.ratings.panels import Bias, Effect
from arena.report.plots import axes
from arena.report.plots.markup import element, name, path, plot, sentence, writings
from arena.report.plots.scale import Scale, across, span
from arena.report.plots.text import SMALL, measure
from arena.report.plots.values import (
    counted,
    estimate,
    finite,
    number,
    reach,
    spot,
    usual,
)
from arena.report.plots.whiskers import interval

READING = (
    "The dot says how many more percent of the others a seat beats than the half that a fair one "
    "would, the line is its 95 % interval; a filled dot is surely not zero."
)

WIDTH = 680.0
PANEL, GUTTER = 310.0, 28.0
"""The narrowest panel, and what lies between two."""
ROW, HEAD = 18.0, 24.0
AXIS = "placed, % above or below a fair seat"
LEAST = 2.0
"""The narrowest scale, in percent."""
NAMED = 3


def bias(
    cells: Sequence[Bias], *, title: str = "What a seat is worth", width: float = WIDTH
) -> str:
    """All cells, side by side as far as there is room."""
    effects = [effect for one in cells for effect in one.seats]
    if not any(worth(effect) is not None for effect in effects):
        return sentence(describe(cells))
    side = min(len(cells), max(1, int((width + GUTTER) // (PANEL + GUTTER))))
    wide = (width - GUTTER * (side - 1)) / side
    texts = [written(effect) for effect in effects]
    begin = 46.0
    end = wide - max(map(measure, texts)) - 10
    low, high = domain(effects)
    content, top = [], 0.0
    for first in range(0, len(cells), side):
        line = cells[first : first + side]
        tall = HEAD + ROW * max(len(one.seats) for one in line)
        for place, one in enumerate(line):
            x = place * (wide + GUTTER)
            scale = Scale(low, high, x + begin, x + end)
            last = first + place + side >= len(cells)
            content.append(panel(one, scale, (x, x + wide), top, AXIS if last else None))
        top += tall + axes.UNNAMED + 6
    size = width, top - 6 + axes.BELOW - axes.UNNAMED
    return plot("bias", size, title, describe(cells), *content)


def domain(effects: Sequence[Effect]) -> tuple[float, float]:
    """From where to where the scale goes, in percent."""
    longest = usual(reach(one.margin) for one in effects)
    ends = [
        middle + side * 100 * min(reach(one.margin) or 0.0, longest)
        for one in effects
        if (middle := worth(one)) is not None
        for side in (-1, 1)
    ]
    far = max([abs(end) for end in ends] + [LEAST])
    return span((-far, far), LEAST)


def panel(one: Bias, scale: Scale, sides: tuple[float, float], top: float, axis: str | None) -> str:
    """The seats of a cell; the axis is named below the last in each column."""
    left, right = sides
    first = top + HEAD
    base = first + ROW * len(one.seats)
    parts = [
        name(str(one.cell), (left, top + 9), 0.9 * (right - left), class_="head"),
        axes.bottom(scale, across(scale, 5), (first, base), axis, sides),
        path(f"M{spot(scale.at(0))} {spot(first)}V{spot(base)}", "mean"),
    ]
    rows = [(effect, first + ROW * (seat + 0.5)) for seat, effect in enumerate(one.seats)]
    parts += [draw(effect, scale, y) for effect, y in rows]
    seats = [(f"seat {seat}", (left, y)) for seat, (_, y) in enumerate(rows)]
    figures = [(written(effect), (right, y)) for effect, y in rows]
    return "".join(parts) + writings(seats, SMALL) + writings(figures, text_anchor="end")


def draw(effect: Effect, scale: Scale, y: float) -> str:
    """A dot in its interval, hollow if it may as well be zero."""
    middle, margin = worth(effect), reach(effect.margin)
    if middle is None:
        return ""
    kind = "dot" if effect.sure() else "dot hollow"
    dot = element("circle", class_=kind, cx=scale.within(middle), cy=y, r=3.6)
    return dot if margin is None else interval(middle, 100 * margin, scale, y) + dot


def written(effect: Effect) -> str:
    """An effect in percent."""
    margin = reach(effect.margin)
    return estimate(worth(effect), None if margin is None else 100 * margin, 1, "+")


def worth(effect: Effect) -> float | None:
    """An effect in percent, if it has a place on a scale."""
    return finite(100 * effect.effect)


def describe(cells: Sequence[Bias]) -> str:
    """The main figures in words."""
    every = [
        (abs(effect.effect), one, seat, effect)
        for one in cells
        for seat, effect in enumerate(one.seats)
        if worth(effect) is not None
    ]
    sure = [found for found in every if found[3].sure()]
    words = f"What each seat is worth in {counted(len(cells), 'cell')}: "
    if not sure:
        return (
            words + f"none of {counted(len(every), 'seat')} is surely better or worse than a half."
        )
    sure.sort(key=lambda found: -found[0])
    told = [
        f"seat {seat} of {one.cell} {written(effect)} %" for _, one, seat, effect in sure[:NAMED]
    ]
    return (
        f"{words}{number(len(sure), 0)} of {counted(len(every), 'seat')} "
        f"surely differ from a half, most of all {', '.join(told)}."
    )
