"""Print standings as a ranking, a matrix or Markdown, with remarks."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from arena.cli.grid import (
    GridColumn,
    axis,
    fitting_columns,
    fixed_column,
    flexible_column,
    markdown_table,
    print_grid,
    scale_around,
    split_columns,
    whisker,
)
from arena.cli.output import NBSP, print_remark, safe_text
from arena.ratings.crosstable import Crosstable
from arena.ratings.standings import Standings, StandingsLine, StandingsTable
from arena.ratings.trueskill import MU
from arena.report.data import remarks
from arena.report.plots.text import NO_VALUE
from arena.sanitize import printable
from arena.text import plural

PLOT_WIDTHS = (16, 44)
"""The least and the greatest width of the plot of intervals."""
MIN_NAME_WIDTH = 12
ANCHOR_MARK, STYLE_MARK, LEADER_MARK = "°", "*", "▸"


def print_heading(console: Console, name: str, table: StandingsTable | Crosstable) -> None:
    """Print the name of the run, and how many cells, blocks and games a table is made from."""
    cells = table.cells
    parts = (
        printable(str(cells[0])) if len(cells) == 1 else plural(len(cells), "cell"),
        plural(table.blocks, "block"),
        plural(table.games, "game"),
    )
    heading = " · ".join((printable(name), *(part.replace(" ", NBSP) for part in parts)))
    print_remark(console, heading, "bold")
    console.print()


def no_blocks_text(name: str) -> str:
    """The message for a run without blocks."""
    return f"{printable(name)}: no block is finished yet; ask again when one is."


def standings_remarks(standings: Standings, table: StandingsTable) -> Iterator[str]:
    """The remarks below a table: those of the report, and those on faults and excuses."""
    yield from remarks.standings_remarks(standings, table)
    if table.faults:
        most = max(table.lines, key=lambda line: line.faults)
        of = "all" if most.faults == table.faults else "most"
        yield (
            f"{plural(table.faults, 'fault')}, {of} by {printable(most.bot)} ({most.faults:,}); "
            "arena games RUN --fault lists them."
        )
    if table.excuses:
        most = max(table.lines, key=lambda line: line.excuses)
        of = "all" if most.excuses == table.excuses else "most"
        yield (
            f"{plural(table.excuses, 'excuse')}, {of} of {printable(most.bot)} "
            f"({most.excuses:,}): the machine killed it or gave it no core, and the games were "
            "played again."
        )


def show_table(
    console: Console, standings: Standings, table: StandingsTable, *, legend: bool = True
) -> None:
    """Print a table with its remarks and the legend of its columns."""
    print_heading(console, standings.name, table)
    columns = table_columns(standings, table)
    print_grid(console, columns, tier_rows(table.lines))
    console.print()
    for remark in standings_remarks(standings, table):
        print_remark(console, remark)
    if not legend:
        return
    legends = [column.legend for column in fitting_columns(columns, console.width) if column.legend]
    if len(table.cells) > 1:
        legends.append("all of these: means over the cells, each of which counts the same")
    print_remark(console, "; ".join(legends) + ".", style="dim")


def tier_rows(lines: Sequence[StandingsLine]) -> set[int]:
    """The rows at which a tier begins, and the first row without a rank."""
    tiers = [line.tier for line in lines]
    rows = {row for row in range(1, len(tiers)) if tiers[row] != tiers[row - 1]}
    if 2 * len(rows) <= len(tiers):
        return rows
    # Rules between most rows would separate nothing.
    return {row for row in rows if tiers[row] is None}


def table_columns(standings: Standings, table: StandingsTable) -> list[GridColumn]:
    """The columns of a table; a terminal shows as many as there is room for."""
    lines = table.lines
    digits = mu_digits(lines)
    centre = "the anchors" if standings.anchors else "all"

    def column(
        title: str, priority: int, render: Callable[[StandingsLine], str | Text], legend: str = ""
    ) -> GridColumn:
        return fixed_column(title, [cell_text(render(line)) for line in lines], priority, legend)

    columns = [
        column("rank", 90, rank_cell, "rank: by mu"),
        flexible_column("bot", bot_name_cells(standings, table), 100, MIN_NAME_WIDTH),
        column("may be", 60, rank_range_cell, "may be: the ranks it may in truth have"),
        column(
            "mu",
            95,
            lambda line: estimate_text(line.mu, line.margin, digits),
            f"mu: TrueSkill, {MU:.0f} is the mean of {centre}; ±: at 95\u00a0%",
        ),
        plot_column(lines),
        column(
            "points",
            70,
            lambda line: estimate_text(line.points, line.points_margin, 1, sign="+"),
            "points: a game, against the mean of the table",
        ),
        column(
            "won", 50, lambda line: percent_text(line.wins), "won: share of the games, ties shared"
        ),
        column(
            "placed",
            40,
            lambda line: percent_text(line.placement),
            "placed: share of the others beaten",
        ),
        column("games", 30, lambda line: f"{line.games:,}"),
        column("blocks", 10, lambda line: f"{line.blocks:,}"),
    ]
    if any(line.cpu is not UNSET for line in lines):
        columns.append(column("ms", 20, cpu_text, "ms: CPU time a decision"))
    if table.faults:
        columns.append(column("faults", 55, faults_cell))
    if table.excuses:
        columns.append(
            column(
                "excuses", 54, excuses_cell, "excuses: kills by the machine, which are no faults"
            )
        )
    return columns


def cell_text(cell: str | Text) -> Text:
    """The text of a cell; an unknown value is dim."""
    return cell if isinstance(cell, Text) else Text(cell, "dim" if cell == NO_VALUE else "")


def bot_name_cells(standings: Standings, table: StandingsTable) -> list[Text]:
    """The names of the bots, with marks for anchors and for bots that a remark is about."""
    odd = {bot for pair in table.style for bot in (pair.rated_higher, pair.more_points)}
    names = []
    for line in table.lines:
        style = "bold" if line.rank == 1 else "" if line.rank else "dim"
        marks = ANCHOR_MARK * (line.bot in standings.anchors) + STYLE_MARK * (line.bot in odd)
        names.append(safe_text(line.bot, style).append(marks, "yellow"))
    return names


def rank_cell(line: StandingsLine) -> Text:
    """The rank of a bot."""
    return Text(str(line.rank), "bold") if line.rank else Text(NO_VALUE, "dim")


def rank_range_cell(line: StandingsLine) -> Text:
    """The ranks that the true strength of a bot allows."""
    if not line.ranks:
        return Text()
    best, worst = line.ranks
    return Text(f"{best}–{worst}") if best < worst else Text(str(best), "dim")


def mu_digits(lines: Sequence[StandingsLine]) -> int:
    """The number of meaningful digits of mu."""
    return 2 if any(line.margin is not None and line.margin < 0.5 for line in lines) else 1


def estimate_text(
    value: float | None, margin: float | None, digits: int, *, sign: str = "-"
) -> Text:
    """A value with its margin."""
    if value is None:
        return Text(NO_VALUE, "dim")
    reach = f" ±{margin:.{digits}f}" if margin is not None else " ±?"
    return Text.assemble(f"{value:{sign}.{digits}f}".replace("-", "−"), (reach, "dim"))


def percent_text(value: float | None) -> str:
    """A share in percent."""
    return NO_VALUE if value is None else f"{100 * value:.1f} %"


def cpu_text(line: StandingsLine) -> str:
    """Milliseconds of CPU time for a decision."""
    return NO_VALUE if line.cpu is UNSET or line.cpu is None else f"{line.cpu:.2f}"


def faults_cell(line: StandingsLine) -> Text:
    """The number of faults."""
    return Text(f"{line.faults:,}", "red") if line.faults else Text("0", "dim")


def excuses_cell(line: StandingsLine) -> Text:
    """The number of excuses."""
    return Text(f"{line.excuses:,}", "yellow") if line.excuses else Text("0", "dim")


def plot_column(lines: Sequence[StandingsLine]) -> GridColumn:
    """The column that draws every mu with its interval on one scale."""
    spans = [
        (line.mu, line.mu - line.margin, line.mu + line.margin)
        if line.mu is not None and line.margin is not None
        else None
        for line in lines
    ]
    known = [(low, high) for _, low, high in filter(None, spans)]

    def draw(width: int) -> list[Text]:
        scale = scale_around(known, width, MU)
        return [axis(scale, MU), *(whisker(scale, *span, MU) if span else Text() for span in spans)]

    narrowest, widest = PLOT_WIDTHS
    return GridColumn(draw, narrowest, widest, 52 if known else 0)


def show_matrix(console: Console, standings: Standings) -> None:
    """Print mu of every bot, overall and in each part, the best overall first."""
    overall = standings.overall
    print_heading(console, standings.name, overall)
    first = flexible_column("mu", bot_name_cells(standings, overall), 1, MIN_NAME_WIDTH)
    tables = matrix_tables(standings)
    columns = [
        fixed_column(stacked_title(table.title), matrix_cells(overall.lines, table))
        for table in tables
    ]
    for grid in split_columns(first, columns, console.width):
        print_grid(console, grid)
        console.print()
    for table in tables:
        if table.tiers:
            print_remark(console, f"{printable(table.title)}: {tiers_text(table)}")
    print_remark(
        console,
        f"mu: TrueSkill in these cells alone; ±: at 95\u00a0%; {LEADER_MARK}: leads its "
        f"column; overall: "
        "the mean over all cells; a > b, c: a is better, which of b and c is not sure.",
        style="dim",
    )


def matrix_tables(standings: Standings) -> list[StandingsTable]:
    """The tables that are columns: the overall one if there are several parts, and all parts."""
    overall = [standings.overall] if len(standings.parts) > 1 else []
    return [*overall, *standings.parts]


def tiers_text(table: StandingsTable) -> str:
    """The tiers of a table in one line."""
    return " > ".join(", ".join(map(printable, tier)) for tier in table.tiers)


def stacked_title(title: str) -> str:
    """A title in several lines, because variants have long names."""
    return printable(title).replace("+", "\n+").replace(", ", "\n")


def matrix_cells(lines: Sequence[StandingsLine], table: StandingsTable) -> list[Text]:
    """The mu of each bot in a part."""
    line_of = {line.bot: line for line in table.lines}
    digits = mu_digits(table.lines)
    return [matrix_cell(line_of[line.bot], digits) for line in lines]


def matrix_cell(line: StandingsLine, digits: int) -> Text:
    """The mu of one bot, marked if it leads."""
    if line.mu is None:
        return Text(NO_VALUE, "dim")
    estimate = estimate_text(line.mu, line.margin, digits)
    return Text.assemble((LEADER_MARK, "green"), estimate) if line.rank == 1 else estimate


def table_markdown(standings: Standings) -> str:
    """The overall table as Markdown."""
    overall = standings.overall
    titles = ["rank", "may be", "bot", "mu", "points", "won", "placed", "games", "ms", "faults"]
    if overall.excuses:
        titles.append("excuses")
    return markdown_table(titles, markdown_rows(overall), left_aligned=[2])


def markdown_rows(overall: StandingsTable) -> Iterator[list[str]]:
    """The cells of each line."""
    digits = mu_digits(overall.lines)
    for line in overall.lines:
        low, high = line.ranks or (None, None)
        yield [
            str(line.rank or NO_VALUE),
            f"{low}–{high}" if low != high else str(low or ""),
            line.bot,
            estimate_text(line.mu, line.margin, digits).plain,
            estimate_text(line.points, line.points_margin, 1, sign="+").plain,
            percent_text(line.wins),
            percent_text(line.placement),
            f"{line.games:,}",
            cpu_text(line),
            f"{line.faults:,}",
            *([f"{line.excuses:,}"] if overall.excuses else []),
        ]


def matrix_markdown(standings: Standings) -> str:
    """Mu of every bot, overall and in each part, as Markdown."""
    tables = matrix_tables(standings)
    rows = []
    for line in standings.overall.lines:
        lines = [next(one for one in table.lines if one.bot == line.bot) for table in tables]
        estimates = [
            estimate_text(one.mu, one.margin, mu_digits(table.lines)).plain
            for one, table in zip(lines, tables, strict=True)
        ]
        rows.append([line.bot, *estimates])
    return markdown_table(["bot", *(table.title for table in tables)], rows, left_aligned=[0])
