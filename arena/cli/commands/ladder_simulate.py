"""The command `arena ladder simulate`: simulate a ladder of bots with known strengths."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil

import click
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.text import Text

from arena.cli.grid import GridColumn, fixed_column, grid_lines
from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.errors import ArenaError
from arena.ladder.matchmaking.simulation import (
    SimulatedNight,
    Simulation,
    SimulationSettings,
    games_until,
)
from arena.ratings.cell import Cell
from arena.tournaments.seatings import MAX_SEATS, MIN_SEATS

ERROR_SHARES = (0.1, 0.05, 0.03, 0.02, 0.01)
"""Mean errors, as shares of the ladder, of which it is told when they are reached."""
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


class GamesNeeded(Struct, frozen=True):
    """How many games of each bot it takes until ranks are about right."""

    share: float
    """The mean error, as a share of the ladder."""
    matched: float | None
    shuffled: float | None


class SimulationResult(Struct, frozen=True):
    """A ladder that was simulated, with the matchmaker and with tables by chance."""

    setting: SimulationSettings
    matched: tuple[SimulatedNight, ...]
    shuffled: tuple[SimulatedNight, ...]
    """None if they were left out."""
    reached: tuple[GamesNeeded, ...]


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
    come = min(ceil(bots / 100), (bots - sizes[-1]) // nights) if new is None else new
    setting = SimulationSettings(bots, nights, max(0, come), games, cells, deals, seed, owners)
    if setting.first_bots < sizes[-1]:
        raise ArenaError(
            f"in the first night there are {max(0, setting.first_bots)} bots, too few for a "
            f"table of "
            f"{sizes[-1]}; raise --bots or lower --new"
        )
    if owners and owners < sizes[-1]:
        raise ArenaError(f"a table of {sizes[-1]} needs as many owners; raise --owners")
    with progress_bar(nights * (2 - alone)) as advance:
        matched = simulate_nights(setting, advance, matched=True)
        shuffled = () if alone else simulate_nights(setting, advance, matched=False)
    found = SimulationResult(setting, matched, shuffled, tuple(games_needed(matched, shuffled)))
    if as_json:
        print_json(found)
    else:
        show_simulation(SafeConsole(), found)


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, and what moves it on by a night."""
    aside = SafeConsole(stderr=True)
    columns = ("simulating", BarColumn(), MofNCompleteColumn(), "nights", TimeRemainingColumn())
    hidden = not aside.is_terminal
    with Progress(*columns, console=aside, transient=True, disable=hidden) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)


def simulate_nights(
    setting: SimulationSettings, advance: Callable[[], None], *, matched: bool
) -> tuple[SimulatedNight, ...]:
    """All nights."""
    found = []
    for night in Simulation(setting, time.process_time, uses_matchmaker=matched).nights():
        found.append(night)
        advance()
    return tuple(found)


def games_needed(
    matched: Sequence[SimulatedNight], shuffled: Sequence[SimulatedNight]
) -> Iterator[GamesNeeded]:
    """When errors are reached, but for those that are so from the first night on, or never."""
    for share in ERROR_SHARES:
        games = games_until(matched, share)
        chance = games_until(shuffled, share) if shuffled else None
        if matched[0].share > share and (games is not None or chance is not None):
            yield GamesNeeded(share, games, chance)


def show_simulation(console: Console, found: SimulationResult) -> None:
    """Print it for a person."""
    setting = found.setting
    sizes = ", ".join(map(str, sorted({cell.seats for cell in setting.cells})))
    owned = f" of {setting.owners:,} owners" if setting.owners else ""
    console.print(
        f"{setting.bots:,} bots{owned}, {setting.new:,} new each night · "
        f"{len(setting.cells)} cells, {sizes} seats · {setting.games:,} games of each bot a night",
        style="bold",
        soft_wrap=True,
    )
    console.print()
    every = ceil(setting.nights / MAX_LINES)
    last = setting.nights - 1
    shown = [n for n in range(setting.nights) if n in {0, last} or not (n + 1) % every]
    for line in grid_lines(night_columns(found, shown), console.width):
        console.print(line, soft_wrap=True)
    console.print()
    for sentence in result_sentences(found):
        print_paragraph(console, sentence)
    console.print()
    print_paragraph(console, LEGEND, style="dim")


def night_columns(found: SimulationResult, shown: Sequence[int]) -> list[GridColumn]:
    """The table of nights; where there is no room, the least telling columns are left out."""
    nights = [found.matched[n] for n in shown]
    chance = [found.shuffled[n] for n in shown] if found.shuffled else []
    figures: list[tuple[str, int, list[str]]] = [
        ("night", 99, [f"{one.number}" for one in nights]),
        ("bots", 4, [f"{one.bots:,}" for one in nights]),
        ("games", 90, [f"{one.games:,.0f}" for one in nights]),
        ("off", 80, [f"{one.mean:,.1f}" for one in nights]),
        ("median", 30, [f"{one.median:,.0f}" for one in nights]),
        ("95 %", 40, [f"{one.most:,.0f}" for one in nights]),
        ("%", 95, [f"{100 * one.share:.2f}" for one in nights]),
        ("top", 60, [f"{100 * one.top:.0f}" for one in nights]),
        ("all", 20, [f"{100 * one.complete:.0f}" for one in nights]),
        ("least", 50, [f"{one.least:,}" for one in nights]),
        ("cells", 10, [f"{one.balance:.2f}" for one in nights]),
        ("next", 70, [f"{one.choosing:,.0f}" for one in nights]),
        ("learn", 65, [f"{one.learning:,.0f}" for one in nights]),
    ]
    if chance:
        figures.insert(7, ("random", 85, [f"{100 * one.share:.2f}" for one in chance]))
    return [fixed_column(title, map(Text, cells), worth) for title, worth, cells in figures]


def result_sentences(found: SimulationResult) -> Iterator[str]:
    """What it comes to, in words."""
    nights = found.setting.nights
    for one in found.reached:
        words = f"Off by {100 * one.share:g} % of the ladder on average: "
        if one.matched is None:
            yield f"{words}not in {nights} nights."
            continue
        words += f"after {one.matched:,.0f} games of each bot"
        if one.shuffled is not None:
            times = one.shuffled / one.matched
            words += f", by chance after {one.shuffled:,.0f}, {times:.1f} times as many"
        elif found.shuffled:
            words += f", by chance not in {nights} nights"
        yield f"{words}."
    last = found.matched[-1]
    yield (
        f"{last.blocks:,} blocks; in the last night {last.setup:,.0f} ms of CPU to begin, then "
        f"{last.choosing + last.learning:,.0f} µs for each block."
    )
