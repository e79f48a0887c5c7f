"""The list of bots, and a page for each bot."""

from typing import Any, Final, NamedTuple

from markupsafe import escape

from arena.games.catalog import english_list
from arena.ratings.standings import StandingsLine
from arena.report.data.ladder_info import VERSION_STATES, PublishedVersion, VersionState
from arena.report.data.samples import best_games, worst_games
from arena.report.pages import figures
from arena.report.pages.base import Pages, TablePage, table_pages
from arena.report.plots import distributions, histogram, history
from arena.report.plots.text import NBSP, counted

ROWS: Final = 500
"""Bots on a page."""


class BotFilter(NamedTuple):
    """Which bots are listed."""

    title: str
    state: VersionState | None
    """None: all."""
    bots: tuple[str, ...]
    parts: list[TablePage]


def bot_filters(pages: Pages) -> list[BotFilter]:
    """What there is to choose from; the first is all."""
    survey, contest = pages.survey, pages.survey.ladder
    bots = survey.roster.bots
    every = [BotFilter("all", None, bots, table_pages("bots.html", "bots", len(bots), ROWS))]
    for state in VERSION_STATES if contest else ():
        own = tuple(
            name
            for name in bots
            if contest and name in contest.of and contest.of[name].state == state
        )
        path = f"bots-{state}"
        every.append(
            BotFilter(state, state, own, table_pages(f"{path}.html", path, len(own), ROWS))
        )
    return every


def bot_list_page(pages: Pages, bot_filter: BotFilter, part: TablePage) -> bytes:
    """A page of some bots: by rank, then those that have none."""
    return pages.render(
        "bots.html",
        part.path,
        choice=bot_filter,
        choices=bot_filters(pages),
        part=part,
        lines=part.select(lines_by_rank(pages, bot_filter)),
    )


def lines_by_rank(pages: Pages, bot_filter: BotFilter) -> list[StandingsLine]:
    """The bots of a choice as they stand overall."""
    known = pages.known["index.html"]
    wanted = set(bot_filter.bots)
    ranked = [name for name in pages.bots_by_rank if name in wanted]
    there = set(ranked)
    others = [name for name in bot_filter.bots if name not in there]
    return [known[name] for name in (*ranked, *others)]


OPPONENTS, FEW = 100, 50
"""With more opponents than this a page has so many, those that its bot met most."""
VERSIONS: Final = 30
"""Versions of a name on a page, the last ones."""
LINES: Final = 6
"""Of them, so many are drawn."""


def bot_page(pages: Pages, name: str) -> bytes:
    """Everything about a bot."""
    survey = pages.survey
    number = survey.roster.bots.index(name)
    line = pages.known["index.html"][name]
    times = survey.sample.decision_times[name]
    seen = survey.sample.games_by_bot[name]
    kinds = [
        f"{count:,} {kind}" for (who, kind), count in survey.fault_counts.items() if who == name
    ]
    outstanding = list(survey.extreme_games[number])
    summary = f"{counted(line.games, 'game')} in {counted(line.blocks, 'block')}"
    return pages.render(
        "bot.html",
        pages.bot_paths[name],
        bot=survey.header.bots[number],
        line=line,
        summary=escape(summary.replace(" ", NBSP)),
        lines=pages.bot_lines(name),
        best=best_games(outstanding),
        worst=worst_games(outstanding),
        spread=figures.draw_bot_distributions(survey, name),
        spread_reading=distributions.READING,
        histogram=figures.draw_times(times, move_limit(pages), name),
        histogram_reading=histogram.READING,
        sampled=f"From {counted(sum(times.counts), 'decision')} in {counted(seen, 'game')}.",
        kinds=english_list(kinds) if kinds else "",
        charges=survey.fault_details.get(name, ()),
        notes=survey.sample.notes[name],
        noted=survey.sample.note_counts[name],
        in_sample="" if survey.sample.games == survey.games else " in a sample of its games",
        **opponents(pages, name),
        **ladder_content(pages, name),
    )


def ladder_content(pages: Pages, name: str) -> dict[str, Any]:
    """What a ladder tells of a bot: whose it is, its other versions, and how it went."""
    survey, contest = pages.survey, pages.survey.ladder
    own = contest.of.get(name) if contest else None
    if contest is None or own is None:
        return {"own": None}
    known = pages.known["index.html"]
    there = [one for one in contest.versions_by_name[own.name] if one.bot in known]
    drawn = [name, *(one.bot for one in there if one.bot != name)][:LINES]
    number = survey.roster.bots.index(name)
    told = len(survey.rating_history) > 1 and any(
        one.mu[number] is not None for one in survey.rating_history
    )
    return {
        "own": own,
        "versions": [(one, known[one.bot]) for one in recent_versions(there, own)],
        "versions_left": max(0, len(there) - VERSIONS),
        "history": figures.draw_history(survey, drawn) if told else "",
        "history_title": figures.NIGHT_HISTORY_TITLE,
        "history_reading": history.NIGHT_READING,
    }


def recent_versions(
    versions: list[PublishedVersion], own: PublishedVersion
) -> list[PublishedVersion]:
    """The last versions of a name, and one's own among them."""
    last = versions[:VERSIONS]
    return last if own in last else [*last[:-1], own]


def opponents(pages: Pages, name: str) -> dict[str, Any]:
    """A bot against others, by their rank.

    Of a ladder these are all in the standings, and those that it met before they were superseded.
    Of very many they are only those that it met, and of very many of these those it met most.
    """
    found, active = pages.encounters, pages.survey.active_bots
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
    return {"pairs": list(found.row_pairs(row, shown)), "opponents": len(there), "met_only": crowd}


def move_limit(pages: Pages) -> float | None:
    """What the clock gives for a decision, in microseconds."""
    clock = pages.survey.header.settings.get("clock")
    seconds = clock.get("move") if isinstance(clock, dict) else None
    return 1e6 * seconds if isinstance(seconds, int | float) else None
