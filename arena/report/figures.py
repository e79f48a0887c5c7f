"""Figures: the plots of a survey, each as it stands in a page."""

from collections.abc import Sequence

from markupsafe import Markup
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.ratings.crosstable import Crosstable
from arena.ratings.panels import Spread
from arena.ratings.standings import Table
from arena.report.plots import bias, crosstable, histogram, history, spread, variants, whiskers
from arena.report.plots import seats as plots_of_seats
from arena.report.plots.durations import Times
from arena.report.plots.fitting import NARROW, fitted
from arena.report.plots.history import Course
from arena.report.plots.history import Moment as Spot
from arena.report.survey import Survey

NOWHERE = Cell("", 0)
"""In place of a cell, where rows are cells themselves."""
CROWD, FEW = 60, 25
"""From more bots than this on, heat maps show so many."""
RUNNING, NIGHTLY = "Ratings as the run went on", "Ratings after each night"
DRAWN = 40
"""Bots that a crosstable shows, the best first: more would make a page too heavy."""


def many(bots: Sequence[str]) -> int:
    """How many of these bots a heat map shows: fewer beside a long table."""
    return DRAWN if len(bots) <= CROWD else FEW


def crossed(found: Crosstable) -> Markup:
    """A crosstable of not too many bots."""
    return drawn(crosstable.crosstable(found))


def compared(parts: Sequence[Table], bots: Sequence[str]) -> Markup:
    """Who is good at what."""
    return drawn(variants.variants(parts, bots[: many(bots)]))


def rated(table: Table) -> Markup:
    """Ratings in their intervals, for screens where the table has no room for them."""
    drawing = whiskers.whiskers(whiskers.ratings(table.lines[:DRAWN]), width=NARROW)
    return drawn(f'<div class="plot-narrow">{drawing}</div>')


def through_time(survey: Survey, bots: Sequence[str]) -> Markup:
    """Ratings as the run went on, or from night to night."""
    nightly = survey.contest is not None
    title = NIGHTLY if nightly else RUNNING
    across = "nights" if nightly else "blocks played"
    numbers = [survey.roster.bots.index(name) for name in bots]
    courses = [
        Course(
            name,
            [
                Spot(one.blocks if one.night is None else one.night, one.mu[bot], one.margin[bot])
                for one in survey.courses
            ],
        )
        for name, bot in zip(bots, numbers, strict=True)
    ]
    return drawn(
        fitted(
            lambda width: history.history(courses, title=title, across_title=across, width=width)
        )
    )


def seats(survey: Survey, cells: Sequence[Cell]) -> Markup:
    """What a seat is worth."""
    found = [survey.bias[cell] for cell in cells]
    return drawn(fitted(lambda width: bias.bias(found, width=width)))


def every_seat(survey: Survey) -> Markup:
    """What a seat is worth in all cells."""
    return drawn(plots_of_seats.seats(list(survey.bias.values())))


def scattered(survey: Survey, cell: Cell) -> Markup:
    """How points scatter in a cell, bot by bot."""
    found, hills = survey.spread[cell], survey.scattered[cell]
    names, active = survey.roster.bots, survey.active
    bots = tuple(one for one in found.bots if active is None or one.bot in active)[:DRAWN]
    counts = {one.bot: hills.histogram[names.index(one.bot)].tolist() for one in bots}
    shown = Spread(found.cell, found.luck, bots)
    edges = hills.edges.tolist()
    return drawn(
        fitted(lambda width: spread.spread(shown, edges=edges, histograms=counts, width=width))
    )


def scattered_over_cells(survey: Survey, name: str) -> Markup:
    """How a bot's points scatter, cell by cell."""
    rows = [replace(one, bot=str(cell)) for cell, one in survey.distributions.get(name, [])]
    shown = Spread(NOWHERE, None, tuple(rows[:DRAWN]))
    title = f"How the points of {name} scatter"
    return drawn(fitted(lambda width: spread.spread(shown, title=title, width=width)))


def thinking(times: Times, limit: float | None, name: str) -> Markup:
    """How long a bot thinks."""
    title = f"Decision times of {name}"
    return drawn(
        fitted(lambda width: histogram.histogram(times, limit=limit, title=title, width=width))
    )


def drawn(svg: str) -> Markup:
    """Markup that the plots have made, in which names of strangers are clean."""
    return Markup(svg)  # noqa: S704 (that is what plots see to)
