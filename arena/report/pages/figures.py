"""Draw the plots of a survey as HTML for the pages."""

from collections.abc import Sequence

from markupsafe import Markup
from msgspec.structs import replace

from arena.ratings.breakdowns import CellSpread
from arena.ratings.cell import Cell
from arena.ratings.crosstable import Crosstable
from arena.ratings.standings import StandingsTable
from arena.report.data.survey import Survey
from arena.report.plots import crosstable, distributions, histogram, history, variants, whiskers
from arena.report.plots import seats as plots_seats
from arena.report.plots.history import RatingCurve
from arena.report.plots.history import RatingPoint as Spot
from arena.report.plots.scale import DecisionTimes
from arena.report.plots.svg import PHONE_WIDTH, draw_both_widths

NO_CELL = Cell("", 0)
"""In place of a cell, where rows are cells themselves."""
MANY_BOTS, FEW_BOTS = 60, 25
"""From more bots than this on, heat maps show so many."""
RUN_HISTORY_TITLE, NIGHT_HISTORY_TITLE = "Ratings as the run went on", "Ratings after each night"
MAX_BOTS = 40
"""Bots that a crosstable shows, the best first: more would make a page too heavy."""


def bot_limit(bots: Sequence[str]) -> int:
    """How many of these bots a heat map shows: fewer beside a long table."""
    return MAX_BOTS if len(bots) <= MANY_BOTS else FEW_BOTS


def draw_crosstable(found: Crosstable) -> Markup:
    """A crosstable of not too many bots."""
    return trusted_markup(crosstable.draw(found))


def draw_variants(parts: Sequence[StandingsTable], bots: Sequence[str]) -> Markup:
    """Who is good at what."""
    return trusted_markup(variants.draw(parts, bots[: bot_limit(bots)]))


def draw_ratings(table: StandingsTable) -> Markup:
    """Ratings in their intervals, for screens where the table has no room for them."""
    drawing = whiskers.draw(whiskers.plotted_ratings(table.lines[:MAX_BOTS]), width=PHONE_WIDTH)
    return trusted_markup(f'<div class="plot-narrow">{drawing}</div>')


def draw_history(survey: Survey, bots: Sequence[str]) -> Markup:
    """Ratings as the run went on, or from night to night."""
    nightly = survey.ladder is not None
    title = NIGHT_HISTORY_TITLE if nightly else RUN_HISTORY_TITLE
    across = "nights" if nightly else "blocks played"
    numbers = [survey.roster.bots.index(name) for name in bots]
    courses = [
        RatingCurve(
            name,
            [
                Spot(one.blocks if one.night is None else one.night, one.mu[bot], one.margin[bot])
                for one in survey.rating_history
            ],
        )
        for name, bot in zip(bots, numbers, strict=True)
    ]
    return trusted_markup(
        draw_both_widths(
            lambda width: history.draw(courses, title=title, x_title=across, width=width)
        )
    )


def draw_seat_panels(survey: Survey, cells: Sequence[Cell]) -> Markup:
    """What a seat is worth."""
    found = [survey.seat_bias[cell] for cell in cells]
    return trusted_markup(
        draw_both_widths(lambda width: plots_seats.draw_panels(found, width=width))
    )


def draw_seat_heatmap(survey: Survey) -> Markup:
    """What a seat is worth in all cells."""
    return trusted_markup(plots_seats.draw_seat_heatmap(list(survey.seat_bias.values())))


def draw_distributions(survey: Survey, cell: Cell) -> Markup:
    """How points scatter in a cell, bot by bot."""
    found, hills = survey.cell_spreads[cell], survey.point_distributions[cell]
    names, active = survey.roster.bots, survey.active_bots
    bots = tuple(one for one in found.bots if active is None or one.bot in active)[:MAX_BOTS]
    counts = {one.bot: hills.histogram[names.index(one.bot)].tolist() for one in bots}
    shown = CellSpread(found.cell, found.luck, bots)
    edges = hills.edges.tolist()
    return trusted_markup(
        draw_both_widths(
            lambda width: distributions.draw(shown, edges=edges, histograms=counts, width=width)
        )
    )


def draw_bot_distributions(survey: Survey, name: str) -> Markup:
    """How a bot's points scatter, cell by cell."""
    rows = [replace(one, bot=str(cell)) for cell, one in survey.distributions_by_bot.get(name, [])]
    shown = CellSpread(NO_CELL, None, tuple(rows[:MAX_BOTS]))
    title = f"How the points of {name} scatter"
    return trusted_markup(
        draw_both_widths(lambda width: distributions.draw(shown, title=title, width=width))
    )


def draw_times(times: DecisionTimes, limit: float | None, name: str) -> Markup:
    """How long a bot thinks."""
    title = f"Decision times of {name}"
    return trusted_markup(
        draw_both_widths(lambda width: histogram.draw(times, limit=limit, title=title, width=width))
    )


def trusted_markup(svg: str) -> Markup:
    """Markup that the plots have made, in which names of strangers are clean."""
    return Markup(svg)  # noqa: S704 (that is what plots see to)
