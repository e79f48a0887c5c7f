"""`arena crosstable`: every bot against every other."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from string import ascii_uppercase

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.cli import remarks, selection
from arena.cli.grid import breadth, bundles, elastic, lay_out, plain, total
from arena.cli.output import Screen, print_json
from arena.cli.selection import Form
from arena.cli.tables import to_markdown
from arena.cli.untrusted import printable, safe
from arena.ratings.crosstable import Crosstable, Pair, compare
from arena.report.sheets import crosstable_sheet
from arena.store.run import Run

BETTER, WORSE = "▲", "▼"
LIKELY = 0.95
SHORTEST_NAME = 12
EVEN = 1.5
"""Pairs are said to have met evenly if none did so many times more often than another."""

Tell = Callable[[Pair], Text]


@click.command(short_help="Show every bot against every other.")
@selection.run_argument
@selection.cell_options
@selection.form_options
def crosstable(
    *,
    run: Path | None,
    variants: tuple[str, ...],
    seats: tuple[int, ...],
    form: Form | None,
) -> None:
    """Show how each bot of RUN fares against each other, also while it goes on.

    RUN is the folder of a run; it can be left out if there is only one under runs. Counted is in
    how many of their common blocks the bot in the row finished ahead of the one in the column.
    """
    with Run.open(selection.folder(run)) as opened:
        roster = opened.roster()
        results = selection.results(opened, selection.cells(opened, variants, seats))
    found = compare(roster, results)
    if form == "json":
        print_json(found)
    elif form == "csv":
        click.echo(crosstable_sheet(found), nl=False)
    elif form == "markdown":
        click.echo(markdown(found), nl=False)
    elif not found.blocks:
        remarks.say(Screen(), remarks.nothing(found.name))
    else:
        show(Screen(), found)


def show(console: Console, found: Crosstable) -> None:
    """Print what happened, and how sure it makes us."""
    remarks.head(console, found.name, found)
    matrix = Matrix(found, console.width)
    shown = [("ahead, %", ahead), ("better, %", better)]
    if not even(found):
        shown.append(("blocks", blocks))
    for title, tell in shown:
        for line in matrix.lines(title, tell):
            console.print(line, no_wrap=True, overflow="crop")
    for remark in notes(found):
        remarks.say(console, remark)
    remarks.say(
        console,
        "ahead: share of their blocks in which the row finished ahead of the column, a tie is "
        f"half; better: the chance that the row is the better bot; {BETTER}\u00a0{WORSE}: the row "
        "is better or worse with a chance of 95\u00a0% or more.",
        style="dim",
    )


class Matrix:
    """Bots by rows and by columns, which letters head where there is no room for names."""

    def __init__(self, found: Crosstable, width: int) -> None:
        self.pairs = {(pair.row, pair.column): pair for pair in found.pairs}
        met = {pair.row for pair in found.pairs if pair.blocks}
        self.bots = [bot for bot in found.bots if bot in met]
        self.width = width
        self.labels = [safe(bot) for bot in self.bots]
        self.heads = [printable(bot) for bot in self.bots]
        least = [max(map(cell_len, (head, "100 "))) for head in self.heads]
        if total((breadth(self.labels), *least)) > width:
            self.heads = list(lettered(len(self.bots)))
            size = len(self.heads[-1]) + 1
            self.labels = [
                Text.assemble((head.ljust(size), "bold"), label)
                for head, label in zip(self.heads, self.labels, strict=True)
            ]

    def lines(self, title: str, tell: Tell) -> Iterator[Text]:
        """What is told of every pair, in as many parts as it takes, an empty line after each."""
        first = elastic(title, self.labels, 1, SHORTEST_NAME)
        columns = [
            plain(head, [self.cell(row, column, tell) for row in self.bots])
            for head, column in zip(self.heads, self.bots, strict=True)
        ]
        for bundle in bundles(first, columns, self.width):
            yield from lay_out(bundle, self.width)
            yield Text()

    def cell(self, row: str, column: str, tell: Tell) -> Text:
        """What is told of one pair."""
        return Text("·", "dim") if row == column else tell(self.pairs[row, column])


def lettered(count: int) -> Iterator[str]:
    """So many short names: A, B, C; or AA, AB, AC."""
    size = 1 if count <= len(ascii_uppercase) else 2
    names = ("".join(letters) for letters in product(ascii_uppercase, repeat=size))
    yield from (name for name, _ in zip(names, range(count), strict=False))


def ahead(pair: Pair) -> Text:
    """How often the row was ahead, with a sign if it is better or worse for sure."""
    if pair.ahead is None:
        return Text("–", "dim")
    return Text(f"{100 * pair.ahead:.0f}{sign(pair) or ' '}", shade(pair))


def sign(pair: Pair) -> str:
    """Whether the row is better or worse."""
    if pair.better is None:
        return ""
    return BETTER if pair.better >= LIKELY else WORSE if pair.better <= 1 - LIKELY else ""


def shade(pair: Pair) -> str:
    """The same as a colour."""
    return {BETTER: "green", WORSE: "red"}.get(sign(pair), "")


def better(pair: Pair) -> Text:
    """How likely the row is better."""
    if pair.better is None:
        return Text("–", "dim")
    share = 100 * pair.better
    figure = ">99" if share > 99 else "<1" if share < 1 else f"{share:.0f}"
    return Text(figure, shade(pair))


def blocks(pair: Pair) -> Text:
    """How often they met."""
    return Text(f"{pair.blocks:,}", "" if pair.blocks else "dim")


def even(found: Crosstable) -> bool:
    """Whether all pairs met about as often."""
    met = [pair.blocks for pair in found.pairs]
    return not met or max(met) < EVEN * min(met)


def notes(found: Crosstable) -> Iterator[str]:
    """What is worth a sentence."""
    met = [pair.blocks for pair in found.pairs]
    if met and even(found):
        least, most = min(met), max(met)
        often = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield f"Each two met in {often} blocks."
    for pair in found.odd[: remarks.SHOWN]:
        than = "more" if (pair.z or 0) > 0 else "less"
        yield (
            f"{printable(pair.row)} finishes ahead of {printable(pair.column)} {than} often than "
            f"their ratings say: {100 * (pair.ahead or 0):.0f}\u00a0% of the blocks instead of "
            f"{100 * (pair.expected or 0):.0f}\u00a0% (z {pair.z:+.1f}). Between these two no "
            "single number tells who is stronger."
        )
    if len(found.odd) > remarks.SHOWN:
        yield f"So do {remarks.counted(len(found.odd) - remarks.SHOWN, 'more pair')}."
    if found.pairs and not found.odd:
        yield "No pair is at odds with the ratings."
    absent = found.bots[found.ranked :]
    if absent:
        yield f"Not ranked, for blocks are missing: {remarks.some([printable(b) for b in absent])}."


def markdown(found: Crosstable) -> str:
    """How often each was ahead of each, as Markdown."""
    table = {(pair.row, pair.column): pair for pair in found.pairs}
    rows = [
        [row, *("" if row == bot else ahead(table[row, bot]).plain.strip() for bot in found.bots)]
        for row in found.bots
    ]
    return to_markdown(["ahead, %", *found.bots], rows, left=[0])
