"""Scales, ticks and axes, also for durations on a logarithmic scale."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.report.plots.svg import path, text_line, text_lines
from arena.report.plots.text import SMALL_FONT_SIZE, coordinate, number, text_width

LABEL_GAP = 14.0
"""The least gap between the labels of two ticks."""
MIN_RELATIVE_SPAN = 1e-6
"""The least width of a scale, as a share of its values."""
AXIS_HEIGHT = 38.0
"""The height of an axis below a plot, with its title."""
UNTITLED_AXIS_HEIGHT = 22.0
"""The same without a title."""
BINS_PER_DECADE = 10
"""Bins in each power of ten."""
MIN_EXPONENT, MAX_EXPONENT = 0, 9
"""Exponents of microseconds: 1 µs to 1,000 s; times beyond are in the last bin."""
BIN_EDGES = tuple(
    10 ** (each / BINS_PER_DECADE)
    for each in range(MIN_EXPONENT * BINS_PER_DECADE, MAX_EXPONENT * BINS_PER_DECADE + 1)
)
UNITS = (("s", 1e6), ("ms", 1e3), ("µs", 1.0))


@dataclass(frozen=True)
class Scale:
    """Maps values from `low` to `high` to coordinates; `end` may be less than `start`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The coordinate of a value, even outside of the scale."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def clamp(self, value: float) -> float:
        """The coordinate of a value, or of the nearest end of the scale."""
        return self.at(min(max(value, self.low), self.high))

    def contains(self, value: float) -> bool:
        """Whether a value lies on the scale."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Tick:
    """A marked value of an axis."""

    value: float
    label: str


def padded_range(
    values: Iterable[float], min_width: float, pad: float = 0.04
) -> tuple[float, float]:
    """The ends of a scale with all values and some space, at least `min_width` wide."""
    every = list(values) or [0.0]
    low, high = min(every), max(every)
    min_width = max(min_width, MIN_RELATIVE_SPAN * max(abs(low), abs(high)))
    if high - low < min_width:
        low, high = (low + high - min_width) / 2, (low + high + min_width) / 2
    padding = pad * (high - low)
    return low - padding, high + padding


def round_ticks(low: float, high: float, max_count: int) -> list[Tick]:
    """At most `max_count` ticks at multiples of 1, 2 or 5 times a power of 10."""
    power = math.floor(math.log10((high - low) / max(max_count, 1)))
    for exponent in (power, power + 1):
        for times in (1, 2, 5):
            digits = max(0, -exponent)
            size = times * 10.0**exponent
            first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
            if last - first < max_count:
                return [
                    Tick(round(each * size, digits), number(each * size, digits))
                    for each in range(first, last + 1)
                ]
    return []


def spaced_ticks(scale: Scale, max_count: int = 9) -> list[Tick]:
    """Ticks whose labels do not touch when they are side by side."""
    room = abs(scale.end - scale.start)
    for count in range(max_count, 1, -1):
        every = round_ticks(scale.low, scale.high, count)
        for ticks in (every, every_other_tick(every)):
            widest = max((text_width(tick.label, SMALL_FONT_SIZE) for tick in ticks), default=0.0)
            if len(ticks) > 1 and room * tick_gap(scale, ticks) >= widest + LABEL_GAP:
                return ticks
    return round_ticks(scale.low, scale.high, 1)


def every_other_tick(ticks: Sequence[Tick]) -> list[Tick]:
    """Every other tick, including zero if it has one."""
    zero = next((place for place, tick in enumerate(ticks) if tick.value == 0), 0)
    return list(ticks[zero % 2 :: 2])


def tick_gap(scale: Scale, ticks: Sequence[Tick]) -> float:
    """The distance of two ticks, as a share of the scale."""
    return (ticks[1].value - ticks[0].value) / (scale.high - scale.low)


def bottom_axis(
    scale: Scale,
    ticks: Sequence[Tick],
    ends: tuple[float, float],
    title: str | None = None,
    sides: tuple[float, float] = (0.0, math.inf),
) -> str:
    """Draw the axis below a plot from `top` to `base`; its title stays between two sides."""
    top, base = ends
    lines = "".join(
        f"M{coordinate(scale.at(tick.value))} {coordinate(top)}V{coordinate(base)}"
        for tick in ticks
    )
    drawn = path(lines, "grid") + tick_labels(scale, ticks, base + 11)
    if title is None:
        return drawn
    half = text_width(title) / 2
    middle = max(sides[0] + half, min(sides[1] - half, (scale.start + scale.end) / 2))
    return drawn + text_line(title, (middle, base + 28), class_="axis", text_anchor="middle")


def tick_labels(scale: Scale, ticks: Sequence[Tick], y: float) -> str:
    """Draw the labels of ticks side by side."""
    every = [(tick.label, (scale.at(tick.value), y)) for tick in ticks]
    return text_lines(every, SMALL_FONT_SIZE, class_="tick", text_anchor="middle")


def left_axis(scale: Scale, ticks: Sequence[Tick], begin: float, end: float, title: str) -> str:
    """Draw the axis at the left of a plot; its title is above it."""
    lines = "".join(
        f"M{coordinate(begin)} {coordinate(scale.at(tick.value))}H{coordinate(end)}"
        for tick in ticks
    )
    every = [(tick.label, (begin - 6, scale.at(tick.value))) for tick in ticks]
    above = min(scale.start, scale.end) - 14
    return (
        path(lines, "grid")
        + text_lines(every, SMALL_FONT_SIZE, class_="tick", text_anchor="end")
        + text_line(title, (0, above), class_="axis")
    )


def left_axis_width(ticks: Sequence[Tick]) -> float:
    """The width of the labels of an axis at the left."""
    return max((text_width(tick.label, SMALL_FONT_SIZE) for tick in ticks), default=0.0) + 10


class DecisionTimes(NamedTuple):
    """A histogram of the decision times of a bot."""

    counts: tuple[int, ...]
    """In each bin between two of `BIN_EDGES`."""
    median: float | None
    """Microseconds, like all times here."""
    percentile_99: float | None
    """99 % of the decisions took at most this time."""


def decision_times(microseconds: Iterable[float]) -> DecisionTimes:
    """Sort decision times into bins."""
    every = sorted(one for one in microseconds if math.isfinite(one))
    counts = [0] * (len(BIN_EDGES) - 1)
    for one in every:
        counts[min(max(bisect_right(BIN_EDGES, one) - 1, 0), len(counts) - 1)] += 1
    if not every:
        return DecisionTimes(tuple(counts), None, None)
    return DecisionTimes(tuple(counts), quantile(every, 0.5), quantile(every, 0.99))


def quantile(ordered: list[float], share: float) -> float:
    """The least value that a share of all values does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def duration(microseconds: float) -> str:
    """Format a time with two or three digits and its unit."""
    value = float(f"{microseconds:.3g}")
    unit, size = next((one for one in UNITS if value >= one[1]), UNITS[-1])
    scaled = value / size
    digits = (
        0 if scaled >= 100 or size == 1 or scaled == round(scaled) else 1 if scaled >= 10 else 2
    )
    text = f"{scaled:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} {unit}"


def decade_ticks(low: float, high: float) -> list[Tick]:
    """Ticks at the powers of ten between two exponents."""
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    return [Tick(float(each), duration(10.0**each)) for each in range(first, last + 1)]
