"""The background: pages about a run as a whole, beside its standings and its bots."""

from typing import Final

from markupsafe import escape

from arena.ratings.cell import Cell
from arena.report import figures
from arena.report.certificate import KINDS, often
from arena.report.pages import Pages
from arena.report.plots import seats as plots_of_seats
from arena.report.remarks import beside_whom

NEIGHBOURS: Final = 20
SESSIONS: Final = 100
"""Sittings that are told, the last ones."""


def seats(pages: Pages) -> bytes:
    """What a seat is worth, and how fair it was, cell by cell."""
    survey = pages.survey
    beside = [(one, found) for one in survey.bias.values() for found in one.neighbours]
    beside.sort(key=lambda pair: -abs(pair[1].effect))
    return pages.render(
        "seats.html",
        "seats.html",
        fairness=[
            {
                "cell": str(Cell(one.variant, one.seats)),
                "bots": one.bots,
                "blocks": one.blocks,
                "games": one.games,
                "balances": one.balances,
                "efficiency": one.efficiency,
            }
            for one in survey.fairness
        ],
        whats=KINDS.values(),
        often=often,
        bias=figures.every_seat(survey),
        bias_reading=plots_of_seats.READING,
        neighbours=[escape(beside_whom(*one)) for one in beside[:NEIGHBOURS]],
    )


def games(pages: Pages) -> bytes:
    """The page that lists games."""
    return pages.render(
        "games.html",
        "games.html",
        games=pages.survey.games,
        cells=[(str(cell), count) for cell, count in pages.counts()],
    )


def game(pages: Pages) -> bytes:
    """The page that replays a game."""
    return pages.render("game.html", "game.html")


def run(pages: Pages) -> bytes:
    """What was asked for, and when it was played."""
    sessions = list(pages.survey.sessions)
    return pages.render(
        "run.html",
        "run.html",
        played=escape(pages.played()),
        text=pages.survey.header.text,
        sessions=sessions[-SESSIONS:],
        sittings=len(sessions),
        anchors=pages.survey.roster.anchors,
        commitment=pages.survey.header.commitment,
    )
