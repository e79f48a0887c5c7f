"""Ratings as dots with 95 % intervals, as a plot or inside a table cell."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arena.ratings.standings import StandingsLine
from arena.report.plots import scale as plots_scale
from arena.report.plots.scale import Scale, padded_range, spaced_ticks
from arena.report.plots.svg import (
    element,
    name_label,
    name_width,
    path,
    placeholder,
    plot,
    text_line,
)
from arena.report.plots.text import (
    coordinate,
    estimate_text,
    finite,
    finite_margin,
    margin_limit,
    number,
    text_width,
)
from arena.text import plural

READING = (
    "The dot is the estimate and the line its 95 % interval; where a rule lies between two bots "
    "the order above and below it is sure, and an arrow says that an interval goes on."
)

NO_BOTS_TEXT = "There is no bot to be rated."
MEAN_MU = 25.0
WIDTH = 680.0
ROW_HEIGHT, TIER_GAP = 20.0, 8.0
"""The height of a row, and of the gap between two tiers."""
MANY_ROWS = 24
"""With this many rows the axis is drawn above them too."""
MIN_DOMAIN = 1.0
"""The least width of the scale: smaller differences are not worth showing."""
MAX_NAMED = 3
CELL_SIZE = (150.0, 20.0)
"""The size of a plot in a cell of a table."""
CELL_MARGIN = 6.0


class PlottedRating(NamedTuple):
    """A bot with its rating, as far as it is known."""

    label: str
    mu: float | None
    margin: float | None = None
    tier: int | None = None


def plotted_ratings(lines: Iterable[StandingsLine]) -> tuple[PlottedRating, ...]:
    """The ratings of a table of standings."""
    return tuple(PlottedRating(line.bot, line.mu, line.margin, line.tier) for line in lines)


def domain(
    rated: Iterable[PlottedRating], reference: float | None = MEAN_MU
) -> tuple[float, float]:
    """The ends of a scale for some ratings."""
    known = [
        (mu, finite_margin(one.margin) or 0.0)
        for one in rated
        if (mu := finite(one.mu)) is not None
    ]
    longest = margin_limit(margin for _, margin in known)
    ends = [mu + side * min(margin, longest) for mu, margin in known for side in (-1, 1)]
    return padded_range(ends if reference is None else [*ends, reference], MIN_DOMAIN)


def draw(
    rated: Sequence[PlottedRating],
    *,
    title: str = "Ratings",
    axis: str = "rating (mu)",
    reference: float | None = MEAN_MU,
    width: float = WIDTH,
) -> str:
    """Draw ratings on one scale, one row each in the order given."""
    texts = [estimate_text(one.mu, one.margin) for one in rated]
    if all(finite(one.mu) is None for one in rated):
        return placeholder(describe(rated, reference))
    figures = max(map(text_width, texts))
    names = min(max(name_width(one.label) for one in rated), 0.3 * width) + 2
    scale = Scale(*domain(rated, reference), names + 12, width - figures - 16)
    ticks = spaced_ticks(scale)
    begin = 24.0 if len(rated) >= MANY_ROWS else 8.0
    rows, rules = row_positions(rated, begin)
    base = rows[-1] + ROW_HEIGHT / 2 + 4
    content = [plots_scale.bottom_axis(scale, ticks, (begin - 4, base), axis, (0, width))]
    if len(rated) >= MANY_ROWS:
        content.append(plots_scale.tick_labels(scale, ticks, begin - 13))
    content.append(path("".join(f"M0 {coordinate(y)}H{coordinate(width)}" for y in rules), "rule"))
    if reference is not None:
        content.append(
            path(
                f"M{coordinate(scale.at(reference))} {coordinate(begin - 4)}V{coordinate(base)}",
                "mean",
            )
        )
    content += [draw_dot(one, scale, y) for one, y in zip(rated, rows, strict=True)]
    words = []
    for one, y, text in zip(rated, rows, texts, strict=True):
        kind = "muted" if finite(one.mu) is None else None
        words.append(name_label(one.label, (names, y), names, class_=kind))
        words.append(text_line(text, (width, y), class_=kind))
    content.append(element("g", *words, text_anchor="end"))
    size = width, base + plots_scale.AXIS_HEIGHT
    return plot("whiskers", size, title, describe(rated, reference), *content)


def row_positions(rated: Sequence[PlottedRating], begin: float) -> tuple[list[float], list[float]]:
    """The coordinates of the rows, and of the rules between tiers."""
    rows: list[float] = []
    rules: list[float] = []
    y = begin + ROW_HEIGHT / 2
    for place, one in enumerate(rated):
        if place and one.tier != rated[place - 1].tier:
            rules.append(y - ROW_HEIGHT / 2 + TIER_GAP / 2)
            y += TIER_GAP
        rows.append(y)
        y += ROW_HEIGHT
    return rows, rules


def draw_dot(rating: PlottedRating, scale: Scale, y: float) -> str:
    """Draw a rating as a dot with its interval."""
    mu, margin = finite(rating.mu), finite_margin(rating.margin)
    if mu is None:
        return ""
    dot = element("circle", class_="dot", cx=scale.clamp(mu), cy=y, r=3.6)
    return dot if margin is None else draw_interval(mu, margin, scale, y) + dot


def draw_interval(middle: float, margin: float, scale: Scale, y: float) -> str:
    """Draw an interval; an arrow marks an end beyond the scale."""
    low, high = middle - margin, middle + margin
    left, right = coordinate(scale.clamp(low)), coordinate(scale.clamp(high))
    cap = f"{coordinate(y - 4)}v8"
    first = f"M{left} {cap}" if scale.contains(low) else f"M{left} {coordinate(y)}m5-4l-5 4l5 4"
    last = f"M{right} {cap}" if scale.contains(high) else f"M{right} {coordinate(y)}m-5-4l5 4l-5 4"
    return path(f"M{left} {coordinate(y)}H{right}{first}{last}", "whisker")


def describe(rated: Sequence[PlottedRating], reference: float | None) -> str:
    """The main figures in words."""
    known = [one for one in rated if finite(one.mu) is not None]
    if not known:
        return f"None of {plural(len(rated), 'bot')} has a rating yet." if rated else NO_BOTS_TEXT
    ratings = [f"{one.label} {estimate_text(one.mu, one.margin)}" for one in known]
    first, last = ratings[:MAX_NAMED], ratings[max(MAX_NAMED, len(ratings) - 1) :]
    words = f"Ratings of {plural(len(known), 'bot')} with 95 % intervals: {', '.join(first)}"
    words += f"{' and' if len(known) <= MAX_NAMED + 1 else ', down to'} {last[0]}." if last else "."
    if len(known) < len(rated):
        words += f" {plural(len(rated) - len(known), 'bot')} without a rating."
    if reference is not None:
        words += f" The line at {number(reference, 0)} is the mean."
    return words


def shared_scale(rated: Iterable[PlottedRating], reference: float | None = MEAN_MU) -> Scale:
    """The scale for all cells of a column."""
    return Scale(*domain(rated, reference), CELL_MARGIN, CELL_SIZE[0] - CELL_MARGIN)


def draw_cell(rating: PlottedRating, scale: Scale, reference: float | None = MEAN_MU) -> str:
    """Draw one rating for a cell of a table."""
    height = CELL_SIZE[1]
    middle = height / 2
    line = (
        ""
        if reference is None
        else path(f"M{coordinate(scale.at(reference))} 0V{coordinate(height)}", "mean")
    )
    text = estimate_text(rating.mu, rating.margin)
    description = (
        f"{rating.label}: {text}, at 95 %." if finite(rating.mu) is not None else "No rating yet."
    )
    return plot(
        "whisker-cell",
        CELL_SIZE,
        f"rating {text}",
        description,
        line,
        draw_dot(rating, scale, middle),
    )


def draw_head(scale: Scale) -> str:
    """Draw the axis of a column of such cells for the head of the table."""
    height = CELL_SIZE[1]
    ticks = spaced_ticks(scale, 4)
    marks = "".join(
        f"M{coordinate(scale.at(tick.value))} {coordinate(height - 4)}v4" for tick in ticks
    )
    line = path(
        f"M{coordinate(scale.start)} {coordinate(height)}H{coordinate(scale.end)}{marks}", "grid"
    )
    ends = f"The scale goes from {number(scale.low)} to {number(scale.high)}."
    return plot(
        "whisker-cell head",
        CELL_SIZE,
        "rating (mu)",
        ends,
        line,
        plots_scale.tick_labels(scale, ticks, 7),
    )
