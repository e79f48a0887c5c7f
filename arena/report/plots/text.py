"""Text: how wide it is about, so that it can be cut to the room there is.

Nobody knows the reader's font when the page is made. The widths are those of a wide one, so
that a narrower one leaves a little more air.
"""

from itertools import accumulate
from unicodedata import category, east_asian_width

SIZE, SMALL = 12.0, 11.0
"""The sizes of letters in plots."""
ELLIPSIS = "…"

WIDTHS = {
    **dict.fromkeys("',.Iijl ", 0.32),
    **dict.fromkeys("!()-/:;[\\]frt|J", 0.41),
    **dict.fromkeys('"*_`sz', 0.52),
    **dict.fromkeys("?FLPTYacekovxy", 0.62),
    **dict.fromkeys("$0123456789ABEKRSVXZbdghnpqu{}", 0.68),
    **dict.fromkeys("&CDGHNOQUw", 0.79),
    **dict.fromkeys("#+<=>^~±−", 0.84),
    **dict.fromkeys("%@WMm", 1.0),
    "\u00a0": 0.32,
    "–": 0.5,
    ELLIPSIS: 1.0,
}
"""In sizes of the letters."""
WIDE, MARK, LETTER, CAPITAL = 1.25, 0.0, 0.7, 0.85
KNOWN = 0x0700
"""Letters below this number are about as wide as ours; of later ones a few are very wide."""


def measure(text: str, size: float = SIZE) -> float:
    """How wide a text is, or somewhat less."""
    return size * sum(map(broad, text))


def broad(character: str) -> float:
    """How wide a character is, in sizes of the letters."""
    width = WIDTHS.get(character)
    if width is not None:
        return width
    kind = category(character)
    if kind in {"Mn", "Me"}:
        return MARK
    if east_asian_width(character) in {"W", "F"} or kind == "So":
        return WIDE
    return CAPITAL if kind == "Lu" or ord(character) >= KNOWN else LETTER


def shorten(text: str, room: float, size: float = SIZE) -> str:
    """A text that fits, without its end if it is too long."""
    if measure(text, size) <= room:
        return text
    widths = accumulate(map(broad, text), initial=WIDTHS[ELLIPSIS])
    fit = sum(size * width <= room for width in widths)
    return text[: max(fit - 1, 0)].rstrip() + ELLIPSIS


def doubtful(text: str) -> bool:
    """Whether a text may be much wider than it is taken for."""
    return any(
        ord(one) >= KNOWN and one not in WIDTHS and east_asian_width(one) not in {"W", "F"}
        for one in text
    )
