"""Labels that want to stand at some height and must not touch each other."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Pile:
    """Labels next to each other that lean on each other."""

    wishes: list[float]
    """Where each would have the first of them stand."""

    @property
    def first(self) -> float:
        """Where the first stands: as near as can be to what all wish, in the mean square."""
        return sum(self.wishes) / len(self.wishes)


def apart(wishes: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The height of each label, at least a gap apart, in the order of their wishes.

    All stay between `low` and `high`; where there is no room for that, they go on below `high`.
    """
    order = sorted(range(len(wishes)), key=lambda place: wishes[place])
    piles: list[Pile] = []
    for place in order:
        pile = Pile([wishes[place]])
        while piles and piles[-1].first + gap * len(piles[-1].wishes) > pile.first:
            above = piles.pop()
            shift = gap * len(above.wishes)
            pile = Pile(above.wishes + [wish - shift for wish in pile.wishes])
        piles.append(pile)
    heights = [pile.first + gap * each for pile in piles for each in range(len(pile.wishes))]
    count = len(heights)
    for place in range(count):
        top, base = low + gap * place, high - gap * (count - 1 - place)
        heights[place] = max(top, min(base, heights[place]))
    found = [0.0] * count
    for place, height in zip(order, heights, strict=True):
        found[place] = height
    return found
