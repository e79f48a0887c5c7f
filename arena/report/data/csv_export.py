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
    """Comma-separated values, of which no text is a formula."""
    return format_rows([titles, *rows])


def format_rows(rows: Iterable[Sequence[CsvValue]]) -> str:
    """Lines of a sheet."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(
        [escape_formula(value) if isinstance(value, str) else value for value in row]
        for row in rows
    )
    return out.getvalue()


escape_formula = lru_cache(10_000)(csv_cell)
"""The same few names stand in very many lines."""


def standings_csv(standings: Standings, *, parts: bool, times: bool) -> str:
    """The overall table, then those of all parts if they are wanted."""
    tables = [standings.overall, *(standings.parts if parts else ())]
    return tables_csv(tables, times=times)


def tables_csv(tables: Iterable[StandingsTable], *, times: bool) -> str:
    """Tables one below the other, each line with the title of its own."""
    titles = ["table", "rank", "rank_low", "rank_high", "tier", "bot", *LINE_FIELDS]
    titles += ["cpu"] * times
    return to_csv(
        titles,
        (standings_row(table, line, times=times) for table in tables for line in table.lines),
    )


def standings_row(table: StandingsTable, line: StandingsLine, *, times: bool) -> list[CsvValue]:
    """A line of a table, as a spreadsheet has it."""
    low, high = line.ranks or (None, None)
    values: list[CsvValue] = [table.title, line.rank, low, high, line.tier, line.bot]
    values += [getattr(line, field) for field in LINE_FIELDS]
    return [*values, None if line.cpu is UNSET else line.cpu] if times else values


def crosstable_csv(found: Crosstable) -> str:
    """Every pair, from both sides."""
    return to_csv(
        PAIR_COLUMNS, ([getattr(pair, field) for field in PAIR_COLUMNS] for pair in found.pairs)
    )


def games_csv(games: Iterable[GameRow]) -> str:
    """The lines of some games, one for each seat; `GAME` has the titles."""
    return format_rows(row for game in games for row in game_rows(game))


def game_rows(game: GameRow) -> Iterator[list[CsvValue]]:
    """What came of each seat of a game."""
    told = (game.bots, game.scores, game.ranks, game.faults, game.decisions, game.cpu)
    for seat, own in enumerate(zip(*told, strict=True)):
        yield [game.id, game.variant, game.seats, seat, *own]
