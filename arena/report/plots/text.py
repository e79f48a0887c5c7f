"""Estimate the width of text, and format the numbers that plots and pages show.

The font of the reader is unknown. The widths are those of a wide font; a narrower one leaves a
little more space.
"""

import math
from collections.abc import Iterable
from itertools import accumulate
from statistics import median
from unicodedata import category, east_asian_width

FONT_SIZE, SMALL_FONT_SIZE = 12.0, 11.0
"""Font sizes of plots."""
ELLIPSIS = "…"

CHARACTER_WIDTHS = {
    **dict.fromkeys("',.Iijl ", 32),
    **dict.fromkeys("!()-/:;[\\]frt|J", 41),
    **dict.fromkeys('"*_`sz', 52),
    **dict.fromkeys("?FLPTYacekovxy", 62),
    **dict.fromkeys("$0123456789ABEKRSVXZbdghnpqu{}", 68),
    **dict.fromkeys("&CDGHNOQUw", 79),
    **dict.fromkeys("#+<=>^~±−", 84),
    **dict.fromkeys("%@WMm", 100),
    "\u00a0": 32,
    "–": 50,
    ELLIPSIS: 100,
}
"""In hundredths of the font size: sums of integers are exact in any order."""
WIDE_WIDTH, MARK_WIDTH, LETTER_WIDTH, CAPITAL_WIDTH = 125, 0, 70, 85
FIRST_UNKNOWN = 0x0700
"""Letters below this code point have about Latin widths; a few later ones are very wide."""
MAX_VALUE = 1e9
"""Values beyond this are treated as unknown."""
MINUS, NO_VALUE = "−", "–"
NBSP = "\u00a0"
"""A no-break space."""


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """The estimated width of a text."""
    return size * sum(map(character_width, text)) / 100


def character_width(character: str) -> int:
    """The width of a character, in hundredths of the font size."""
    width = CHARACTER_WIDTHS.get(character)
    if width is not None:
        return width
    kind = category(character)
    if kind in {"Mn", "Me"}:
        return MARK_WIDTH
    if east_asian_width(character) in {"W", "F"} or kind == "So":
        return WIDE_WIDTH
    return CAPITAL_WIDTH if kind == "Lu" or ord(character) >= FIRST_UNKNOWN else LETTER_WIDTH


def shorten(text: str, room: float, size: float = FONT_SIZE) -> str:
    """A text that fits, without its end if it is too long."""
    if text_width(text, size) <= room:
        return text
    widths = accumulate(map(character_width, text), initial=CHARACTER_WIDTHS[ELLIPSIS])
    fitting_count = sum(size * width / 100 <= room for width in widths)
    return text[: max(fitting_count - 1, 0)].rstrip() + ELLIPSIS


def has_doubtful_width(text: str) -> bool:
    """Whether a text may be much wider than estimated."""
    return any(
        ord(one) >= FIRST_UNKNOWN
        and one not in CHARACTER_WIDTHS
        and east_asian_width(one) not in {"W", "F"}
        for one in text
    )


def finite(value: float | None) -> float | None:
    """A value that can be drawn, or None."""
    return None if value is None or not abs(value) < MAX_VALUE else float(value)


def finite_margin(margin: float | None) -> float | None:
    """A margin to each side: None if it is unknown, `MAX_VALUE` if it is infinite."""
    return None if margin is None or math.isnan(margin) else min(abs(float(margin)), MAX_VALUE)


def margin_limit(margins: Iterable[float | None]) -> float:
    """How far margins may extend a scale: three times the median margin.

    A bot that never loses has an infinite interval, which would leave no room for the others.
    """
    known = [margin for margin in margins if margin is not None and margin < MAX_VALUE]
    return 3 * median(known) if known else 0.0


def coordinate(value: float) -> str:
    """Format a coordinate with one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def number(value: float, digits: int = 1, sign: str = "") -> str:
    """Format a number with a minus sign, and without −0."""
    text = f"{round(value, digits) + 0.0:{sign},.{digits}f}"
    return text.replace("-", MINUS)


def estimate_text(
    value: float | None, margin: float | None, digits: int = 1, sign: str = ""
) -> str:
    """Format a value with its margin, as far as they are known."""
    value, margin = finite(value), finite_margin(margin)
    if value is None:
        return NO_VALUE
    text = number(value, digits, sign)
    if margin is None:
        return text
    return f"{text} ±{'∞' if margin >= MAX_VALUE else number(margin, digits)}"


def percent(share: float) -> str:
    """Format a chance in percent, so that it never looks like certainty."""
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return ">99 %"
    return f"{number(100 * share, 0)} %"
