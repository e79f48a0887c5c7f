"""Tables as CSV, for spreadsheets."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from io import StringIO

from msgspec import UNSET

from arena.printable import spreadsheet
from arena.ratings.crosstable import Crosstable
from arena.ratings.standings import Line, Standings, Table
from arena.store.listing import Game

Value = str | int | float | None

FIELDS = (
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


PAIR = ("row", "column", "blocks", "ahead", "better", "expected", "z")
GAME = ("game", "variant", "seats", "seat", "bot", "score", "rank", "faults", "decisions", "cpu_us")


def to_csv(titles: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Comma-separated values, of which no text is a formula."""
    return write([titles, *rows])


def write(rows: Iterable[Sequence[Value]]) -> str:
    """Lines of a sheet."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(
        [harmless(value) if isinstance(value, str) else value for value in row] for row in rows
    )
    return out.getvalue()


harmless = lru_cache(10_000)(spreadsheet)
"""The same few names stand in very many lines."""


def standings_sheet(standings: Standings, *, parts: bool, times: bool) -> str:
    """The overall table, then those of all parts if they are wanted."""
    tables = [standings.overall, *(standings.parts if parts else ())]
    return tables_sheet(tables, times=times)


def tables_sheet(tables: Iterable[Table], *, times: bool) -> str:
    """Tables one below the other, each line with the title of its own."""
    titles = ["table", "rank", "rank_low", "rank_high", "tier", "bot", *FIELDS]
    titles += ["cpu"] * times
    return to_csv(
        titles, (row(table, line, times=times) for table in tables for line in table.lines)
    )


def row(table: Table, line: Line, *, times: bool) -> list[Value]:
    """A line of a table, as a spreadsheet has it."""
    low, high = line.ranks or (None, None)
    values: list[Value] = [table.title, line.rank, low, high, line.tier, line.bot]
    values += [getattr(line, field) for field in FIELDS]
    return [*values, None if line.cpu is UNSET else line.cpu] if times else values


def crosstable_sheet(found: Crosstable) -> str:
    """Every pair, from both sides."""
    return to_csv(PAIR, ([getattr(pair, field) for field in PAIR] for pair in found.pairs))


def games_sheet(games: Iterable[Game]) -> str:
    """The lines of some games, one for each seat; `GAME` has the titles."""
    return write(row for game in games for row in seats(game))


def seats(game: Game) -> Iterator[list[Value]]:
    """What came of each seat of a game."""
    told = (game.bots, game.scores, game.ranks, game.faults, game.decisions, game.cpu)
    for seat, own in enumerate(zip(*told, strict=True)):
        yield [game.id, game.variant, game.seats, seat, *own]
