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
KNOWN = 0x0700
"""Letters below this number are about as wide as ours; of later ones a few are very wide."""


def measure(text: str, size: float = SIZE) -> float:
    """How wide a text is, or somewhat less."""
    return size * sum(map(broad, text)) / 100


def broad(character: str) -> int:
    """How wide a character is, in hundredths of the size of the letters."""
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
    fit = sum(size * width / 100 <= room for width in widths)
    return text[: max(fit - 1, 0)].rstrip() + ELLIPSIS


def doubtful(text: str) -> bool:
    """Whether a text may be much wider than it is taken for."""
    return any(
        ord(one) >= KNOWN and one not in WIDTHS and east_asian_width(one) not in {"W", "F"}
        for one in text
    )
