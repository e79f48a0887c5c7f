"""How much each seat is worth: panels for a few cells, a heat map for many."""

from collections.abc import Sequence

from arena.ratings.breakdowns import CellBias, Effect
from arena.ratings.crosstable import MIN_UNEXPECTED_Z
from arena.report.plots import scale as plots_scale
from arena.report.plots.heatmap import Heatmap, diverging_colours, draw_heatmap
from arena.report.plots.scale import Scale, padded_range, spaced_ticks
from arena.report.plots.svg import element, name_label, path, placeholder, plot, text_lines
from arena.report.plots.text import (
    SMALL_FONT_SIZE,
    coordinate,
    estimate_text,
    finite,
    finite_margin,
    margin_limit,
    number,
    text_width,
)
from arena.report.plots.whiskers import draw_interval
from arena.text import plural

BIAS_READING = (
    "The dot says how many more percent of the others a seat beats than the half that a fair one "
    "would, the line is its 95 % interval; a filled dot is surely not zero."
)

WIDTH = 680.0
MIN_PANEL_WIDTH, PANEL_GAP = 310.0, 28.0
"""The least width of a panel, and the gap between two panels."""
ROW_HEIGHT, HEAD_HEIGHT = 18.0, 24.0
AXIS_TITLE = "placed, % above or below a fair seat"
MIN_DOMAIN = 2.0
"""The least width of the scale, in percent."""
MAX_NAMED = 3
READING = (
    "A figure says how many more percent of the others a seat beats than the half that a fair one "
    "would, and a corner marks those that are surely not zero."
)
MIN_COLOUR_RANGE = 2.0
"""The least percentage that the strongest colours stand for."""
MAX_NAME_WIDTH = 260.0
"""Wide enough for the names of all variants: they begin alike and must not be cut."""


