"""A heat map of each bot's rating in each variant, against the bot's own mean."""

import math
from collections.abc import Sequence
from statistics import fmean

from arena.ratings.confidence import TWO_SIDED_Z
from arena.ratings.crosstable import MIN_UNEXPECTED_Z
from arena.ratings.standings import StandingsLine, StandingsTable
from arena.report.plots.heatmap import Heatmap, diverging_colours, draw_heatmap
from arena.report.plots.text import estimate_text, finite, finite_margin, number
from arena.text import plural

READING = (
    "A figure is a bot's rating in a variant, its colour says whether that is above (blue) or "
    "below (orange) the bot's own mean, and a corner marks where it surely is."
)

MIN_COLOUR_RANGE = 2.0
"""The least distance from the mean that the strongest colours stand for."""
MAX_NAMED = 3


class VariantProfile:
    """The ratings of a bot in all parts, as far as it has any."""

    def __init__(self, bot: str, lines: Sequence[StandingsLine | None]) -> None:
        self.bot = bot
        self.mu = [None if line is None else finite(line.mu) for line in lines]
        self.margins = [None if line is None else finite_margin(line.margin) for line in lines]
        self.known_parts = [place for place, mu in enumerate(self.mu) if mu is not None]
        self.mean = fmean(mu for mu in self.mu if mu is not None) if self.known_parts else None

    @property
    def gaps(self) -> list[float | None]:
        """The distance of each rating from the mean."""
        mean = self.mean
        return [None if mu is None or mean is None else mu - mean for mu in self.mu]

    def is_sure(self, part: int) -> bool:
        """Whether a rating differs significantly from the mean, of which it is a part."""
        gap, margins = self.gaps[part], [self.margins[place] for place in self.known_parts]
        if gap is None or len(self.known_parts) < 2 or None in margins:
            return False
        many = len(self.known_parts)
        shares = [1 - 1 / many if place == part else 1 / many for place in self.known_parts]
        apart = math.hypot(*(w * (m or 0.0) for w, m in zip(shares, margins, strict=True)))
        # As strict as the crosstable: among many comparisons some differ by chance.
        return abs(gap) > apart * MIN_UNEXPECTED_Z / TWO_SIDED_Z


def draw(
    parts: Sequence[StandingsTable], bots: Sequence[str], *, title: str = "Who is good at what"
) -> str:
    """Draw a row for each bot in the order given, and a column for each part."""
    lines_by_bot = [{line.bot: line for line in part.lines} for part in parts]
    profiles = [VariantProfile(bot, [lines.get(bot) for lines in lines_by_bot]) for bot in bots]

    def tooltip(row: int, column: int) -> str:
        one = profiles[row]
        gap = one.gaps[column]
        words = f"{one.bot}, {parts[column].title}: "
        if gap is None:
            return words + "no rating"
        rating = estimate_text(one.mu[column], one.margins[column])
        return f"{words}{rating}, {number(gap, 1, '+')} against its own mean"

    gaps = [one.gaps for one in profiles]
    return draw_heatmap(
        Heatmap(
            title=title,
            rows=bots,
            columns=[part.title for part in parts],
            values=[one.mu for one in profiles],
            colour_values=gaps,
            colour_scale=diverging_colours(gaps, 0.0, MIN_COLOUR_RANGE),
            cell_tooltip=tooltip,
            marked_cells=frozenset(
                (row, column)
                for row, one in enumerate(profiles)
                for column in range(len(parts))
                if one.is_sure(column)
            ),
            axis_titles=("rating (mu)", ""),
            key_texts=("below its own mean", "above"),
            summary=describe(profiles, parts),
        )
    )


def describe(profiles: Sequence[VariantProfile], parts: Sequence[StandingsTable]) -> str:
    """The main figures in words."""
    sure = [
        (-abs(gap), row, column, gap)
        for row, one in enumerate(profiles)
        for column, gap in enumerate(one.gaps)
        if gap is not None and one.is_sure(column)
    ]
    if not sure:
        return "No bot is surely better or worse anywhere than in its own mean."
    ratings = [
        f"{profiles[row].bot} in {parts[column].title} ({number(gap, 1, '+')})"
        for _, row, column, gap in sorted(sure)[:MAX_NAMED]
    ]
    most = ", most of all " if len(sure) > MAX_NAMED else ": "
    return (
        f"{plural(len(sure), 'rating')} surely {'differs' if len(sure) == 1 else 'differ'} from "
        f"the mean of the bot{most}{', '.join(ratings)}."
    )
