"""A histogram of decision times, on a scale of powers of ten."""

import math
from collections.abc import Sequence

from arena.report.plots import axes
from arena.report.plots.durations import DECADE, EDGES, LONGEST, SHORTEST, Times, decades, duration
from arena.report.plots.markup import path, plot, sentence, write
from arena.report.plots.scale import Scale, Tick, steps
from arena.report.plots.text import SMALL, measure
from arena.report.plots.values import counted, finite, number, spot

READING = (
    "Each step to the right takes ten times as long; half of the decisions were faster than the "
    "line marked median, and 99 of 100 faster than the dashed one."
)

WIDTH, HEIGHT = 680.0, 220.0
LINE = 15.0
"""The height of a line of marks' names."""
EDGE = 26.0
"""Half of the longest label at either end."""


def extent(several: Sequence[Times], limit: float | None = None) -> tuple[float, float]:
    """The powers of ten that hold the times of several bots, for plots that share a scale."""
    ends = [
        edge
        for one in several
        for place, many in enumerate(one.counts)
        if many
        for edge in (place // DECADE, (place + DECADE) // DECADE)
    ]
    if (until := exponent(limit)) is not None:
        ends.append(math.ceil(until + 0.05))
    low, high = min(ends, default=SHORTEST + 1), max(ends, default=SHORTEST + 4)
    return (float(low), float(high)) if high - low > 1 else (float(low - 1), float(high + 1))


def exponent(time: float | None) -> float | None:
    """A time as a power of ten, if it has a place on the scale."""
    value = finite(time)
    if value is None or value < 0:
        return None
    return min(max(math.log10(max(value, 1e-9)), SHORTEST), LONGEST)


def histogram(
    found: Times,
    *,
    limit: float | None = None,
    ends: tuple[float, float] | None = None,
    title: str = "Decision times",
    width: float = WIDTH,
) -> str:
    """The times of a bot's decisions; `limit` is the clock's, `ends` what several plots share."""
    if not any(found.counts):
        return sentence(describe(found, limit))
    low, high = ends or extent([found], limit)
    marks = [
        (at, words, kind)
        for time, words, kind in (
            (found.median, "median", "median"),
            (found.high, "99 %", "high"),
            (limit, "limit", "limit"),
        )
        if time is not None and (at := exponent(time)) is not None
        for words in [f"{words} {duration(time)}"]
    ]
    top = 24.0 + LINE * len(marks)
    base = HEIGHT - axes.BELOW - 5
    y = Scale(0.0, max(found.counts) * 1.04, base, top)
    ticks = [
        Tick(tick.value, number(tick.value, 0))
        for tick in steps(0.0, y.high, 5)
        if tick.value.is_integer()
    ]
    left = max(axes.room(ticks), EDGE)
    x = Scale(low, high, left, width - EDGE)
    content = [
        axes.left(y, ticks, left, x.end, "decisions"),
        path(minor(x, base), "grid"),
        axes.bottom(x, thinned(x), (base, base + 5), "time for a decision", (0, width)),
        *bars(found.counts, x, y),
        path(f"M{spot(left)} {spot(base)}H{spot(x.end)}", "base"),
    ]
    return plot(
        "histogram",
        (width, HEIGHT),
        title,
        describe(found, limit),
        *content,
        *lines(marks, x, base),
    )


def thinned(x: Scale) -> list[Tick]:
    """Powers of ten, as many as can be labelled."""
    every = decades(x.low, x.high)
    room = (x.end - x.start) / (x.high - x.low)
    widest = max(measure(tick.label, SMALL) for tick in every) + 8
    return every[:: max(1, math.ceil(widest / room))]


def minor(x: Scale, base: float) -> str:
    """Small ticks between the powers of ten."""
    return "".join(
        f"M{spot(x.at(power + math.log10(times)))} {spot(base)}v3"
        for power in range(math.floor(x.low), math.ceil(x.high))
        for times in range(2, 10)
    )


def bars(counts: Sequence[int], x: Scale, y: Scale) -> list[str]:
    """A bar for every bin that has any."""
    drawn = []
    for place, many in enumerate(counts):
        begin, end = SHORTEST + place / DECADE, SHORTEST + (place + 1) / DECADE
        if not many or begin < x.low - 1e-9 or end > x.high + 1e-9:
            continue
        left, right = x.at(begin), x.at(end)
        outline = (
            f"M{spot(left + 0.5)} {spot(y.start)}V{spot(min(y.at(many), y.start - 1))}"
            f"H{spot(right - 0.5)}V{spot(y.start)}z"
        )
        words = f"{duration(EDGES[place])} to {duration(EDGES[place + 1])}"
        drawn.append(path(outline, "bar", f"{words}: {counted(many, 'decision')}"))
    return drawn


def lines(marks: Sequence[tuple[float, str, str]], x: Scale, base: float) -> list[str]:
    """Lines for some times, each with its name in a line of its own, so that no two meet."""
    drawn = []
    for row, (at, words, kind) in enumerate(marks):
        place, height = x.within(at), 22.0 + LINE * row
        drawn.append(path(f"M{spot(place)} {spot(height - 7)}V{spot(base)}", f"at {kind}"))
        late = place + measure(words) + 6 > x.end + 20
        anchor = "end" if late else None
        shown = place - 5 if late else place + 5
        drawn.append(
            write(
                words,
                (shown, height),
                class_="limit" if kind == "limit" else None,
                text_anchor=anchor,
            )
        )
    return drawn


def describe(found: Times, limit: float | None) -> str:
    """The main figures in words."""
    if found.median is None or found.high is None:
        return "No decision was timed."
    words = (
        f"{counted(sum(found.counts), 'decision')}: half took at most {duration(found.median)}, "
        f"99 % at most {duration(found.high)}"
    )
    allowed = finite(limit)
    return words + ("." if allowed is None else f"; {duration(allowed)} are allowed.")