def draw_panels(
    cells: Sequence[CellBias], *, title: str = "What a seat is worth", width: float = WIDTH
) -> str:
    """Draw a panel for each cell, side by side as far as there is room."""
    effects = [effect for one in cells for effect in one.seats]
    if not any(effect_percent(effect) is not None for effect in effects):
        return placeholder(describe(cells))
    panels_per_row = min(
        len(cells), max(1, int((width + PANEL_GAP) // (MIN_PANEL_WIDTH + PANEL_GAP)))
    )
    panel_width = (width - PANEL_GAP * (panels_per_row - 1)) / panels_per_row
    texts = [effect_text(effect) for effect in effects]
    begin = 46.0
    end = panel_width - max(map(text_width, texts)) - 10
    low, high = domain(effects)
    content, top = [], 0.0
    for first in range(0, len(cells), panels_per_row):
        line = cells[first : first + panels_per_row]
        panel_height = HEAD_HEIGHT + ROW_HEIGHT * max(len(one.seats) for one in line)
        for place, one in enumerate(line):
            x = place * (panel_width + PANEL_GAP)
            scale = Scale(low, high, x + begin, x + end)
            last = first + place + panels_per_row >= len(cells)
            content.append(
                draw_panel(one, scale, (x, x + panel_width), top, AXIS_TITLE if last else None)
            )
        top += panel_height + plots_scale.UNTITLED_AXIS_HEIGHT + 6
    size = width, top - 6 + plots_scale.AXIS_HEIGHT - plots_scale.UNTITLED_AXIS_HEIGHT
    return plot("bias", size, title, describe(cells), *content)


def domain(effects: Sequence[Effect]) -> tuple[float, float]:
    """The ends of the scale, in percent."""
    longest = margin_limit(finite_margin(one.margin) for one in effects)
    ends = [
        middle + side * 100 * min(finite_margin(one.margin) or 0.0, longest)
        for one in effects
        if (middle := effect_percent(one)) is not None
        for side in (-1, 1)
    ]
    max_distance = max([abs(end) for end in ends] + [MIN_DOMAIN])
    return padded_range((-max_distance, max_distance), MIN_DOMAIN)


def draw_panel(
    bias: CellBias, scale: Scale, sides: tuple[float, float], top: float, axis: str | None
) -> str:
    """Draw the seats of a cell; only the last panel of a column has a title of the axis."""
    left, right = sides
    first = top + HEAD_HEIGHT
    base = first + ROW_HEIGHT * len(bias.seats)
    parts = [
        name_label(str(bias.cell), (left, top + 9), 0.9 * (right - left), class_="head"),
        plots_scale.bottom_axis(scale, spaced_ticks(scale, 5), (first, base), axis, sides),
        path(f"M{coordinate(scale.at(0))} {coordinate(first)}V{coordinate(base)}", "mean"),
    ]
    rows = [(effect, first + ROW_HEIGHT * (seat + 0.5)) for seat, effect in enumerate(bias.seats)]
    parts += [draw_effect(effect, scale, y) for effect, y in rows]
    seats = [(f"seat {seat}", (left, y)) for seat, (_, y) in enumerate(rows)]
    figures = [(effect_text(effect), (right, y)) for effect, y in rows]
    return (
        "".join(parts) + text_lines(seats, SMALL_FONT_SIZE) + text_lines(figures, text_anchor="end")
    )


def draw_effect(effect: Effect, scale: Scale, y: float) -> str:
    """Draw an effect with its interval; the dot is hollow if the effect is not significant."""
    middle, margin = effect_percent(effect), finite_margin(effect.margin)
    if middle is None:
        return ""
    kind = "dot" if effect.is_sure() else "dot hollow"
    dot = element("circle", class_=kind, cx=scale.clamp(middle), cy=y, r=3.6)
    return dot if margin is None else draw_interval(middle, 100 * margin, scale, y) + dot


def effect_text(effect: Effect) -> str:
    """An effect in percent."""
    margin = finite_margin(effect.margin)
    return estimate_text(effect_percent(effect), None if margin is None else 100 * margin, 1, "+")


def effect_percent(effect: Effect) -> float | None:
    """An effect in percent, if it has a place on a scale."""
    return finite(100 * effect.effect)


def describe(cells: Sequence[CellBias]) -> str:
    """The main figures in words."""
    effects = [
        (abs(effect.effect), one, seat, effect)
        for one in cells
        for seat, effect in enumerate(one.seats)
        if effect_percent(effect) is not None
    ]
    sure = [item for item in effects if item[3].is_sure()]
    words = f"What each seat is worth in {plural(len(cells), 'cell')}: "
    if not sure:
        return (
            words + f"none of {plural(len(effects), 'seat')} is surely better or worse than a half."
        )
    sure.sort(key=lambda item: -item[0])
    largest = [
        f"seat {seat} of {one.cell} {effect_text(effect)} %"
        for _, one, seat, effect in sure[:MAX_NAMED]
    ]
    return (
        f"{words}{number(len(sure), 0)} of {plural(len(effects), 'seat')} "
        f"surely differ from a half, most of all {', '.join(largest)}."
    )


def draw_seat_heatmap(cells: Sequence[CellBias], *, title: str = "What a seat is worth") -> str:
    """Draw a row for each cell in the order given, and a column for each seat."""
    seat_count = max((len(one.seats) for one in cells), default=0)
    effects: list[list[Effect | None]] = [
        [*one.seats, *[None] * (seat_count - len(one.seats))] for one in cells
    ]
    values = [[None if one is None else 100 * one.effect for one in row] for row in effects]

    def tooltip(row: int, column: int) -> str:
        effect = effects[row][column]
        return (
            "" if effect is None else f"{cells[row].cell}, seat {column}: {effect_text(effect)} %"
        )

    return draw_heatmap(
        Heatmap(
            title=title,
            rows=[f"{one.cell.seats} × {one.cell.variant}" for one in cells],
            columns=[str(seat) for seat in range(seat_count)],
            values=values,
            colour_scale=diverging_colours(values, 0.0, MIN_COLOUR_RANGE),
            format_value=lambda value: number(value, 1, "+"),
            cell_tooltip=tooltip,
            marked_cells=frozenset(
                (row, column)
                for row, line in enumerate(effects)
                for column, one in enumerate(line)
                if one is not None and one.is_sure(MIN_UNEXPECTED_Z)
            ),
            axis_titles=("placed, % against a half", "seat"),
            key_texts=("worse", "better"),
            max_row_name_width=MAX_NAME_WIDTH,
            summary=describe(cells),
        )
    )
