"""The list of bots, and a page for each bot."""

from typing import Any, Final, NamedTuple

from markupsafe import escape

from arena.ratings.standings import StandingsLine
from arena.report.data.ladder_info import VERSION_STATES, PublishedVersion, VersionState
from arena.report.data.samples import best_games, worst_games
from arena.report.pages import figures
from arena.report.pages.base import Pages, TablePage, table_pages
from arena.report.plots import distributions, histogram, history
from arena.report.plots.text import NBSP
from arena.text import english_list, plural

BOT_ROWS_PER_PAGE: Final = 500
"""Bots on a page of the list."""
MAX_OPPONENTS, FEW_OPPONENTS = 100, 50
"""With more opponents than this, a page shows this number, those that the bot met most."""
MAX_VERSIONS: Final = 30
"""Versions of a name on a page, the last ones."""
MAX_CURVES: Final = 6
"""Versions in the plot of ratings."""


class BotFilter(NamedTuple):
    """A selection of bots that the list can show."""

    title: str
    state: VersionState | None
    """None: all."""
    bots: tuple[str, ...]
    parts: list[TablePage]


def bot_filters(pages: Pages) -> list[BotFilter]:
    """All selections; the first one has all bots."""
    survey, ladder = pages.survey, pages.survey.ladder
    bots = survey.roster.bots
    filters = [
        BotFilter("all", None, bots, table_pages("bots.html", "bots", len(bots), BOT_ROWS_PER_PAGE))
    ]
    for state in VERSION_STATES if ladder else ():
        bots_in_state = tuple(
            name
            for name in bots
            if ladder
            and name in ladder.versions_by_bot
            and ladder.versions_by_bot[name].state == state
        )
        path = f"bots-{state}"
        filters.append(
            BotFilter(
                state,
                state,
                bots_in_state,
                table_pages(f"{path}.html", path, len(bots_in_state), BOT_ROWS_PER_PAGE),
            )
        )
    return filters


def bot_list_page(pages: Pages, bot_filter: BotFilter, part: TablePage) -> bytes:
    """A page of the list: bots by rank, then bots without a rank."""
    return pages.render(
        "bots.html",
        part.path,
        choice=bot_filter,
        choices=bot_filters(pages),
        part=part,
        lines=part.select(lines_by_rank(pages, bot_filter)),
    )


def lines_by_rank(pages: Pages, bot_filter: BotFilter) -> list[StandingsLine]:
    """The overall lines of the selected bots."""
    known = pages.lines_by_bot["index.html"]
    wanted = set(bot_filter.bots)
    ranked = [name for name in pages.bots_by_rank if name in wanted]
    ranked_set = set(ranked)
    others = [name for name in bot_filter.bots if name not in ranked_set]
    return [known[name] for name in (*ranked, *others)]


def bot_page(pages: Pages, name: str) -> bytes:
    """The page of a bot."""
    survey = pages.survey
    number = survey.roster.bots.index(name)
    line = pages.lines_by_bot["index.html"][name]
    times = survey.sample.decision_times[name]
    sampled_games = survey.sample.games_by_bot[name]
    fault_texts = [
        f"{count:,} {kind}" for (bot, kind), count in survey.fault_counts.items() if bot == name
    ]
    extremes = list(survey.extreme_games[number])
    summary = f"{plural(line.games, 'game')} in {plural(line.blocks, 'block')}"
    return pages.render(
        "bot.html",
        pages.bot_paths[name],
        bot=survey.header.bots[number],
        line=line,
        summary=escape(summary.replace(" ", NBSP)),
        lines=pages.bot_lines(name),
        best=best_games(extremes),
        worst=worst_games(extremes),
        spread=figures.draw_bot_distributions(survey, name),
        spread_reading=distributions.READING,
        histogram=figures.draw_times(times, move_limit(pages), name),
        histogram_reading=histogram.READING,
        sampled=f"From {plural(sum(times.counts), 'decision')} in {plural(sampled_games, 'game')}.",
        kinds=english_list(fault_texts) if fault_texts else "",
        charges=survey.fault_details.get(name, ()),
        notes=survey.sample.notes[name],
        noted=survey.sample.note_counts[name],
        in_sample="" if survey.sample.games == survey.games else " in a sample of its games",
        **opponent_values(pages, name),
        **ladder_values(pages, name),
    )


def ladder_values(pages: Pages, name: str) -> dict[str, Any]:
    """Template values of ladders: owner, other versions, and ratings after nights."""
    survey, ladder = pages.survey, pages.survey.ladder
    own = ladder.versions_by_bot.get(name) if ladder else None
    if ladder is None or own is None:
        return {"own": None}
    known = pages.lines_by_bot["index.html"]
    versions = [one for one in ladder.versions_by_name[own.name] if one.bot in known]
    drawn = [name, *(one.bot for one in versions if one.bot != name)][:MAX_CURVES]
    number = survey.roster.bots.index(name)
    has_history = len(survey.rating_history) > 1 and any(
        one.mu[number] is not None for one in survey.rating_history
    )
    return {
        "own": own,
        "versions": [(one, known[one.bot]) for one in recent_versions(versions, own)],
        "versions_left": max(0, len(versions) - MAX_VERSIONS),
        "history": figures.draw_history(survey, drawn) if has_history else "",
        "history_title": figures.NIGHT_HISTORY_TITLE,
        "history_reading": history.NIGHT_READING,
    }


def recent_versions(
    versions: list[PublishedVersion], own: PublishedVersion
) -> list[PublishedVersion]:
    """The last versions of a name, including the version of the page."""
    recent = versions[:MAX_VERSIONS]
    return recent if own in recent else [*recent[:-1], own]


def opponent_values(pages: Pages, name: str) -> dict[str, Any]:
    """The results of a bot against others, by their rank.

    On a ladder these are the active bots and all others that it met. If they are too many, they
    are the bots that it met, and if these are too many, the ones that it met most.
    """
    encounters, active_bots = pages.encounters, pages.survey.active_bots
    row = encounters.place[name]
    met = encounters.met[row].tolist()
    others = [
        place
        for place, bot in enumerate(encounters.order)
        if place != row
        and (met[place] or active_bots is None or encounters.bots[bot] in active_bots)
    ]
    only_met = len(others) > MAX_OPPONENTS
    if only_met:
        others = [place for place in others if met[place]]
    listed = others
    if len(others) > MAX_OPPONENTS:
        listed = sorted(sorted(others, key=lambda place: -met[place])[:FEW_OPPONENTS])
    return {
        "pairs": list(encounters.row_pairs(row, listed)),
        "opponents": len(others),
        "met_only": only_met,
    }


def move_limit(pages: Pages) -> float | None:
    """The time limit of a decision in microseconds, if there is one."""
    clock = pages.survey.header.settings.get("clock")
    seconds = clock.get("move") if isinstance(clock, dict) else None
    return 1e6 * seconds if isinstance(seconds, int | float) else None
