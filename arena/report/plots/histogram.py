"""A histogram of decision times on a logarithmic scale."""

import math
from collections.abc import Sequence

from arena.report.plots import scale
from arena.report.plots.scale import (
    BIN_EDGES,
    BINS_PER_DECADE,
    MAX_EXPONENT,
    MIN_EXPONENT,
    DecisionTimes,
    Scale,
    Tick,
    decade_ticks,
    duration,
    round_ticks,
)
from arena.report.plots.svg import path, placeholder, plot, text_line
from arena.report.plots.text import SMALL_FONT_SIZE, coordinate, finite, number, text_width
from arena.text import plural

READING = (
    "Each step to the right takes ten times as long; half of the decisions were faster than the "
    "line marked median, and 99 of 100 faster than the dashed one."
)

WIDTH, HEIGHT = 680.0, 220.0
LINE_HEIGHT = 15.0
"""The height of a line with the name of a mark."""
EDGE_WIDTH = 26.0
"""Room at both ends for half of the longest label."""


def exponent_range(
    several: Sequence[DecisionTimes], limit: float | None = None
) -> tuple[float, float]:
    """The powers of ten around the times of several bots, for plots with a common scale."""
    ends = [
        edge
        for one in several
        for place, many in enumerate(one.counts)
        if many
        for edge in (place // BINS_PER_DECADE, (place + BINS_PER_DECADE) // BINS_PER_DECADE)
    ]
    if (until := time_exponent(limit)) is not None:
        ends.append(math.ceil(until + 0.05))
    low, high = min(ends, default=MIN_EXPONENT + 1), max(ends, default=MIN_EXPONENT + 4)
    return (float(low), float(high)) if high - low > 1 else (float(low - 1), float(high + 1))


def time_exponent(time: float | None) -> float | None:
    """The exponent of a time, if it can be drawn."""
    value = finite(time)
    if value is None or value < 0:
        return None
    return min(max(math.log10(max(value, 1e-9)), MIN_EXPONENT), MAX_EXPONENT)


def draw(
    times: DecisionTimes,
    *,
    limit: float | None = None,
    ends: tuple[float, float] | None = None,
    title: str = "Decision times",
    width: float = WIDTH,
) -> str:
    """Draw the decision times of a bot; `limit` is the time limit, `ends` a common scale."""
    if not any(times.counts):
        return placeholder(describe(times, limit))
    low, high = ends or exponent_range([times], limit)
    marks = [
        (at, words, kind)
        for time, words, kind in (
            (times.median, "median", "median"),
            (times.percentile_99, "99 %", "high"),
            (limit, "limit", "limit"),
        )
        if time is not None and (at := time_exponent(time)) is not None
        for words in [f"{words} {duration(time)}"]
    ]
    top = 24.0 + LINE_HEIGHT * len(marks)
    base = HEIGHT - scale.AXIS_HEIGHT - 5
    y = Scale(0.0, max(times.counts) * 1.04, base, top)
    ticks = [
        Tick(tick.value, number(tick.value, 0))
        for tick in round_ticks(0.0, y.high, 5)
        if tick.value.is_integer()
    ]
    left = max(scale.left_axis_width(ticks), EDGE_WIDTH)
    x = Scale(low, high, left, width - EDGE_WIDTH)
    content = [
        scale.left_axis(y, ticks, left, x.end, "decisions"),
        path(minor_ticks(x, base), "grid"),
        scale.bottom_axis(x, decade_labels(x), (base, base + 5), "time for a decision", (0, width)),
        *draw_bars(times.counts, x, y),
        path(f"M{coordinate(left)} {coordinate(base)}H{coordinate(x.end)}", "base"),
    ]
    return plot(
        "histogram",
        (width, HEIGHT),
        title,
        describe(times, limit),
        *content,
        *draw_marks(marks, x, base),
    )


def decade_labels(x: Scale) -> list[Tick]:
    """Ticks at powers of ten, as many as have room for labels."""
    every = decade_ticks(x.low, x.high)
    room = (x.end - x.start) / (x.high - x.low)
    widest = max(text_width(tick.label, SMALL_FONT_SIZE) for tick in every) + 8
    return every[:: max(1, math.ceil(widest / room))]


def minor_ticks(x: Scale, base: float) -> str:
    """Draw small ticks between the powers of ten."""
    return "".join(
        f"M{coordinate(x.at(power + math.log10(times)))} {coordinate(base)}v3"
        for power in range(math.floor(x.low), math.ceil(x.high))
        for times in range(2, 10)
    )


def draw_bars(counts: Sequence[int], x: Scale, y: Scale) -> list[str]:
    """Draw a bar for each bin that is not empty."""
    drawn = []
    for index, count in enumerate(counts):
        begin, end = (
            MIN_EXPONENT + index / BINS_PER_DECADE,
            MIN_EXPONENT + (index + 1) / BINS_PER_DECADE,
        )
        if not count or begin < x.low - 1e-9 or end > x.high + 1e-9:
            continue
        left, right = x.at(begin), x.at(end)
        outline = (
            f"M{coordinate(left + 0.5)} "
            f"{coordinate(y.start)}V{coordinate(min(y.at(count), y.start - 1))}"
            f"H{coordinate(right - 0.5)}V{coordinate(y.start)}z"
        )
        words = f"{duration(BIN_EDGES[index])} to {duration(BIN_EDGES[index + 1])}"
        drawn.append(path(outline, "bar", f"{words}: {plural(count, 'decision')}"))
    return drawn


def draw_marks(marks: Sequence[tuple[float, str, str]], x: Scale, base: float) -> list[str]:
    """Draw lines for some times; each has its name at another height, so that none overlap."""
    drawn = []
    for row, (at, words, kind) in enumerate(marks):
        x_position, height = x.clamp(at), 22.0 + LINE_HEIGHT * row
        drawn.append(
            path(
                f"M{coordinate(x_position)} {coordinate(height - 7)}V{coordinate(base)}",
                f"at {kind}",
            )
        )
        late = x_position + text_width(words) + 6 > x.end + 20
        anchor = "end" if late else None
        label_x = x_position - 5 if late else x_position + 5
        drawn.append(
            text_line(
                words,
                (label_x, height),
                class_="limit" if kind == "limit" else None,
                text_anchor=anchor,
            )
        )
    return drawn


def describe(times: DecisionTimes, limit: float | None) -> str:
    """The main figures in words."""
    if times.median is None or times.percentile_99 is None:
        return "No decision was timed."
    words = (
        f"{plural(sum(times.counts), 'decision')}: half took at most {duration(times.median)}, "
        f"99 % at most {duration(times.percentile_99)}"
    )
    allowed = finite(limit)
    return words + ("." if allowed is None else f"; {duration(allowed)} are allowed.")
