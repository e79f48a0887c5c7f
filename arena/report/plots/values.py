"""Values as a plot can take them, and as it writes them: the same input gives the same bytes."""

import math
from collections.abc import Iterable
from statistics import median

FARTHEST = 1e9
"""Nothing that is plotted goes so far; what does is treated as if it were not known."""
MINUS, NONE = "−", "–"
STUCK = "\u00a0"
"""A space at which no line is broken."""


def finite(value: float | None) -> float | None:
    """A value that has a place on a scale, or None."""
    return None if value is None or not abs(value) < FARTHEST else float(value)


def reach(margin: float | None) -> float | None:
    """A margin to each side: None if it is not known, `FARTHEST` if it has no end."""
    return None if margin is None or math.isnan(margin) else min(abs(float(margin)), FARTHEST)


def usual(margins: Iterable[float | None]) -> float:
    """How far margins may stretch a scale: three times as far as the one in the middle.

    A bot that never loses has an interval without end, which would leave no room to the others.
    """
    known = [margin for margin in margins if margin is not None and margin < FARTHEST]
    return 3 * median(known) if known else 0.0


def spot(value: float) -> str:
    """A coordinate, to a tenth."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def number(value: float, digits: int = 1, sign: str = "") -> str:
    """A number as people read it: with a real minus, and there is no −0."""
    text = f"{round(value, digits) + 0.0:{sign},.{digits}f}"
    return text.replace("-", MINUS)


def estimate(value: float | None, margin: float | None, digits: int = 1, sign: str = "") -> str:
    """A value with its margin, as far as they are known."""
    value, margin = finite(value), reach(margin)
    if value is None:
        return NONE
    text = number(value, digits, sign)
    if margin is None:
        return text
    return f"{text} ±{'∞' if margin >= FARTHEST else number(margin, digits)}"


def percent(share: float) -> str:
    """A chance in short, which never looks certain when it is not."""
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return ">99 %"
    return f"{number(100 * share, 0)} %"


def counted(many: int, thing: str) -> str:
    """So many things."""
    return f"{many:,} {thing}" if many == 1 else f"{many:,} {thing}s"
