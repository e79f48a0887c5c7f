"""Durations from microseconds to minutes: how they are written, binned, and ticked."""

import math
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from arena.report.plots.scale import Tick

DECADE = 10
"""Bins in each power of ten."""
SHORTEST, LONGEST = 0, 9
"""Powers of ten of microseconds: from 1 µs to 1,000 s; what lies beyond is in the last bin."""
EDGES = tuple(10 ** (each / DECADE) for each in range(SHORTEST * DECADE, LONGEST * DECADE + 1))
UNITS = (("s", 1e6), ("ms", 1e3), ("µs", 1.0))


class Times(NamedTuple):
    """How long the decisions of a bot took."""

    counts: tuple[int, ...]
    """In each bin between two of `EDGES`."""
    median: float | None
    """Microseconds, like all times here."""
    high: float | None
    """99 % of the decisions took at most so long."""


def times(microseconds: Iterable[float]) -> Times:
    """The times of some decisions."""
    every = sorted(one for one in microseconds if math.isfinite(one))
    counts = [0] * (len(EDGES) - 1)
    for one in every:
        counts[min(max(bisect_right(EDGES, one) - 1, 0), len(counts) - 1)] += 1
    if not every:
        return Times(tuple(counts), None, None)
    return Times(tuple(counts), quantile(every, 0.5), quantile(every, 0.99))


def quantile(ordered: list[float], share: float) -> float:
    """The least of the values that so many of them do not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def duration(microseconds: float) -> str:
    """A time with two or three digits in its unit."""
    value = float(f"{microseconds:.3g}")
    unit, size = next((one for one in UNITS if value >= one[1]), UNITS[-1])
    scaled = value / size
    digits = (
        0 if scaled >= 100 or size == 1 or scaled == round(scaled) else 1 if scaled >= 10 else 2
    )
    text = f"{scaled:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} {unit}"


def decades(low: float, high: float) -> list[Tick]:
    """The powers of ten between two times, given and returned as logarithms."""
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    return [Tick(float(each), duration(10.0**each)) for each in range(first, last + 1)]
