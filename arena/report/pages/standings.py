"""The standings pages, with fairness, plots and downloads on the first page of each."""

from typing import Any, Final

from markupsafe import escape
from msgspec import structs

from arena.ratings.cell import Cell
from arena.ratings.standings import StandingsTable
from arena.report.data.remarks import FAIRNESS_ASPECTS, fairness_lines, standings_remarks
from arena.report.data.survey import Scope
from arena.report.pages import figures
from arena.report.pages.base import Pages, TablePage
from arena.report.pages.figures import MAX_BOTS
from arena.report.pages.run import latest_night
from arena.report.plots import crosstable, distributions, history, seats, variants, whiskers
from arena.sanitize import to_json

PANELS: Final = 40
"""Bots of all cells together whose points are drawn on one page; more would make it too heavy."""
CELLS: Final = 4
"""Cells whose points and seats are drawn on one page; each has a page of its own."""
FULL_CROSSTABLE_BOTS: Final = 300
"""With more bots than this crosstable.csv has only those that met."""

DOWNLOADS: Final = (
    ("standings.csv", "all tables, for spreadsheets"),
    ("standings.json", "the same for programs, as arena standings --json has it"),
    ("crosstable.csv", "every bot against every other"),
    ("games.csv", "every seat of every game"),
)


def standings_page(pages: Pages, scope: Scope, part: TablePage) -> bytes:
    """A page of the standings in some cells."""
    survey = pages.survey
    table = pages.tables[scope.path]
    shown = structs.replace(table, lines=tuple(part.select(table.lines)))
    told: dict[str, Any] = {
        "scope": scope,
        "scopes": survey.scopes,
        "scope_paths": scope_paths(pages),
        "several": sum(len(one.cells) > 1 or one is not survey.scopes[0] for one in survey.scopes)
        > 1,
        "variants": sorted({cell.variant for cell in survey.scopes[0].cells}),
        "sizes": sorted({cell.seats for cell in survey.scopes[0].cells}),
        "table": shown,
        "part": part,
        "anchors": survey.roster.anchors,
        "played": escape(pages.summary()),
    }
    if part.number > 1:
        return pages.render("further.html", part.path, **told)
    return pages.render(
        "standings.html", part.path, **told, **first_page_content(pages, scope, table)
    )


def first_page_content(pages: Pages, scope: Scope, table: StandingsTable) -> dict[str, Any]:
    """What the first page of standings tells beside the table."""
    survey = pages.survey
    whole = scope is survey.scopes[0]
    fair = [one for one in survey.fairness if Cell(one.variant, one.seats) in scope.cells]
    # Who plays how often, and with whom, is what a ladder chooses.
    respects = [
        what for what in FAIRNESS_ASPECTS if not survey.ladder or what in {"seats", "neighbours"}
    ]
    lines = fairness_lines(fair, respects)
    names = [line.bot for line in table.lines]
    first = names[: figures.bot_limit(names)]
    inner = inner_tables(pages, scope)
    through_time = whole and len(survey.rating_history) > 1
    return {
        "latest": latest_night(survey.ladder) if whole and survey.ladder else None,
        "ratings": figures.draw_ratings(table),
        "whiskers_reading": whiskers.READING,
        "remarks": [escape(one) for one in standings_remarks(pages.standings, table)],
        "fair": all(line.balanced for line in lines) and not survey.shared_deals,
        "certificate": lines,
        "shared": survey.shared_deals,
        "commitment": survey.header.commitment,
        "crosstable": figures.draw_crosstable(survey.crosstable(scope, set(first), only_met=False))
        if len(first) > 1
        else "",
        "crosstable_reading": crosstable.READING,
        "left_out": len(names) - len(first),
        "shown_bots": len(first),
        "square": len(names) <= FULL_CROSSTABLE_BOTS,
        "variant_map": figures.draw_variants(inner, pages.bots_by_rank) if len(inner) > 1 else "",
        "variant_reading": variants.READING,
        "history": figures.draw_history(survey, pages.bots_by_rank[:MAX_BOTS])
        if through_time
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


def cell_panels(pages: Pages, scope: Scope) -> list[dict[str, Any]]:
    """How points scatter and what seats are worth, cell by cell, where that is not too much."""
    survey = pages.survey
    drawn = len(scope.cells) * min(len(survey.listed_bots), MAX_BOTS)
    if drawn > PANELS or len(scope.cells) > CELLS:  # one alone is always drawn
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
    """Where the page of each variant and size is, for the filter."""
    return to_json([[one.variant, one.seats, one.path] for one in pages.survey.scopes])


def inner_tables(pages: Pages, scope: Scope) -> list[StandingsTable]:
    """The tables that a scope falls into: its variants, or else its sizes."""
    every = pages.survey.scopes
    if scope.variant is not None:
        inner = [one for one in every if one.variant == scope.variant and one.seats]
    elif scope.seats is not None:
        inner = [one for one in every if one.seats == scope.seats and one.variant]
    else:
        inner = [one for one in every if one.variant and not one.seats]
        inner = inner or [one for one in every if one.seats]
    return [pages.tables[one.path] for one in inner]
