"""Standings as Markdown."""

from collections.abc import Iterator

from arena.cli.matrix import tables_of
from arena.cli.ranking import cpu, digits, estimate, share
from arena.cli.tables import to_markdown
from arena.ratings.standings import Standings, Table


def table(standings: Standings) -> str:
    """The overall table as Markdown."""
    overall = standings.overall
    titles = ("rank", "may be", "bot", "mu", "points", "won", "placed", "games", "ms", "faults")
    shown = (*titles, "excuses") if overall.excuses else titles
    return to_markdown(shown, cells(overall), left=[2])


def cells(overall: Table) -> Iterator[list[str]]:
    """What stands in each line."""
    shown = digits(overall.lines)
    for line in overall.lines:
        low, high = line.ranks or (None, None)
        yield [
            str(line.rank or "–"),
            f"{low}–{high}" if low != high else str(low or ""),
            line.bot,
            estimate(line.mu, line.margin, shown).plain,
            estimate(line.points, line.points_margin, 1, sign="+").plain,
            share(line.wins),
            share(line.placement),
            f"{line.games:,}",
            cpu(line),
            f"{line.faults:,}",
            *([f"{line.excuses:,}"] if overall.excuses else []),
        ]


def matrix(standings: Standings) -> str:
    """Mu of every bot, overall and in each part, as Markdown."""
    tables = tables_of(standings)
    rows = []
    for line in standings.overall.lines:
        there = [next(one for one in table.lines if one.bot == line.bot) for table in tables]
        figures = [
            estimate(one.mu, one.margin, digits(table.lines)).plain
            for one, table in zip(there, tables, strict=True)
        ]
        rows.append([line.bot, *figures])
    return to_markdown(["bot", *(table.title for table in tables)], rows, left=[0])
