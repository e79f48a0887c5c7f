"""Pages about the whole run: seats, games, replay, settings and nights."""

from typing import Final

from markupsafe import escape

from arena.ratings.cell import Cell
from arena.report.data.ladder_info import LadderInfo, NightSummary
from arena.report.data.remarks import FAIRNESS_ASPECTS, count_range, neighbour_remark
from arena.report.pages import figures
from arena.report.pages.base import Pages
from arena.report.plots import seats as plots_of_seats

NEIGHBOURS: Final = 20
SESSIONS: Final = 100
"""Sittings that are told, the last ones."""


def seats_page(pages: Pages) -> bytes:
    """What a seat is worth, and how fair it was, cell by cell."""
    survey = pages.survey
    beside = [(one, found) for one in survey.seat_bias.values() for found in one.neighbours]
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
        whats=FAIRNESS_ASPECTS.values(),
        often=count_range,
        bias=figures.draw_seat_heatmap(survey),
        bias_reading=plots_of_seats.READING,
        neighbours=[escape(neighbour_remark(*one)) for one in beside[:NEIGHBOURS]],
    )


def games_page(pages: Pages) -> bytes:
    """The page that lists games."""
    return pages.render(
        "games.html",
        "games.html",
        games=pages.survey.games,
        cells=[(str(cell), count) for cell, count in pages.game_counts()],
    )


def replay_page(pages: Pages) -> bytes:
    """The page that replays a game."""
    return pages.render("game.html", "game.html")


def run_page(pages: Pages) -> bytes:
    """What was asked for, and when it was played."""
    sessions = list(pages.survey.sessions)
    return pages.render(
        "run.html",
        "run.html",
        played=escape(pages.summary()),
        text=pages.survey.header.text,
        sessions=sessions[-SESSIONS:],
        sittings=len(sessions),
        anchors=pages.survey.roster.anchors,
        commitment=pages.survey.header.commitment,
    )


MAX_NIGHTS: Final = 30
"""Nights on the page, the last ones."""


def nights_page(pages: Pages) -> bytes:
    """What the last nights have changed, the latest first."""
    contest = pages.survey.ladder
    every = list(contest.nights) if contest else []
    return pages.render(
        "nights.html", "nights.html", nights=every[: -MAX_NIGHTS - 1 : -1], count=len(every)
    )


def latest_night(ladder: LadderInfo) -> NightSummary | None:
    """The last night that is over."""
    return next((one for one in reversed(ladder.nights) if one.ended is not None), None)
