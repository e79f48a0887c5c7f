"""The standings pages, with fairness, plots and downloads on the first page of each."""

from typing import Any, Final

from markupsafe import escape
from msgspec import structs

from arena.ratings.cell import Cell
from arena.ratings.standings import StandingsTable
from arena.report.data.remarks import FAIRNESS_ASPECTS, fairness_lines, standings_remarks
from arena.report.data.survey import StandingsScope
from arena.report.pages import figures
from arena.report.pages.base import Pages, TablePage
from arena.report.pages.figures import MAX_BOTS
from arena.report.plots import crosstable, distributions, history, seats, variants, whiskers
from arena.sanitize import to_json

MAX_PANEL_BOTS: Final = 40
"""Bots of all cells together whose points are drawn on a page; more would load slowly."""
MAX_PANEL_CELLS: Final = 4
"""Cells whose points and seats are drawn on a page; each cell has a page of its own."""
FULL_CROSSTABLE_BOTS: Final = 300
"""With more bots than this, crosstable.csv has only the pairs that met."""

DOWNLOADS: Final = (
    ("standings.csv", "all tables, for spreadsheets"),
    ("standings.json", "the same for programs, as arena standings --json has it"),
    ("crosstable.csv", "every bot against every other"),
    ("games.csv", "every seat of every game"),
)


def standings_page(pages: Pages, scope: StandingsScope, part: TablePage) -> bytes:
    """A page of the standings of a scope."""
    survey = pages.survey
    table = pages.tables[scope.path]
    page_table = structs.replace(table, lines=tuple(part.select(table.lines)))
    values: dict[str, Any] = {
        "scope": scope,
        "scopes": survey.scopes,
        "scope_paths": scope_paths(pages),
        "several": sum(len(one.cells) > 1 or one is not survey.scopes[0] for one in survey.scopes)
        > 1,
        "variants": sorted({cell.variant for cell in survey.scopes[0].cells}),
        "sizes": sorted({cell.seats for cell in survey.scopes[0].cells}),
        "table": page_table,
        "part": part,
        "anchors": survey.roster.anchors,
        "played": escape(pages.summary()),
    }
    if part.number > 1:
        return pages.render("further.html", part.path, **values)
    return pages.render(
        "standings.html", part.path, **values, **first_page_content(pages, scope, table)
    )


def first_page_content(
    pages: Pages, scope: StandingsScope, table: StandingsTable
) -> dict[str, Any]:
    """Template values of the first page of a scope: remarks, fairness, plots and downloads."""
    survey = pages.survey
    is_overall = scope is survey.scopes[0]
    fairness = [one for one in survey.fairness if Cell(one.variant, one.seats) in scope.cells]
    # A ladder chooses who meets whom, so that deals and pairs are not balanced.
    aspects = [
        aspect
        for aspect in FAIRNESS_ASPECTS
        if not survey.ladder or aspect in {"seats", "neighbours"}
    ]
    balances = fairness_lines(fairness, aspects)
    names = [line.bot for line in table.lines]
    drawn_bots = names[: figures.bot_limit(names)]
    tables = part_tables(pages, scope)
    has_history = is_overall and len(survey.rating_history) > 1
    return {
        "latest": survey.ladder.latest_night if is_overall and survey.ladder else None,
        "ratings": figures.draw_ratings(table),
        "whiskers_reading": whiskers.READING,
        "remarks": [escape(one) for one in standings_remarks(pages.standings, table)],
        "fair": all(line.is_balanced for line in balances) and not survey.shared_deals,
        "certificate": balances,
        "shared": survey.shared_deals,
        "commitment": survey.header.commitment,
        "crosstable": figures.draw_crosstable(
            survey.crosstable(scope, set(drawn_bots), only_met=False)
        )
        if len(drawn_bots) > 1
        else "",
        "crosstable_reading": crosstable.READING,
        "left_out": len(names) - len(drawn_bots),
        "shown_bots": len(drawn_bots),
        "square": len(names) <= FULL_CROSSTABLE_BOTS,
        "variant_map": figures.draw_variants(tables, pages.bots_by_rank) if len(tables) > 1 else "",
        "variant_reading": variants.READING,
        "history": figures.draw_history(survey, pages.bots_by_rank[:MAX_BOTS])
        if has_history
        else "",
        "history_title": figures.NIGHT_HISTORY_TITLE
        if survey.ladder
        else figures.RUN_HISTORY_TITLE,
        "history_reading": history.NIGHT_READING if survey.ladder else history.READING,
        "cells": cell_panels(pages, scope),
        "spread_reading": distributions.READING,
        "bias_reading": seats.BIAS_READING,
        "downloads": DOWNLOADS,
    }


def cell_panels(pages: Pages, scope: StandingsScope) -> list[dict[str, Any]]:
    """The plots of points and seats of each cell, if they are not too many for one page."""
    survey = pages.survey
    plotted_rows = len(scope.cells) * min(len(survey.listed_bots), MAX_BOTS)
    if plotted_rows > MAX_PANEL_BOTS or len(scope.cells) > MAX_PANEL_CELLS:
        return []
    return [
        {
            "title": str(cell),
            "spread": figures.draw_distributions(survey, cell),
            "bias": figures.draw_seat_panels(survey, [cell]),
        }
        for cell in scope.cells
    ]


def scope_paths(pages: Pages) -> str:
    """The path of each scope as JSON, for the script of the filter."""
    return to_json([[one.variant, one.seats, one.path] for one in pages.survey.scopes])


def part_tables(pages: Pages, scope: StandingsScope) -> list[StandingsTable]:
    """The tables of the variants of a scope, or of its sizes if it has one variant."""
    scopes = pages.survey.scopes
    if scope.variant is not None:
        inner_scopes = [one for one in scopes if one.variant == scope.variant and one.seats]
    elif scope.seats is not None:
        inner_scopes = [one for one in scopes if one.seats == scope.seats and one.variant]
    else:
        inner_scopes = [one for one in scopes if one.variant and not one.seats]
        inner_scopes = inner_scopes or [one for one in scopes if one.seats]
    return [pages.tables[one.path] for one in inner_scopes]
