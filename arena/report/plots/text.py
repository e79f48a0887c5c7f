"""Estimate the width of text, and format the numbers that plots and pages show.

Nobody knows the reader's font when the page is made. The widths are those of a wide one, so
that a narrower one leaves a little more air.
"""

import math
from collections.abc import Iterable
from itertools import accumulate
from statistics import median
from unicodedata import category, east_asian_width

SIZE, SMALL = 12.0, 11.0
"""The sizes of letters in plots."""
ELLIPSIS = "…"

WIDTHS = {
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
"""In hundredths of the size of the letters: sums of whole numbers are exact in any order."""
WIDE, MARK, LETTER, CAPITAL = 125, 0, 70, 85
FIRST_UNKNOWN = 0x0700
"""Letters below this number are about as wide as ours; of later ones a few are very wide."""


def text_width(text: str, size: float = SIZE) -> float:
    """How wide a text is, or somewhat less."""
    return size * sum(map(character_width, text)) / 100


def character_width(character: str) -> int:
    """How wide a character is, in hundredths of the size of the letters."""
    width = WIDTHS.get(character)
    if width is not None:
        return width
    kind = category(character)
    if kind in {"Mn", "Me"}:
        return MARK
    if east_asian_width(character) in {"W", "F"} or kind == "So":
        return WIDE
    return CAPITAL if kind == "Lu" or ord(character) >= FIRST_UNKNOWN else LETTER


def shorten(text: str, room: float, size: float = SIZE) -> str:
    """A text that fits, without its end if it is too long."""
    if text_width(text, size) <= room:
        return text
    widths = accumulate(map(character_width, text), initial=WIDTHS[ELLIPSIS])
    fit = sum(size * width / 100 <= room for width in widths)
    return text[: max(fit - 1, 0)].rstrip() + ELLIPSIS


def has_doubtful_width(text: str) -> bool:
    """Whether a text may be much wider than it is taken for."""
    return any(
        ord(one) >= FIRST_UNKNOWN and one not in WIDTHS and east_asian_width(one) not in {"W", "F"}
        for one in text
    )


MAX_VALUE = 1e9
"""Nothing that is plotted goes so far; what does is treated as if it were not known."""
MINUS, NONE = "−", "–"
NBSP = "\u00a0"
"""A space at which no line is broken."""


def finite(value: float | None) -> float | None:
    """A value that has a place on a scale, or None."""
    return None if value is None or not abs(value) < MAX_VALUE else float(value)


def finite_margin(margin: float | None) -> float | None:
    """A margin to each side: None if it is not known, `FARTHEST` if it has no end."""
    return None if margin is None or math.isnan(margin) else min(abs(float(margin)), MAX_VALUE)


def margin_limit(margins: Iterable[float | None]) -> float:
    """How far margins may stretch a scale: three times as far as the one in the middle.

    A bot that never loses has an interval without end, which would leave no room to the others.
    """
    known = [margin for margin in margins if margin is not None and margin < MAX_VALUE]
    return 3 * median(known) if known else 0.0


def coordinate(value: float) -> str:
    """A coordinate, to a tenth."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def number(value: float, digits: int = 1, sign: str = "") -> str:
    """A number as people read it: with a real minus, and there is no −0."""
    text = f"{round(value, digits) + 0.0:{sign},.{digits}f}"
    return text.replace("-", MINUS)


def estimate(value: float | None, margin: float | None, digits: int = 1, sign: str = "") -> str:
    """A value with its margin, as far as they are known."""
    value, margin = finite(value), finite_margin(margin)
    if value is None:
        return NONE
    text = number(value, digits, sign)
    if margin is None:
        return text
    return f"{text} ±{'∞' if margin >= MAX_VALUE else number(margin, digits)}"


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
