"""Whiskers: estimates and their intervals, drawn with characters on one scale."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

DOT, LINE, THICK, LEFT, RIGHT, CENTRE = "●", "─", "━", "├", "┤", "┊"


@dataclass(frozen=True)
class Scale:
    """From where to where it goes, over so many characters."""

    low: float
    high: float
    width: int

    def place(self, value: float) -> int:
        """The character that stands for a value."""
        span = self.high - self.low
        share = (value - self.low) / span if span > 0 else 0.5
        return min(self.width - 1, max(0, round(share * (self.width - 1))))


def scale(intervals: Sequence[tuple[float, float]], width: int, centre: float) -> Scale:
    """One that holds all intervals and the centre."""
    low = min((low for low, _ in intervals), default=centre)
    high = max((high for _, high in intervals), default=centre)
    return Scale(min(low, centre), max(high, centre), width)


def whisker(on: Scale, value: float, low: float, high: float, centre: float) -> Text:
    """A dot in its interval."""
    return box(on, (low, value, value, value, high), centre)


def box(on: Scale, quantiles: Sequence[float], centre: float) -> Text:
    """A line from the first to the last of five values, thick between the second and the fourth."""
    first, begin, dot, end, last = (on.place(value) for value in quantiles)
    middle = on.place(centre)
    signs = [" "] * on.width
    signs[middle] = CENTRE
    signs[first : last + 1] = LINE * (last + 1 - first)
    if begin < end:
        signs[begin : end + 1] = THICK * (end + 1 - begin)
    signs[first], signs[last] = LEFT, RIGHT
    signs[dot] = DOT
    text = Text("".join(signs))
    text.stylize("cyan", first, last + 1)
    if not first <= middle <= last:
        text.stylize("dim", middle, middle + 1)
    return text


def axis(on: Scale, centre: float) -> Text:
    """What both ends and the centre of a scale stand for, as far as there is room."""
    low, middle, high = (label(value) for value in (on.low, centre, on.high))
    signs = list(low.ljust(on.width - len(high)) + high)[: on.width]
    start = on.place(centre) - len(middle) // 2
    if len(low) < start and start + len(middle) < on.width - len(high):
        signs[start : start + len(middle)] = middle
    return Text("".join(signs), "dim")


def label(value: float) -> str:
    """A value as a whole number; there is no −0."""
    return str(round(value)).replace("-", "−")
