"""Export standings, crosstables and games as CSV, safe for spreadsheets."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from io import StringIO

from msgspec import UNSET

from arena.ratings.crosstable import Crosstable
from arena.ratings.standings import Standings, StandingsLine, StandingsTable
from arena.sanitize import csv_cell
from arena.store.search import GameRow

CsvValue = str | int | float | None

LINE_FIELDS = (
    "mu",
    "margin",
    "points",
    "points_margin",
    "placement",
    "wins",
    "blocks",
    "games",
    "faults",
    "excuses",
)
PAIR_COLUMNS = ("row", "column", "blocks", "ahead", "better", "expected", "z")
GAME_COLUMNS = (
    "game",
    "variant",
    "seats",
    "seat",
    "bot",
    "score",
    "rank",
    "faults",
    "decisions",
    "cpu_us",
)


def to_csv(titles: Sequence[str], rows: Iterable[Sequence[CsvValue]]) -> str:
    """Format titles and rows as CSV."""
    return format_rows([titles, *rows])


def format_rows(rows: Iterable[Sequence[CsvValue]]) -> str:
    """Format rows as CSV; texts that a spreadsheet would run as formulas are escaped."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(
        [escape_formula(value) if isinstance(value, str) else value for value in row]
        for row in rows
    )
    return out.getvalue()


escape_formula = lru_cache(10_000)(csv_cell)
"""Cached, since the same few names stand in very many rows."""


def standings_csv(standings: Standings, *, parts: bool, times: bool) -> str:
    """The overall table as CSV, followed by the tables of all parts if wanted."""
    tables = [standings.overall, *(standings.parts if parts else ())]
    return tables_csv(tables, times=times)


def tables_csv(tables: Iterable[StandingsTable], *, times: bool) -> str:
    """Tables as CSV, one below the other; each row names its table."""
    titles = ["table", "rank", "rank_low", "rank_high", "tier", "bot", *LINE_FIELDS]
    titles += ["cpu"] * times
    return to_csv(
        titles,
        (standings_row(table, line, times=times) for table in tables for line in table.lines),
    )


def standings_row(table: StandingsTable, line: StandingsLine, *, times: bool) -> list[CsvValue]:
    """The row of a bot in a table."""
    low, high = line.ranks or (None, None)
    values: list[CsvValue] = [table.title, line.rank, low, high, line.tier, line.bot]
    values += [getattr(line, field) for field in LINE_FIELDS]
    return [*values, None if line.cpu is UNSET else line.cpu] if times else values


def crosstable_csv(table: Crosstable) -> str:
    """All pairs of a crosstable as CSV, from both sides."""
    return to_csv(
        PAIR_COLUMNS, ([getattr(pair, field) for field in PAIR_COLUMNS] for pair in table.pairs)
    )


def games_csv(games: Iterable[GameRow]) -> str:
    """Games as CSV without titles, one row for each seat; `GAME_COLUMNS` has the titles."""
    return format_rows(row for game in games for row in game_rows(game))


def game_rows(game: GameRow) -> Iterator[list[CsvValue]]:
    """The rows of a game, one for each seat."""
    columns = (game.bots, game.scores, game.ranks, game.faults, game.decisions, game.cpu)
    for seat, own in enumerate(zip(*columns, strict=True)):
        yield [game.id, game.variant, game.seats, seat, *own]
