"""Draw the plots of a survey as HTML for the pages."""

from collections.abc import Sequence

from markupsafe import Markup
from msgspec.structs import replace

from arena.ratings.breakdowns import CellSpread
from arena.ratings.cell import Cell
from arena.ratings.crosstable import Crosstable
from arena.ratings.standings import StandingsTable
from arena.report.data.survey import Survey
from arena.report.plots import (
    crosstable,
    distributions,
    histogram,
    history,
    seats,
    variants,
    whiskers,
)
from arena.report.plots.history import RatingCurve, RatingPoint
from arena.report.plots.scale import DecisionTimes
from arena.report.plots.svg import PHONE_WIDTH, draw_both_widths

NO_CELL = Cell("", 0)
"""Stands in place of the cell in plots whose rows are cells."""
MANY_BOTS, FEW_BOTS = 60, 25
"""With more bots than the first number, heat maps show the second."""
RUN_HISTORY_TITLE, NIGHT_HISTORY_TITLE = "Ratings as the run went on", "Ratings after each night"
MAX_BOTS = 40
"""Bots in a plot, the best ones; more would make a page load slowly."""


def bot_limit(bots: Sequence[str]) -> int:
    """The number of these bots that a heat map shows; fewer beside a long table."""
    return MAX_BOTS if len(bots) <= MANY_BOTS else FEW_BOTS


def draw_crosstable(table: Crosstable) -> Markup:
    """Draw who is better than whom."""
    return trusted_markup(crosstable.draw(table))


def draw_variants(parts: Sequence[StandingsTable], bots: Sequence[str]) -> Markup:
    """Draw the ratings of each bot in each variant."""
    return trusted_markup(variants.draw(parts, bots[: bot_limit(bots)]))


def draw_ratings(table: StandingsTable) -> Markup:
    """Draw ratings with intervals, for screens where the table has no room for them."""
    drawing = whiskers.draw(whiskers.plotted_ratings(table.lines[:MAX_BOTS]), width=PHONE_WIDTH)
    return trusted_markup(f'<div class="plot-narrow">{drawing}</div>')


def draw_history(survey: Survey, bots: Sequence[str]) -> Markup:
    """Draw ratings over the course of a run or the nights of a ladder."""
    nightly = survey.ladder is not None
    title = NIGHT_HISTORY_TITLE if nightly else RUN_HISTORY_TITLE
    x_title = "nights" if nightly else "blocks played"
    numbers = [survey.roster.bots.index(name) for name in bots]
    curves = [
        RatingCurve(
            name,
            [
                RatingPoint(
                    one.blocks if one.night is None else one.night, one.mu[bot], one.margin[bot]
                )
                for one in survey.rating_history
            ],
        )
        for name, bot in zip(bots, numbers, strict=True)
    ]
    return trusted_markup(
        draw_both_widths(
            lambda width: history.draw(curves, title=title, x_title=x_title, width=width)
        )
    )


def draw_seat_panels(survey: Survey, cells: Sequence[Cell]) -> Markup:
    """Draw the value of each seat in a few cells."""
    biases = [survey.seat_bias[cell] for cell in cells]
    return trusted_markup(draw_both_widths(lambda width: seats.draw_panels(biases, width=width)))


def draw_seat_heatmap(survey: Survey) -> Markup:
    """Draw the value of each seat in all cells."""
    return trusted_markup(seats.draw_seat_heatmap(list(survey.seat_bias.values())))


def draw_distributions(survey: Survey, cell: Cell) -> Markup:
    """Draw the points of each bot in a cell."""
    spread, points = survey.cell_spreads[cell], survey.point_distributions[cell]
    names, active_bots = survey.roster.bots, survey.active_bots
    bots = tuple(one for one in spread.bots if active_bots is None or one.bot in active_bots)[
        :MAX_BOTS
    ]
    counts = {one.bot: points.histogram[names.index(one.bot)].tolist() for one in bots}
    drawn = CellSpread(spread.cell, spread.luck, bots)
    edges = points.edges.tolist()
    return trusted_markup(
        draw_both_widths(
            lambda width: distributions.draw(drawn, edges=edges, histograms=counts, width=width)
        )
    )


def draw_bot_distributions(survey: Survey, name: str) -> Markup:
    """Draw the points of a bot in each cell."""
    rows = [replace(one, bot=str(cell)) for cell, one in survey.distributions_by_bot.get(name, [])]
    drawn = CellSpread(NO_CELL, None, tuple(rows[:MAX_BOTS]))
    title = f"How the points of {name} scatter"
    return trusted_markup(
        draw_both_widths(lambda width: distributions.draw(drawn, title=title, width=width))
    )


def draw_times(times: DecisionTimes, limit: float | None, name: str) -> Markup:
    """Draw the decision times of a bot."""
    title = f"Decision times of {name}"
    return trusted_markup(
        draw_both_widths(lambda width: histogram.draw(times, limit=limit, title=title, width=width))
    )


def trusted_markup(svg: str) -> Markup:
    """Mark a plot as safe HTML: the plots escape all texts."""
    return Markup(svg)  # noqa: S704 (plots escape their texts)
