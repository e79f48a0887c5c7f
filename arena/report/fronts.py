"""Fronts: the standings in some cells, page by page, and on the first all that belongs to them."""

from typing import Any, Final

from markupsafe import escape
from msgspec import structs

from arena.printable import to_json
from arena.ratings.cell import Cell
from arena.ratings.standings import Table
from arena.report import figures
from arena.report.certificate import KINDS, certificate
from arena.report.figures import DRAWN
from arena.report.nights import latest
from arena.report.pages import Pages
from arena.report.paging import Part
from arena.report.plots import bias, crosstable, history, spread, variants, whiskers
from arena.report.remarks import remarks
from arena.report.scopes import Scope

PANELS: Final = 40
"""Bots of all cells together whose points are drawn on one page; more would make it too heavy."""
CELLS: Final = 4
"""Cells whose points and seats are drawn on one page; each has a page of its own."""
SQUARE: Final = 300
"""With more bots than this crosstable.csv has only those that met."""

DOWNLOADS: Final = (
    ("standings.csv", "all tables, for spreadsheets"),
    ("standings.json", "the same for programs, as arena standings --json has it"),
    ("crosstable.csv", "every bot against every other"),
    ("games.csv", "every seat of every game"),
)


def front(pages: Pages, scope: Scope, part: Part) -> bytes:
    """A page of the standings in some cells."""
    survey = pages.survey
    table = pages.tables[scope.path]
    shown = structs.replace(table, lines=tuple(part.of(table.lines)))
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
        "played": escape(pages.played()),
    }
    if part.number > 1:
        return pages.render("further.html", part.path, **told)
    return pages.render("standings.html", part.path, **told, **belonging(pages, scope, table))


def belonging(pages: Pages, scope: Scope, table: Table) -> dict[str, Any]:
    """What the first page of standings tells beside the table."""
    survey = pages.survey
    whole = scope is survey.scopes[0]
    fair = [one for one in survey.fairness if Cell(one.variant, one.seats) in scope.cells]
    # Who plays how often, and with whom, is what a ladder chooses.
    respects = [what for what in KINDS if not survey.contest or what in {"seats", "neighbours"}]
    lines = certificate(fair, respects)
    names = [line.bot for line in table.lines]
    first = names[: figures.many(names)]
    inner = parts_of(pages, scope)
    through_time = whole and len(survey.courses) > 1
    return {
        "latest": latest(survey.contest) if whole and survey.contest else None,
        "ratings": figures.rated(table),
        "whiskers_reading": whiskers.READING,
        "remarks": [escape(one) for one in remarks(pages.standings, table)],
        "fair": all(line.balanced for line in lines) and not survey.shared,
        "certificate": lines,
        "shared": survey.shared,
        "commitment": survey.header.commitment,
        "crosstable": figures.crossed(survey.crosstable(scope, set(first), met=False))
        if len(first) > 1
        else "",
        "crosstable_reading": crosstable.READING,
        "left_out": len(names) - len(first),
        "shown_bots": len(first),
        "square": len(names) <= SQUARE,
        "variant_map": figures.compared(inner, pages.ranked) if len(inner) > 1 else "",
        "variant_reading": variants.READING,
        "history": figures.through_time(survey, pages.ranked[:DRAWN]) if through_time else "",
        "history_title": figures.NIGHTLY if survey.contest else figures.RUNNING,
        "history_reading": history.NIGHTLY if survey.contest else history.READING,
        "cells": panels(pages, scope),
        "spread_reading": spread.READING,
        "bias_reading": bias.READING,
        "downloads": DOWNLOADS,
    }


def panels(pages: Pages, scope: Scope) -> list[dict[str, Any]]:
    """How points scatter and what seats are worth, cell by cell, where that is not too much."""
    survey = pages.survey
    drawn = len(scope.cells) * min(len(survey.listed), DRAWN)
    if drawn > PANELS or len(scope.cells) > CELLS:  # one alone is always drawn
        return []
    return [
        {
            "title": str(cell),
            "spread": figures.scattered(survey, cell),
            "bias": figures.seats(survey, [cell]),
        }
        for cell in scope.cells
    ]


def scope_paths(pages: Pages) -> str:
    """Where the page of each variant and size is, for the filter."""
    return to_json([[one.variant, one.seats, one.path] for one in pages.survey.scopes])


def parts_of(pages: Pages, scope: Scope) -> list[Table]:
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
