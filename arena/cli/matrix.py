"""The matrix: how each bot stands in each part of a run."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.cli import remarks
from arena.cli.grid import bundles, elastic, lay_out, plain
from arena.cli.ranking import NONE, SHORTEST_NAME, digits, estimate, names
from arena.cli.untrusted import printable
from arena.ratings.standings import Line, Standings, Table

LEADS = "▸"


def show(console: Console, standings: Standings) -> None:
    """Print mu of every bot, overall and in each part, the best overall first."""
    overall = standings.overall
    remarks.head(console, standings.name, overall)
    first = elastic("mu", names(standings, overall), 1, SHORTEST_NAME)
    tables = tables_of(standings)
    columns = [plain(stacked(table.title), entries(overall.lines, table)) for table in tables]
    for bundle in bundles(first, columns, console.width):
        for line in lay_out(bundle, console.width):
            console.print(line, no_wrap=True, overflow="crop")
        console.print()
    for table in tables:
        if table.tiers:
            remarks.say(console, f"{printable(table.title)}: {order(table)}")
    remarks.say(
        console,
        f"mu: TrueSkill in these cells alone; ±: at 95\u00a0%; {LEADS}: leads its column; overall: "
        "the mean over all cells; a > b, c: a is better, which of b and c is not sure.",
        style="dim",
    )


def tables_of(standings: Standings) -> list[Table]:
    """The columns: the overall table, unless there is one part only, and those of all parts."""
    overall = [standings.overall] if len(standings.parts) > 1 else []
    return [*overall, *standings.parts]


def order(table: Table) -> str:
    """The tiers in one line."""
    return " > ".join(", ".join(map(printable, tier)) for tier in table.tiers)


def stacked(title: str) -> str:
    """A title over several lines, since variants have long names."""
    return printable(title).replace("+", "\n+").replace(", ", "\n")


def entries(lines: Sequence[Line], table: Table) -> list[Text]:
    """What each bot has reached in a part."""
    there = {line.bot: line for line in table.lines}
    shown = digits(table.lines)
    return [entry(there[line.bot], shown) for line in lines]


def entry(line: Line, shown: int) -> Text:
    """One figure."""
    if line.mu is None:
        return Text(NONE, "dim")
    figure = estimate(line.mu, line.margin, shown)
    return Text.assemble((LEADS, "green"), figure) if line.rank == 1 else figure
