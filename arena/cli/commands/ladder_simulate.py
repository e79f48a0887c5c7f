"""The command `arena ladder simulate`: simulate a ladder of bots with known strengths."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.text import Text

from arena.cli.grid import GridColumn, fixed_column, grid_lines
from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.ladder.matchmaking.simulation import (
    NightCallback,
    SimulationResult,
    SimulationSettings,
    simulate_ladder,
)
from arena.ratings.cell import Cell
from arena.tournaments.seatings import MAX_SEATS, MIN_SEATS

MAX_LINES = 12
"""About so many nights are shown."""
MAX_BOTS, MAX_VARIANTS = 100_000, 64

LEGEND = (
    "games: of a bot so far. off: places that a bot is off its true rank on average; median; at "
    "most, for 95 bots in 100. %: the mean as a share of the ladder; random: likewise, with tables "
    "by chance. top: ten best among the first ten. all: bots with blocks in all cells. least: "
    "blocks in this night of the bot with fewest. cells: blocks of the cell with most over those "
    "of the cell with fewest. next, learn: µs of CPU for a block."
)


@click.command(short_help="Simulate a ladder of bots whose strength is known.")
@click.option(
    "--bots",
    type=click.IntRange(MIN_SEATS, MAX_BOTS),
    default=100,
    show_default=True,
    help="In the last night.",
)
@click.option("--nights", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option(
    "--games",
    type=click.IntRange(1, 100_000),
    default=24,
    show_default=True,
    help="Of each bot in a night, on average.",
)
@click.option("--new", type=click.IntRange(min=0), help="Bots that come each night; usually 1 %.")
@click.option("--variants", type=click.IntRange(1, MAX_VARIANTS), default=4, show_default=True)
@click.option(
    "--seats",
    type=click.IntRange(MIN_SEATS, MAX_SEATS),
    multiple=True,
    default=(4,),
    show_default=True,
    help="Size of tables; can be given again.",
)
@click.option(
    "--deals",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Blocks of a visit to a table.",
)
@click.option(
    "--owners",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Number of owners; two bots of one owner never share a table. 0: bots have no owners.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("--no-random", "alone", is_flag=True, help="Do not compare with tables by chance.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def simulate(  # noqa: PLR0913 (one for each option)
    *,
    bots: int,
    nights: int,
    games: int,
    new: int | None,
    variants: int,
    seats: tuple[int, ...],
    deals: int,
    owners: int,
    seed: int,
    alone: bool,
    as_json: bool,
) -> None:
    """Let the matchmaker choose tables for bots of known strength, night by night.

    No bot is run: what a block comes to is drawn as the ratings take it to be. It shows how many
    games it takes until ranks are about right, what that saves against tables by chance, and what
    choosing a table costs.
    """
    sizes = sorted(set(seats))
    cells = tuple(Cell(f"variant {n + 1}", size) for n in range(variants) for size in sizes)
    new_bots = min(ceil(bots / 100), (bots - sizes[-1]) // nights) if new is None else new
    settings = SimulationSettings(bots, nights, max(0, new_bots), games, cells, deals, seed, owners)
    with progress_bar(nights * (2 - alone)) as advance:
        result = simulate_ladder(settings, with_random=not alone, on_night=advance)
    if as_json:
        print_json(result)
    else:
        show_simulation(SafeConsole(), result)


@contextmanager
def progress_bar(total: int) -> Iterator[NightCallback]:
    """Show a progress bar on stderr, if that is a terminal."""
    console = SafeConsole(stderr=True)
    columns = ("simulating", BarColumn(), MofNCompleteColumn(), "nights", TimeRemainingColumn())
    is_silent = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_silent) as progress:
        task = progress.add_task("", total=total)
        yield lambda _night: progress.advance(task)


def show_simulation(console: Console, result: SimulationResult) -> None:
    """Print it for a person."""
    settings = result.setting
    sizes = ", ".join(map(str, sorted({cell.seats for cell in settings.cells})))
    owned = f" of {settings.owners:,} owners" if settings.owners else ""
    console.print(
        f"{settings.bots:,} bots{owned}, {settings.new:,} new each night · "
        f"{len(settings.cells)} cells, {sizes} seats · "
        f"{settings.games:,} games of each bot a night",
        style="bold",
        soft_wrap=True,
    )
    console.print()
    every = ceil(settings.nights / MAX_LINES)
    last = settings.nights - 1
    shown = [n for n in range(settings.nights) if n in {0, last} or not (n + 1) % every]
    for line in grid_lines(night_columns(result, shown), console.width):
        console.print(line, soft_wrap=True)
    console.print()
    for sentence in result_sentences(result):
        print_paragraph(console, sentence)
    console.print()
    print_paragraph(console, LEGEND, style="dim")


def night_columns(result: SimulationResult, shown: Sequence[int]) -> list[GridColumn]:
    """The table of nights; where there is no room, the least telling columns are left out."""
    nights = [result.matched[n] for n in shown]
    chance = [result.shuffled[n] for n in shown] if result.shuffled else []
    figures: list[tuple[str, int, list[str]]] = [
        ("night", 99, [f"{night.number}" for night in nights]),
        ("bots", 4, [f"{night.bots:,}" for night in nights]),
        ("games", 90, [f"{night.games:,.0f}" for night in nights]),
        ("off", 80, [f"{night.mean:,.1f}" for night in nights]),
        ("median", 30, [f"{night.median:,.0f}" for night in nights]),
        ("95 %", 40, [f"{night.most:,.0f}" for night in nights]),
        ("%", 95, [f"{100 * night.share:.2f}" for night in nights]),
        ("top", 60, [f"{100 * night.top:.0f}" for night in nights]),
        ("all", 20, [f"{100 * night.complete:.0f}" for night in nights]),
        ("least", 50, [f"{night.least:,}" for night in nights]),
        ("cells", 10, [f"{night.balance:.2f}" for night in nights]),
        ("next", 70, [f"{night.choosing:,.0f}" for night in nights]),
        ("learn", 65, [f"{night.learning:,.0f}" for night in nights]),
    ]
    if chance:
        figures.insert(7, ("random", 85, [f"{100 * night.share:.2f}" for night in chance]))
    return [fixed_column(title, map(Text, cells), worth) for title, worth, cells in figures]


def result_sentences(result: SimulationResult) -> Iterator[str]:
    """Sentences on the result."""
    nights = result.setting.nights
    for needed in result.reached:
        words = f"Off by {100 * needed.share:g} % of the ladder on average: "
        if needed.matched is None:
            yield f"{words}not in {nights} nights."
            continue
        words += f"after {needed.matched:,.0f} games of each bot"
        if needed.shuffled is not None:
            times = needed.shuffled / needed.matched
            words += f", by chance after {needed.shuffled:,.0f}, {times:.1f} times as many"
        elif result.shuffled:
            words += f", by chance not in {nights} nights"
        yield f"{words}."
    last = result.matched[-1]
    yield (
        f"{last.blocks:,} blocks; in the last night {last.setup:,.0f} ms of CPU to begin, then "
        f"{last.choosing + last.learning:,.0f} µs for each block."
    )
