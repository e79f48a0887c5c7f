"""Who is good at what: the rating of each bot in each part of a run, against its own mean."""

import math
from collections.abc import Sequence
from statistics import fmean

from arena.ratings.certainty import WIDTH
from arena.ratings.crosstable import ODD
from arena.ratings.standings import Line, Table
from arena.report.plots.grid import Grid
from arena.report.plots.heat import around
from arena.report.plots.heatmap import heatmap
from arena.report.plots.values import counted, estimate, finite, number, reach

READING = (
    "A figure is a bot's rating in a variant, its colour says whether that is above (blue) or "
    "below (orange) the bot's own mean, and a corner marks where it surely is."
)

LEAST = 2.0
"""How far the strongest colours are from the mean at least."""
NAMED = 3


class Profile:
    """What a bot is rated in all parts; those that it has no rating in count for nothing."""

    def __init__(self, bot: str, lines: Sequence[Line | None]) -> None:
        self.bot = bot
        self.mu = [None if line is None else finite(line.mu) for line in lines]
        self.margins = [None if line is None else reach(line.margin) for line in lines]
        self.known = [place for place, mu in enumerate(self.mu) if mu is not None]
        self.mean = fmean(mu for mu in self.mu if mu is not None) if self.known else None

    @property
    def gaps(self) -> list[float | None]:
        """How far each rating is above the mean."""
        mean = self.mean
        return [None if mu is None or mean is None else mu - mean for mu in self.mu]

    def sure(self, part: int) -> bool:
        """Whether a rating surely differs from the mean, which it is itself a part of."""
        gap, margins = self.gaps[part], [self.margins[place] for place in self.known]
        if gap is None or len(self.known) < 2 or None in margins:
            return False
        many = len(self.known)
        shares = [1 - 1 / many if place == part else 1 / many for place in self.known]
        apart = math.hypot(*(w * (m or 0.0) for w, m in zip(shares, margins, strict=True)))
        # As strict as the crosstable: where so many are compared, some differ by chance.
        return abs(gap) > apart * ODD / WIDTH


def variants(
    parts: Sequence[Table], bots: Sequence[str], *, title: str = "Who is good at what"
) -> str:
    """A row for each bot in the order given, a column for each part."""
    found = [{line.bot: line for line in part.lines} for part in parts]
    profiles = [Profile(bot, [lines.get(bot) for lines in found]) for bot in bots]

    def tells(row: int, column: int) -> str:
        one = profiles[row]
        gap = one.gaps[column]
        words = f"{one.bot}, {parts[column].title}: "
        if gap is None:
            return words + "no rating"
        rating = estimate(one.mu[column], one.margins[column])
        return f"{words}{rating}, {number(gap, 1, '+')} against its own mean"

    gaps = [one.gaps for one in profiles]
    return heatmap(
        Grid(
            title=title,
            rows=bots,
            columns=[part.title for part in parts],
            values=[one.mu for one in profiles],
            warmth=gaps,
            heat=around(gaps, 0.0, LEAST),
            tells=tells,
            marks=frozenset(
                (row, column)
                for row, one in enumerate(profiles)
                for column in range(len(parts))
                if one.sure(column)
            ),
            axis=("rating (mu)", ""),
            ends=("below its own mean", "above"),
            wholly=describe(profiles, parts),
        )
    )


def describe(profiles: Sequence[Profile], parts: Sequence[Table]) -> str:
    """The main figures in words."""
    sure = [
        (-abs(gap), row, column, gap)
        for row, one in enumerate(profiles)
        for column, gap in enumerate(one.gaps)
        if gap is not None and one.sure(column)
    ]
    if not sure:
        return "No bot is surely better or worse anywhere than in its own mean."
    told = [
        f"{profiles[row].bot} in {parts[column].title} ({number(gap, 1, '+')})"
        for _, row, column, gap in sorted(sure)[:NAMED]
    ]
    most = ", most of all " if len(sure) > NAMED else ": "
    return (
        f"{counted(len(sure), 'rating')} surely {'differs' if len(sure) == 1 else 'differ'} from "
        f"the mean of the bot{most}{', '.join(told)}."
    )
