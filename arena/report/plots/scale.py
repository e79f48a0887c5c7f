"""Scales: from values to places on the page, and the round values worth a tick."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.report.plots.text import SMALL, measure
from arena.report.plots.values import number

AIR = 14.0
"""Between the labels of two ticks."""
CLOSEST = 1e-6
"""A scale that is narrower than this, against its values, is no scale."""


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` lie between two coordinates; the second may be the smaller."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value lies, also if that is outside."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def within(self, value: float) -> float:
        """Where a value lies, or the end of the scale that is next to it."""
        return self.at(min(max(value, self.low), self.high))

    def holds(self, value: float) -> bool:
        """Whether a value lies on the scale."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Tick:
    """A value that is marked on an axis."""

    value: float
    label: str


def span(values: Iterable[float], least: float, pad: float = 0.04) -> tuple[float, float]:
    """From where to where a scale goes that holds all values, at least so far, with some air."""
    every = list(values) or [0.0]
    low, high = min(every), max(every)
    least = max(least, CLOSEST * max(abs(low), abs(high)))
    if high - low < least:
        low, high = (low + high - least) / 2, (low + high + least) / 2
    air = pad * (high - low)
    return low - air, high + air


def steps(low: float, high: float, most: int) -> list[Tick]:
    """At most so many round values: multiples of 1, 2 or 5 times a power of 10."""
    power = math.floor(math.log10((high - low) / max(most, 1)))
    for exponent in (power, power + 1):
        for times in (1, 2, 5):
            digits = max(0, -exponent)
            size = times * 10.0**exponent
            first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
            if last - first < most:
                return [
                    Tick(round(each * size, digits), number(each * size, digits))
                    for each in range(first, last + 1)
                ]
    return []


def across(scale: Scale, most: int = 9) -> list[Tick]:
    """Ticks whose labels do not touch each other when they stand side by side."""
    room = abs(scale.end - scale.start)
    for many in range(most, 1, -1):
        every = steps(scale.low, scale.high, many)
        for ticks in (every, other(every)):
            widest = max((measure(tick.label, SMALL) for tick in ticks), default=0.0)
            if len(ticks) > 1 and room * gap(scale, ticks) >= widest + AIR:
                return ticks
    return steps(scale.low, scale.high, 1)


def other(ticks: Sequence[Tick]) -> list[Tick]:
    """Every other tick, and zero among them if it is there."""
    zero = next((place for place, tick in enumerate(ticks) if tick.value == 0), 0)
    return list(ticks[zero % 2 :: 2])


def gap(scale: Scale, ticks: Sequence[Tick]) -> float:
    """How far two ticks are apart, as a share of the scale."""
    return (ticks[1].value - ticks[0].value) / (scale.high - scale.low)
