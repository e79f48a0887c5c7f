"""The ranking: a table of the standings in the terminal, as wide as it is."""

from collections.abc import Callable, Sequence

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from arena.cli import remarks
from arena.cli.grid import Column, elastic, fitting, lay_out, plain
from arena.cli.untrusted import safe
from arena.cli.whiskers import axis, scale, whisker
from arena.ratings.propagation import MU
from arena.ratings.standings import Line, Standings, Table

PLOT = (16, 44)
"""How wide the whiskers may be."""
SHORTEST_NAME = 12
NONE = "–"
ANCHOR, STYLE = "°", "*"


def show(console: Console, standings: Standings, table: Table, *, legend: bool = True) -> None:
    """Print a table, what it comes to, and what its columns say."""
    remarks.head(console, standings.name, table)
    columns = columns_of(standings, table)
    for line in lay_out(columns, console.width, rules(table.lines)):
        console.print(line, no_wrap=True, overflow="crop")
    console.print()
    for remark in remarks.remarks(standings, table):
        remarks.say(console, remark)
    if not legend:
        return
    legends = [column.legend for column in fitting(columns, console.width) if column.legend]
    if len(table.cells) > 1:
        legends.append("all of these: means over the cells, each of which counts the same")
    remarks.say(console, "; ".join(legends) + ".", style="dim")


def rules(lines: Sequence[Line]) -> set[int]:
    """The rows above which a tier begins, and that above those without a rank."""
    tiers = [line.tier for line in lines]
    begin = {row for row in range(1, len(tiers)) if tiers[row] != tiers[row - 1]}
    if 2 * len(begin) <= len(tiers):
        return begin
    # Rules between most rows would hide what they are to show.
    return {row for row in begin if tiers[row] is None}


def columns_of(standings: Standings, table: Table) -> list[Column]:
    """All columns there could be."""
    lines = table.lines
    shown = digits(lines)
    centre = "the anchors" if standings.anchors else "all"

    def column(
        title: str, worth: int, tell: Callable[[Line], str | Text], legend: str = ""
    ) -> Column:
        return plain(title, [told(tell(line)) for line in lines], worth, legend)

    columns = [
        column("rank", 90, rank, "rank: by mu"),
        elastic("bot", names(standings, table), 100, SHORTEST_NAME),
        column("may be", 60, ranks, "may be: the ranks it may in truth have"),
        column(
            "mu",
            95,
            lambda line: estimate(line.mu, line.margin, shown),
            f"mu: TrueSkill, {MU:.0f} is the mean of {centre}; ±: at 95\u00a0%",
        ),
        plot(lines),
        column(
            "points",
            70,
            lambda line: estimate(line.points, line.points_margin, 1, sign="+"),
            "points: a game, against the mean of the table",
        ),
        column("won", 50, lambda line: share(line.wins), "won: share of the games, ties shared"),
        column(
            "placed", 40, lambda line: share(line.placement), "placed: share of the others beaten"
        ),
        column("games", 30, lambda line: f"{line.games:,}"),
        column("blocks", 10, lambda line: f"{line.blocks:,}"),
    ]
    if any(line.cpu is not UNSET for line in lines):
        columns.append(column("ms", 20, cpu, "ms: CPU time a decision"))
    if table.faults:
        columns.append(column("faults", 55, faults))
    if table.excuses:
        columns.append(
            column("excuses", 54, excuses, "excuses: kills by the machine, which are no faults")
        )
    return columns


def told(cell: str | Text) -> Text:
    """A cell; what is not known is dim."""
    return cell if isinstance(cell, Text) else Text(cell, "dim" if cell == NONE else "")


def names(standings: Standings, table: Table) -> list[Text]:
    """The bots, with signs for what is said of them below."""
    odd = {bot for pair in table.style for bot in (pair.rated_higher, pair.more_points)}
    found = []
    for line in table.lines:
        style = "bold" if line.rank == 1 else "" if line.rank else "dim"
        marks = ANCHOR * (line.bot in standings.anchors) + STYLE * (line.bot in odd)
        found.append(safe(line.bot, style).append(marks, "yellow"))
    return found


def rank(line: Line) -> Text:
    """Its rank."""
    return Text(str(line.rank), "bold") if line.rank else Text(NONE, "dim")


def ranks(line: Line) -> Text:
    """The ranks it may in truth have."""
    if not line.ranks:
        return Text()
    best, worst = line.ranks
    return Text(f"{best}–{worst}") if best < worst else Text(str(best), "dim")


def digits(lines: Sequence[Line]) -> int:
    """How many of mu are worth showing."""
    return 2 if any(line.margin is not None and line.margin < 0.5 for line in lines) else 1


def estimate(value: float | None, margin: float | None, digits: int, *, sign: str = "-") -> Text:
    """A figure and how far off it may be."""
    if value is None:
        return Text(NONE, "dim")
    about = f" ±{margin:.{digits}f}" if margin is not None else " ±?"
    return Text.assemble(f"{value:{sign}.{digits}f}".replace("-", "−"), (about, "dim"))


def share(value: float | None) -> str:
    """A share of 100."""
    return NONE if value is None else f"{100 * value:.1f} %"


def cpu(line: Line) -> str:
    """Time a decision."""
    return NONE if line.cpu is UNSET or line.cpu is None else f"{line.cpu:.2f}"


def faults(line: Line) -> Text:
    """How many, if any."""
    return Text(f"{line.faults:,}", "red") if line.faults else Text("0", "dim")


def excuses(line: Line) -> Text:
    """How many, if any."""
    return Text(f"{line.excuses:,}", "yellow") if line.excuses else Text("0", "dim")


def plot(lines: Sequence[Line]) -> Column:
    """Each mu with its interval, on one scale."""
    spans = [
        (line.mu, line.mu - line.margin, line.mu + line.margin)
        if line.mu is not None and line.margin is not None
        else None
        for line in lines
    ]
    known = [(low, high) for _, low, high in filter(None, spans)]

    def draw(width: int) -> list[Text]:
        on = scale(known, width, MU)
        return [axis(on, MU), *(whisker(on, *span, MU) if span else Text() for span in spans)]

    least, most = PLOT
    return Column(draw, least, most, 52 if known else 0)
