"""Profiles: everything about a bot, on a page of its own."""

from typing import Any, Final

from markupsafe import escape

from arena.games.catalog import listed
from arena.report import figures
from arena.report.contest import Version
from arena.report.extremes import best, worst
from arena.report.pages import Pages
from arena.report.plots import histogram, history, spread
from arena.report.plots.values import STUCK, counted

OPPONENTS, FEW = 100, 50
"""With more opponents than this a page has so many, those that its bot met most."""
VERSIONS: Final = 30
"""Versions of a name on a page, the last ones."""
LINES: Final = 6
"""Of them, so many are drawn."""


def profile(pages: Pages, name: str) -> bytes:
    """Everything about a bot."""
    survey = pages.survey
    number = survey.roster.bots.index(name)
    line = pages.known["index.html"][name]
    times = survey.sample.times[name]
    seen = survey.sample.seen[name]
    kinds = [f"{count:,} {kind}" for (who, kind), count in survey.faulted.items() if who == name]
    outstanding = list(survey.outstanding[number])
    summary = f"{counted(line.games, 'game')} in {counted(line.blocks, 'block')}"
    return pages.render(
        "bot.html",
        pages.paths[name],
        bot=survey.header.bots[number],
        line=line,
        summary=escape(summary.replace(" ", STUCK)),
        lines=pages.lines(name),
        best=best(outstanding),
        worst=worst(outstanding),
        spread=figures.scattered_over_cells(survey, name),
        spread_reading=spread.READING,
        histogram=figures.thinking(times, limit(pages), name),
        histogram_reading=histogram.READING,
        sampled=f"From {counted(sum(times.counts), 'decision')} in {counted(seen, 'game')}.",
        kinds=listed(kinds) if kinds else "",
        charges=survey.charges.get(name, ()),
        notes=survey.sample.notes[name],
        noted=survey.sample.noted[name],
        in_sample="" if survey.sample.games == survey.games else " in a sample of its games",
        **opponents(pages, name),
        **standing(pages, name),
    )


def standing(pages: Pages, name: str) -> dict[str, Any]:
    """What a ladder tells of a bot: whose it is, its other versions, and how it went."""
    survey, contest = pages.survey, pages.survey.contest
    own = contest.of.get(name) if contest else None
    if contest is None or own is None:
        return {"own": None}
    known = pages.known["index.html"]
    there = [one for one in contest.named[own.name] if one.bot in known]
    drawn = [name, *(one.bot for one in there if one.bot != name)][:LINES]
    number = survey.roster.bots.index(name)
    told = len(survey.courses) > 1 and any(one.mu[number] is not None for one in survey.courses)
    return {
        "own": own,
        "versions": [(one, known[one.bot]) for one in chosen(there, own)],
        "versions_left": max(0, len(there) - VERSIONS),
        "history": figures.through_time(survey, drawn) if told else "",
        "history_title": figures.NIGHTLY,
        "history_reading": history.NIGHTLY,
    }


def chosen(versions: list[Version], own: Version) -> list[Version]:
    """The last versions of a name, and one's own among them."""
    last = versions[:VERSIONS]
    return last if own in last else [*last[:-1], own]


def opponents(pages: Pages, name: str) -> dict[str, Any]:
    """A bot against others, by their rank.

    Of a ladder these are all in the standings, and those that it met before they were superseded.
    Of very many they are only those that it met, and of very many of these those it met most.
    """
    found, active = pages.encounters, pages.survey.active
    row = found.place[name]
    met = found.met[row].tolist()
    there = [
        place
        for place, bot in enumerate(found.order)
        if place != row and (met[place] or active is None or found.bots[bot] in active)
    ]
    crowd = len(there) > OPPONENTS
    if crowd:
        there = [place for place in there if met[place]]
    shown = there
    if len(there) > OPPONENTS:
        shown = sorted(sorted(there, key=lambda place: -met[place])[:FEW])
    return {"pairs": list(found.row(row, shown)), "opponents": len(there), "met_only": crowd}


def limit(pages: Pages) -> float | None:
    """What the clock gives for a decision, in microseconds."""
    clock = pages.survey.header.settings.get("clock")
    seconds = clock.get("move") if isinstance(clock, dict) else None
    return 1e6 * seconds if isinstance(seconds, int | float) else None
