"""The command `arena crosstable`: compare every bot with every other bot."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from string import ascii_uppercase

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.cli import run_options, standings_view
from arena.cli.grid import (
    fixed_column,
    flexible_column,
    grid_lines,
    markdown_table,
    split_columns,
    text_width,
    total_width,
)
from arena.cli.output import SafeConsole, print_json, safe_text
from arena.cli.run_options import OutputFormat
from arena.ratings.crosstable import Crosstable, CrosstablePair, rate_crosstable
from arena.report.data import remarks
from arena.report.data.csv_export import crosstable_csv
from arena.report.plots.text import counted
from arena.sanitize import printable
from arena.store.run import Run

BETTER_MARK, WORSE_MARK = "▲", "▼"
CONFIDENCE = 0.95
MIN_NAME_WIDTH = 12
EVEN_RATIO = 1.5
"""Pairs are said to have met evenly if none did so many times more often than another."""

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

    RUN is the folder of a run; it can be left out if there is only one under runs. Counted is in
    how many of their common blocks the bot in the row finished ahead of the one in the column.
    """
    with Run.open(run_options.run_folder(run)) as opened:
        roster = opened.roster()
        results = run_options.load_results(
            opened, run_options.select_cells(opened, variants, seats)
        )
    found = rate_crosstable(roster, results)
    if form == "json":
        print_json(found)
    elif form == "csv":
        click.echo(crosstable_csv(found), nl=False)
    elif form == "markdown":
        click.echo(markdown(found), nl=False)
    elif not found.blocks:
        standings_view.print_remark(SafeConsole(), standings_view.no_blocks_text(found.name))
    else:
        show_crosstable(SafeConsole(), found)


def show_crosstable(console: Console, found: Crosstable) -> None:
    """Print what happened, and how sure it makes us."""
    standings_view.print_heading(console, found.name, found)
    matrix = CrosstableGrid(found, console.width)
    shown = [("ahead, %", ahead_text), ("better, %", better_text)]
    if not is_even(found):
        shown.append(("blocks", blocks_text))
    for title, tell in shown:
        for line in matrix.lines(title, tell):
            console.print(line, no_wrap=True, overflow="crop")
    for remark in notes(found):
        standings_view.print_remark(console, remark)
    standings_view.print_remark(
        console,
        "ahead: share of their blocks in which the row finished ahead of the column, a tie is "
        f"half; better: the chance that the row is the better bot; "
        f"{BETTER_MARK}\u00a0{WORSE_MARK}: the row "
        "is better or worse with a chance of 95\u00a0% or more.",
        style="dim",
    )


class CrosstableGrid:
    """Bots by rows and by columns, which letters head where there is no room for names."""

    def __init__(self, found: Crosstable, width: int) -> None:
        self.pairs = {(pair.row, pair.column): pair for pair in found.pairs}
        met = {pair.row for pair in found.pairs if pair.blocks}
        self.bots = [bot for bot in found.bots if bot in met]
        self.width = width
        self.row_titles = [safe_text(bot) for bot in self.bots]
        self.column_titles = [printable(bot) for bot in self.bots]
        least = [max(map(cell_len, (head, "100 "))) for head in self.column_titles]
        if total_width((text_width(self.row_titles), *least)) > width:
            self.column_titles = list(letter_names(len(self.bots)))
            size = len(self.column_titles[-1]) + 1
            self.row_titles = [
                Text.assemble((head.ljust(size), "bold"), label)
                for head, label in zip(self.column_titles, self.row_titles, strict=True)
            ]

    def lines(self, title: str, text_of: PairText) -> Iterator[Text]:
        """What is told of every pair, in as many parts as it takes, an empty line after each."""
        first = flexible_column(title, self.row_titles, 1, MIN_NAME_WIDTH)
        columns = [
            fixed_column(head, [self.cell(row, column, text_of) for row in self.bots])
            for head, column in zip(self.column_titles, self.bots, strict=True)
        ]
        for bundle in split_columns(first, columns, self.width):
            yield from grid_lines(bundle, self.width)
            yield Text()

    def cell(self, row: str, column: str, text_of: PairText) -> Text:
        """What is told of one pair."""
        return Text("·", "dim") if row == column else text_of(self.pairs[row, column])


def letter_names(count: int) -> Iterator[str]:
    """So many short names: A, B, C; or AA, AB, AC."""
    size = 1 if count <= len(ascii_uppercase) else 2
    names = ("".join(letters) for letters in product(ascii_uppercase, repeat=size))
    yield from (name for name, _ in zip(names, range(count), strict=False))


def ahead_text(pair: CrosstablePair) -> Text:
    """How often the row was ahead, with a sign if it is better or worse for sure."""
    if pair.ahead is None:
        return Text("–", "dim")
    return Text(f"{100 * pair.ahead:.0f}{better_mark(pair) or ' '}", pair_style(pair))


def better_mark(pair: CrosstablePair) -> str:
    """Whether the row is better or worse."""
    if pair.better is None:
        return ""
    return (
        BETTER_MARK
        if pair.better >= CONFIDENCE
        else WORSE_MARK
        if pair.better <= 1 - CONFIDENCE
        else ""
    )


def pair_style(pair: CrosstablePair) -> str:
    """The same as a colour."""
    return {BETTER_MARK: "green", WORSE_MARK: "red"}.get(better_mark(pair), "")


def better_text(pair: CrosstablePair) -> Text:
    """How likely the row is better."""
    if pair.better is None:
        return Text("–", "dim")
    share = 100 * pair.better
    figure = ">99" if share > 99 else "<1" if share < 1 else f"{share:.0f}"
    return Text(figure, pair_style(pair))


def blocks_text(pair: CrosstablePair) -> Text:
    """How often they met."""
    return Text(f"{pair.blocks:,}", "" if pair.blocks else "dim")


def is_even(found: Crosstable) -> bool:
    """Whether all pairs met about as often."""
    met = [pair.blocks for pair in found.pairs]
    return not met or max(met) < EVEN_RATIO * min(met)


def notes(found: Crosstable) -> Iterator[str]:
    """What is worth a sentence."""
    met = [pair.blocks for pair in found.pairs]
    if met and is_even(found):
        least, most = min(met), max(met)
        often = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield f"Each two met in {often} blocks."
    for pair in found.odd[: remarks.MAX_NAMED]:
        than = "more" if (pair.z or 0) > 0 else "less"
        yield (
            f"{printable(pair.row)} finishes ahead of {printable(pair.column)} {than} often than "
            f"their ratings say: {100 * (pair.ahead or 0):.0f}\u00a0% of the blocks instead of "
            f"{100 * (pair.expected or 0):.0f}\u00a0% (z {pair.z:+.1f}). Between these two no "
            "single number tells who is stronger."
        )
    if len(found.odd) > remarks.MAX_NAMED:
        yield f"So do {counted(len(found.odd) - remarks.MAX_NAMED, 'more pair')}."
    if found.pairs and not found.odd:
        yield "No pair is at odds with the ratings."
    absent = found.bots[found.ranked :]
    if absent:
        yield (
            f"Not ranked, for blocks are missing: "
            f"{remarks.first_few([printable(b) for b in absent])}."
        )


def markdown(found: Crosstable) -> str:
    """How often each was ahead of each, as Markdown."""
    table = {(pair.row, pair.column): pair for pair in found.pairs}
    rows = [
        [
            row,
            *(
                "" if row == bot else ahead_text(table[row, bot]).plain.strip()
                for bot in found.bots
            ),
        ]
        for row in found.bots
    ]
    return markdown_table(["ahead, %", *found.bots], rows, left_aligned=[0])
