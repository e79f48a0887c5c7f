"""The directory: all bots, page by page, and those of a ladder by their state."""

from typing import Final, NamedTuple

from arena.ratings.standings import Line
from arena.report.contest import STATES, State
from arena.report.pages import Pages
from arena.report.paging import Part, parts

ROWS: Final = 500
"""Bots on a page."""


class Choice(NamedTuple):
    """Which bots are listed."""

    title: str
    state: State | None
    """None: all."""
    bots: tuple[str, ...]
    parts: list[Part]


def choices(pages: Pages) -> list[Choice]:
    """What there is to choose from; the first is all."""
    survey, contest = pages.survey, pages.survey.contest
    bots = survey.roster.bots
    every = [Choice("all", None, bots, parts("bots.html", "bots", len(bots), ROWS))]
    for state in STATES if contest else ():
        own = tuple(
            name
            for name in bots
            if contest and name in contest.of and contest.of[name].state == state
        )
        path = f"bots-{state}"
        every.append(Choice(state, state, own, parts(f"{path}.html", path, len(own), ROWS)))
    return every


def directory(pages: Pages, choice: Choice, part: Part) -> bytes:
    """A page of some bots: by rank, then those that have none."""
    return pages.render(
        "bots.html",
        part.path,
        choice=choice,
        choices=choices(pages),
        part=part,
        lines=part.of(lines(pages, choice)),
    )


def lines(pages: Pages, choice: Choice) -> list[Line]:
    """The bots of a choice as they stand overall."""
    known = pages.known["index.html"]
    wanted = set(choice.bots)
    ranked = [name for name in pages.ranked if name in wanted]
    there = set(ranked)
    others = [name for name in choice.bots if name not in there]
    return [known[name] for name in (*ranked, *others)]
