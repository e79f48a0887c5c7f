"""The command `arena crosstable`: compare every bot with every other bot."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from string import ascii_uppercase

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.cli import run_options
from arena.cli.grid import (
    fixed_column,
    flexible_column,
    grid_lines,
    markdown_table,
    split_columns,
    text_width,
    total_width,
)
from arena.cli.output import SafeConsole, print_json, print_lines, print_remark, safe_text
from arena.cli.run_options import OutputFormat
from arena.cli.standings_view import MIN_NAME_WIDTH, no_blocks_text, print_heading
from arena.ratings.crosstable import Crosstable, CrosstablePair, rate_crosstable
from arena.report.data import remarks
from arena.report.data.csv_export import crosstable_csv
from arena.report.plots.text import NO_VALUE
from arena.sanitize import printable
from arena.store.run import Run
from arena.text import plural

BETTER_MARK, WORSE_MARK = "▲", "▼"
CONFIDENCE = 0.95
EVEN_RATIO = 1.5
"""All pairs met about as often if none met so many times more often than another."""

PairText = Callable[[CrosstablePair], Text]


@click.command(short_help="Show every bot against every other.")
@run_options.run_argument
@run_options.cell_options
@run_options.format_options
def crosstable(
    *,
    run: Path | None,
    variants: tuple[str, ...],
    seats: tuple[int, ...],
    form: OutputFormat | None,
) -> None:
    """Show how each bot of RUN fares against each other, also while it goes on.

    RUN is the folder of a run; it can be left out if there is only one under runs. Each cell is the
    share of common blocks in which the bot of the row finished ahead of the bot of the column.
    """
    with Run.open(run_options.run_folder(run)) as opened:
        cells = run_options.select_cells(opened, variants, seats)
        table = rate_crosstable(opened.roster(), {cell: opened.results(cell) for cell in cells})
    if form == "json":
        print_json(table)
    elif form == "csv":
        click.echo(crosstable_csv(table), nl=False)
    elif form == "markdown":
        click.echo(markdown(table), nl=False)
    elif not table.blocks:
        print_remark(SafeConsole(), no_blocks_text(table.name))
    else:
        show_crosstable(SafeConsole(), table)


def show_crosstable(console: Console, table: Crosstable) -> None:
    """Print how often each bot was ahead, and how likely it is the better one."""
    print_heading(console, table.name, table)
    grid = CrosstableGrid(table, console.width)
    parts = [("ahead, %", ahead_text), ("better, %", better_text)]
    if not is_even(table):
        parts.append(("blocks", blocks_text))
    for title, text_of in parts:
        print_lines(console, grid.lines(title, text_of))
    for remark in notes(table):
        print_remark(console, remark)
    print_remark(
        console,
        "ahead: share of their blocks in which the row finished ahead of the column, a tie is "
        f"half; better: the chance that the row is the better bot; "
        f"{BETTER_MARK}\u00a0{WORSE_MARK}: the row "
        "is better or worse with a chance of 95\u00a0% or more.",
        style="dim",
    )


class CrosstableGrid:
    """A grid of bots by bots; letters are its titles where there is no room for names."""

    def __init__(self, table: Crosstable, width: int) -> None:
        self.pairs = {(pair.row, pair.column): pair for pair in table.pairs}
        met = {pair.row for pair in table.pairs if pair.blocks}
        self.bots = [bot for bot in table.bots if bot in met]
        self.width = width
        self.row_titles = [safe_text(bot) for bot in self.bots]
        self.column_titles = [printable(bot) for bot in self.bots]
        min_widths = [max(map(cell_len, (title, "100 "))) for title in self.column_titles]
        if total_width((text_width(self.row_titles), *min_widths)) > width:
            self.column_titles = list(letter_names(len(self.bots)))
            size = len(self.column_titles[-1]) + 1
            self.row_titles = [
                Text.assemble((letter.ljust(size), "bold"), title)
                for letter, title in zip(self.column_titles, self.row_titles, strict=True)
            ]

    def lines(self, title: str, text_of: PairText) -> Iterator[Text]:
        """The text of every pair, in as many grids as it needs, each followed by an empty line."""
        first = flexible_column(title, self.row_titles, 1, MIN_NAME_WIDTH)
        columns = [
            fixed_column(title, [self.cell(row, column, text_of) for row in self.bots])
            for title, column in zip(self.column_titles, self.bots, strict=True)
        ]
        for grid in split_columns(first, columns, self.width):
            yield from grid_lines(grid, self.width)
            yield Text()

    def cell(self, row: str, column: str, text_of: PairText) -> Text:
        """The text of one pair."""
        return Text("·", "dim") if row == column else text_of(self.pairs[row, column])


def letter_names(count: int) -> Iterator[str]:
    """So many short names: A, B, C; or AA, AB, AC."""
    size = 1 if count <= len(ascii_uppercase) else 2
    names = ("".join(letters) for letters in product(ascii_uppercase, repeat=size))
    yield from (name for name, _ in zip(names, range(count), strict=False))


def ahead_text(pair: CrosstablePair) -> Text:
    """How often the row was ahead, marked if it is better or worse with confidence."""
    if pair.ahead is None:
        return Text(NO_VALUE, "dim")
    return Text(f"{100 * pair.ahead:.0f}{better_mark(pair) or ' '}", pair_style(pair))


def better_mark(pair: CrosstablePair) -> str:
    """The mark of a row that is better or worse with confidence; else empty."""
    if pair.better is None or 1 - CONFIDENCE < pair.better < CONFIDENCE:
        return ""
    return BETTER_MARK if pair.better >= CONFIDENCE else WORSE_MARK


def pair_style(pair: CrosstablePair) -> str:
    """The colour of the same."""
    return {BETTER_MARK: "green", WORSE_MARK: "red"}.get(better_mark(pair), "")


def better_text(pair: CrosstablePair) -> Text:
    """The chance that the row is better."""
    if pair.better is None:
        return Text(NO_VALUE, "dim")
    share = 100 * pair.better
    percent = ">99" if share > 99 else "<1" if share < 1 else f"{share:.0f}"
    return Text(percent, pair_style(pair))


def blocks_text(pair: CrosstablePair) -> Text:
    """How often they met."""
    return Text(f"{pair.blocks:,}", "" if pair.blocks else "dim")


def is_even(table: Crosstable) -> bool:
    """Whether all pairs met about as often."""
    met = [pair.blocks for pair in table.pairs]
    return not met or max(met) < EVEN_RATIO * min(met)


def notes(table: Crosstable) -> Iterator[str]:
    """The remarks below the grid."""
    met = [pair.blocks for pair in table.pairs]
    if met and is_even(table):
        least, most = min(met), max(met)
        often = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield f"Each two met in {often} blocks."
    for pair in table.odd[: remarks.MAX_NAMED]:
        than = "more" if (pair.z or 0) > 0 else "less"
        yield (
            f"{printable(pair.row)} finishes ahead of {printable(pair.column)} {than} often than "
            f"their ratings say: {100 * (pair.ahead or 0):.0f}\u00a0% of the blocks instead of "
            f"{100 * (pair.expected or 0):.0f}\u00a0% (z {pair.z:+.1f}). Between these two no "
            "single number tells who is stronger."
        )
    if len(table.odd) > remarks.MAX_NAMED:
        yield f"So do {plural(len(table.odd) - remarks.MAX_NAMED, 'more pair')}."
    if table.pairs and not table.odd:
        yield "No pair is at odds with the ratings."
    absent = table.bots[table.ranked :]
    if absent:
        yield (
            f"Not ranked, because blocks are missing: "
            f"{remarks.list_first([printable(b) for b in absent])}."
        )


def markdown(table: Crosstable) -> str:
    """How often each was ahead of each, as Markdown."""
    pairs = {(pair.row, pair.column): pair for pair in table.pairs}
    rows = [
        [
            row,
            *(
                "" if row == bot else ahead_text(pairs[row, bot]).plain.strip()
                for bot in table.bots
            ),
        ]
        for row in table.bots
    ]
    return markdown_table(["ahead, %", *table.bots], rows, left_aligned=[0])
