"""Pages about the whole run: seats, games, replay, settings and nights."""

from typing import Final

from markupsafe import escape

from arena.ratings.cell import Cell
from arena.report.data.remarks import FAIRNESS_ASPECTS, count_range, neighbour_remark
from arena.report.pages import figures
from arena.report.pages.base import Pages
from arena.report.plots.seats import READING as SEATS_READING

MAX_NEIGHBOURS: Final = 20
"""Effects of neighbours on the page, the largest."""
MAX_SESSIONS: Final = 100
"""Sessions on the page, the last ones."""
MAX_NIGHTS: Final = 30
"""Nights on the page, the last ones."""


def seats_page(pages: Pages) -> bytes:
    """The page on fairness and on the value of seats, cell by cell."""
    survey = pages.survey
    neighbours = [(one, effect) for one in survey.seat_bias.values() for effect in one.neighbours]
    neighbours.sort(key=lambda pair: -abs(pair[1].effect))
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
        bias_reading=SEATS_READING,
        neighbours=[escape(neighbour_remark(*one)) for one in neighbours[:MAX_NEIGHBOURS]],
    )


def games_page(pages: Pages) -> bytes:
    """The page with the list of games."""
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
    """The page on the settings and the sessions of the run."""
    sessions = list(pages.survey.sessions)
    return pages.render(
        "run.html",
        "run.html",
        played=escape(pages.summary()),
        text=pages.survey.header.text,
        sessions=sessions[-MAX_SESSIONS:],
        session_count=len(sessions),
        anchors=pages.survey.roster.anchors,
        commitment=pages.survey.header.commitment,
    )


def nights_page(pages: Pages) -> bytes:
    """The page on the changes of the last nights, the latest first."""
    ladder = pages.survey.ladder
    nights = list(ladder.nights) if ladder else []
    return pages.render(
        "nights.html", "nights.html", nights=nights[: -MAX_NIGHTS - 1 : -1], count=len(nights)
    )
