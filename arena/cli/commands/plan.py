"""The command `arena plan`: preview the games, duration and fairness of a tournament."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeVar

import click
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.completion import complete_tournament
from arena.cli.options import sandbox_options, warn_about_sandbox
from arena.cli.output import SafeConsole, print_json, print_paragraph, safe_text
from arena.ratings.cell import Cell
from arena.ratings.schedule_fairness import Balance, Fairness
from arena.sanitize import printable
from arena.text import plural
from arena.tournaments.config.tournament import load_tournament
from arena.tournaments.plan.preview import (
    CellPreview,
    CostEstimate,
    Preview,
    preview_tournament,
)

T = TypeVar("T", CellPreview, Fairness)

MAX_CELLS = 12
"""More cells than this are grouped by their number of seats."""

BALANCE_TITLES = {"deals": "deals", "pairs": "pairs", "seats": "seats", "neighbours": "left"}
"""The title of the column for each balance."""

UNEVEN_MARK = "*"

FAIRNESS_LEGEND = (
    "deals: of each bot; pairs: deals that two play at one table; seats: games of each bot in each "
    "seat; left: games of each with each other one as its left neighbour. From least to most."
)


@click.command(short_help="Show what a tournament would play, and how fair it is.")
@click.argument("file", type=click.Path(path_type=Path), shell_complete=complete_tournament)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@sandbox_options
def plan(file: Path, *, as_json: bool, level: SandboxLevel | None, network: bool) -> None:
    """Show what the tournament in FILE would play, without playing it.

    How many tables, blocks, games and decisions there are and about how long they take; and how
    often bots sit where, with whom and beside whom. What is wrong with the file or a bot is said;
    bots that have to be built are.
    """
    tournament = load_tournament(file, level, network=network)
    warn_about_sandbox(tournament.referee_config.sandbox)
    preview = preview_tournament(tournament)
    if as_json:
        print_json(preview)
    else:
        print_preview(SafeConsole(), preview)


def print_preview(console: Console, preview: Preview) -> None:
    """Print a preview for people."""
    sizes = (
        f"{len(preview.bots)} bots",
        plural(preview.games, "game"),
        f"{preview.seating} seatings",
    )
    console.print(Text.assemble(safe_text(preview.name, "bold"), "  ", " · ".join(sizes)))
    print_paragraph(console, ", ".join(map(printable, preview.bots)), indent=2, style="dim")
    console.print()
    console.print(sizes_table(preview))
    console.print()
    for sentence in cost_sentences(preview.estimate, preview.chunks):
        print_paragraph(console, sentence)
    for sentence in stage_sentences(preview):
        print_paragraph(console, sentence)
    console.print()
    console.print(fairness_table(preview.fairness))
    console.print()
    for sentence in (FAIRNESS_LEGEND, *fairness_sentences(preview)):
        print_paragraph(console, sentence)
    console.print()
    if preview.commitment:
        console.print(f"Commitment to the seed:\n{preview.commitment}", soft_wrap=True)
    else:
        print_paragraph(console, "No seed: it is drawn when the run begins.")
    for note in preview.notes:
        print_paragraph(console, printable(note), style="yellow")


def sizes_table(preview: Preview) -> Grid:
    """A table of how much there is to play in each cell."""
    grid = new_table("", "tables", "blocks", "games", "decisions a game")
    for name, lines in group_cells(preview.cells):
        few, many = (pick(round(line.decisions) for line in lines) for pick in (min, max))
        grid.add_row(
            name,
            f"{sum(line.tables for line in lines):,}",
            f"{sum(line.blocks for line in lines):,}",
            f"{sum(line.games for line in lines):,}",
            range_text(few, many),
        )
    if grid.row_count > 1:
        figures = (f"{number:,}" for number in (preview.tables, preview.blocks, preview.games))
        grid.add_row(Text("in all", "bold"), *figures, "")
    return grid


def fairness_table(cells_fairness: Sequence[Fairness]) -> Grid:
    """A table of the fairness of each cell."""
    grid = new_table("fairness", *BALANCE_TITLES.values(), "balanced")
    for name, cells in group_cells(cells_fairness):
        balances = [merge_balances(cells, aspect) for aspect in BALANCE_TITLES]
        is_balanced = all(balance.balanced for balance in balances)
        verdict = Text("yes", "green") if is_balanced else Text(f"no {UNEVEN_MARK}", "yellow")
        grid.add_row(name, *map(balance_text, balances), verdict)
    return grid


def balance_text(balance: Balance) -> Text:
    """The least and the most, with a mark if they are not balanced."""
    least, most = short_number(balance.least), short_number(balance.most)
    text = least if balance.least == balance.most else f"{least}–{most}"
    return Text(text) if balance.balanced else Text(f"{text}{UNEVEN_MARK}", "yellow")


def merge_balances(cells: Iterable[Fairness], aspect: str) -> Balance:
    """The balance of several cells that are shown in one line."""
    balances = [balance for cell in cells for balance in cell.balances if balance.what == aspect]
    return Balance(
        balances[0].what,
        min(balance.least for balance in balances),
        max(balance.most for balance in balances),
        all(balance.balanced for balance in balances),
    )


def group_cells(cells: Sequence[T]) -> Iterator[tuple[Text, list[T]]]:
    """The cells with their names; if they are many, grouped by their number of seats."""
    if len(cells) <= MAX_CELLS:
        for cell in cells:
            yield safe_text(str(Cell(cell.variant, cell.seats))), [cell]
        return
    ordered = sorted(cells, key=lambda cell: cell.seats)
    for seats, alike in groupby(ordered, key=lambda cell: cell.seats):
        group = list(alike)
        yield Text(f"{plural(len(group), 'variant')}, {seats} seats"), group


def new_table(first: str, *titles: str) -> Grid:
    """A grid with a column of names and columns of figures."""
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column(first, overflow="fold")
    for title in titles:
        justify: Literal["left", "right"] = "left" if title == "balanced" else "right"
        grid.add_column(title, justify=justify, no_wrap=True)
    return grid


def cost_sentences(estimate: CostEstimate, chunks: int) -> Iterator[str]:
    """Sentences on the cost."""
    workers = plural(estimate.workers, "worker")
    yield (
        f"About {duration_text(estimate.seconds)} with {workers}, if bots answer at once: about "
        f"{estimate.decisions:,} decisions, and {estimate.starts:,} processes for "
        f"{plural(chunks, 'chunk')}. Every millisecond that they think about a decision adds "
        f"{duration_text(estimate.seconds_for_a_millisecond)}."
    )


def stage_sentences(preview: Preview) -> Iterator[str]:
    """Sentences on what is decided while it is played."""
    if preview.adaptive:
        yield f"Tables are chosen in {preview.stages} stages, where the order is open."
    if preview.stop is not None:
        parts = f"after each of {preview.stages} parts" if preview.stages > 1 else "at the end only"
        sure = f"{100 * preview.stop:g} %"
        yield f"It stops sooner if the order is known to {sure}; that is seen {parts}."


def fairness_sentences(preview: Preview) -> Iterator[str]:
    """Sentences on the figures of the fairness table."""
    if not all(cell.balanced for cell in preview.fairness):
        yield f"{UNEVEN_MARK} not even."
    if preview.counted < preview.blocks:
        later = "; the tables of the others depend on results" if preview.adaptive else ""
        yield f"Counted over the first {preview.counted:,} of {preview.blocks:,} blocks{later}."
    worst = min((cell.efficiency for cell in preview.fairness), default=1.0)
    if worst < 0.9995:
        yield (
            f"As pairs are uneven, games tell {100 * worst:.1f} % of what they could tell about "
            "the order."
        )
    if preview.shared:
        blocks = plural(preview.shared, "block")
        yield f"{blocks} of {preview.deals:,} share a deal with another one!"
    else:
        few = "" if preview.deals == preview.blocks else f" of the {preview.deals:,} compared"
        yield f"Every deal is dealt to one table in one block only: no two{few} are the same."


def duration_text(seconds: float) -> str:
    """A rough duration: 40 s, 12 min, 3 h, 2 days."""
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(1, round(seconds))} s"


def range_text(least: int, most: int) -> str:
    """One number, or two if they differ."""
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def short_number(number: int) -> str:
    """A number in at most six characters, so that four ranges fit into a line."""
    for unit, size in (("M", 1_000_000), ("k", 1000)):
        if number >= 10 * size:
            return f"{number / size:.4g}{unit}"
    return f"{number:,}"
