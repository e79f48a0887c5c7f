"""Nights: the page that tells what each of a ladder's nights has changed."""

from typing import Final

from arena.report.contest import Contest, Night
from arena.report.pages import Pages

SHOWN: Final = 30
"""Nights on the page, the last ones."""


def nights(pages: Pages) -> bytes:
    """What the last nights have changed, the latest first."""
    contest = pages.survey.contest
    every = list(contest.nights) if contest else []
    return pages.render(
        "nights.html", "nights.html", nights=every[: -SHOWN - 1 : -1], count=len(every)
    )


def latest(contest: Contest) -> Night | None:
    """The last night that is over."""
    return next((one for one in reversed(contest.nights) if one.ended is not None), None)
