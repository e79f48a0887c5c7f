"""Axes: ticks with their labels, lines that lead the eye, and what is measured."""

import math
from collections.abc import Sequence

from arena.report.plots.markup import path, write, writings
from arena.report.plots.scale import Scale, Tick
from arena.report.plots.text import SMALL, measure
from arena.report.plots.values import spot

BELOW = 38.0
"""The height that an axis takes below a plot, with its title."""
UNNAMED = 22.0
"""The same without a title."""


def bottom(
    scale: Scale,
    ticks: Sequence[Tick],
    ends: tuple[float, float],
    title: str | None = None,
    sides: tuple[float, float] = (0.0, math.inf),
) -> str:
    """An axis below a plot that reaches from top to base; its title stays between two sides."""
    top, base = ends
    lines = "".join(f"M{spot(scale.at(tick.value))} {spot(top)}V{spot(base)}" for tick in ticks)
    drawn = path(lines, "grid") + labels(scale, ticks, base + 11)
    if title is None:
        return drawn
    half = measure(title) / 2
    middle = max(sides[0] + half, min(sides[1] - half, (scale.start + scale.end) / 2))
    return drawn + write(title, (middle, base + 28), class_="axis", text_anchor="middle")


def labels(scale: Scale, ticks: Sequence[Tick], y: float) -> str:
    """The labels of ticks side by side."""
    every = [(tick.label, (scale.at(tick.value), y)) for tick in ticks]
    return writings(every, SMALL, class_="tick", text_anchor="middle")


def left(scale: Scale, ticks: Sequence[Tick], begin: float, end: float, title: str) -> str:
    """An axis at the left of a plot from `begin` to `end`; its title stands level, above it."""
    lines = "".join(f"M{spot(begin)} {spot(scale.at(tick.value))}H{spot(end)}" for tick in ticks)
    every = [(tick.label, (begin - 6, scale.at(tick.value))) for tick in ticks]
    above = min(scale.start, scale.end) - 14
    return (
        path(lines, "grid")
        + writings(every, SMALL, class_="tick", text_anchor="end")
        + write(title, (0, above), class_="axis")
    )


def room(ticks: Sequence[Tick]) -> float:
    """How far from the edge an axis at the left begins, so that its labels fit."""
    return max((measure(tick.label, SMALL) for tick in ticks), default=0.0) + 10
