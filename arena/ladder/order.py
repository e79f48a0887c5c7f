"""Order: bots from the strongest to the weakest."""

from bisect import bisect_left
from collections.abc import Iterable


class Order:
    """Bots by their strength, the best first."""

    def __init__(self, strengths: Iterable[float]) -> None:
        self.keys = [-strength for strength in strengths]
        self.line = sorted((key, bot) for bot, key in enumerate(self.keys))

    def __len__(self) -> int:
        return len(self.line)

    def at(self, bot: int) -> int:
        """The place of a bot, from 0."""
        return bisect_left(self.line, (self.keys[bot], bot))

    def move(self, bot: int, strength: float) -> None:
        """Put a bot where it belongs by now; only those whom it passes change places."""
        line, old, entry = self.line, self.at(bot), (-strength, bot)
        new = bisect_left(line, entry)
        if new > old:
            new -= 1
            line[old:new] = line[old + 1 : new + 1]
        else:
            line[new + 1 : old + 1] = line[new:old]
        line[new] = entry
        self.keys[bot] = -strength

    def remove(self, bot: int) -> None:
        """Take a bot out."""
        del self.line[self.at(bot)]

    def around(self, at: int, reach: float, least: int) -> tuple[int, int]:
        """The places of those who are so near to one, from and to; at least so many each way."""
        line = self.line
        key, low, high = line[at][0], max(0, at - least), min(len(line), at + least + 1)
        if low and key - line[low][0] < reach:
            low = bisect_left(line, (key - reach,), 0, low)
        if high < len(line) and line[high - 1][0] - key < reach:
            high = bisect_left(line, (key + reach,), high)
        return low, high
