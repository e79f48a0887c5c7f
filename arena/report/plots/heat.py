"""Heat: which of nine colours stands for a value."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.report.plots.values import finite

LEVELS = 9
STRONG = 5
"""From this level on a sequential colour takes the letters of the page's own colour."""
MIDDLE = "d4"
"""The class of what lies in the middle."""


@dataclass(frozen=True)
class Heat:
    """What the colours stand for: from `low` to `high`, around `middle` if there is one."""

    low: float
    high: float
    middle: float | None = None

    def level(self, value: float) -> int:
        """One of nine levels."""
        if self.middle is None:
            share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
            return min(LEVELS - 1, max(0, int(share * LEVELS)))
        far = max(self.high - self.middle, self.middle - self.low)
        share = (value - self.middle) / far if far > 0 else 0.0
        return min(LEVELS - 1, max(0, round((share + 1) / 2 * (LEVELS - 1))))

    def kind(self, level: int) -> str:
        """The class of a level: `s0` to `s8`, or from `d0` by `d4` in the middle to `d8`."""
        return f"s{level}" if self.middle is None else f"d{level}"

    def lit(self, level: int) -> bool:
        """Whether letters on the colour are those of the page's own colour."""
        return self.middle is None and level >= STRONG


SHARE = Heat(0.0, 1.0)
CHANCE = Heat(0.0, 1.0, 0.5)


def around(values: Sequence[Sequence[float | None]], middle: float, least: float = 1.0) -> Heat:
    """Colours around a middle that reach as far as the values do, and at least so far."""
    known = [one for row in values for value in row if (one := finite(value)) is not None]
    far = max([abs(value - middle) for value in known] + [least])
    return Heat(middle - far, middle + far, middle)
