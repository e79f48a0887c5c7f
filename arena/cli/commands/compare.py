"""The command `arena compare`: test whether one bot is better than another."""

import logging
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.completion import complete_bot, complete_variant
from arena.cli.faults_view import show_fault
from arena.cli.main import SIGNAL_STATUS_BASE
from arena.cli.options import build_settings, clock_option, sandbox_arguments, sandbox_options
from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.cli.progress import LINE_INTERVAL, WarningHandler
from arena.errors import ArenaError
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.ratings.sprt import MARGIN, mean_difference
from arena.referee.faults import Fault
from arena.sanitize import printable
from arena.store.play_command import clock_argument
from arena.text import plural
from arena.tournaments.compare import (
    DEFAULT_GAMES,
    DEFAULT_VARIANT,
    GAMES_FILE,
    RESULT_FILE,
    Comparison,
    ComparisonResult,
    compare_bots,
    select_cells,
)
from arena.tournaments.config.resolve import default_system
from arena.tournaments.play.signals import StopRequest


@click.command(short_help="Find out whether one bot is better than another.")
@click.argument("bot_a", metavar="A", shell_complete=complete_bot)
@click.argument("bot_b", metavar="B", shell_complete=complete_bot)
@click.option(
    "--variant",
    "names",
    multiple=True,
    default=(DEFAULT_VARIANT,),
    show_default=True,
    shell_complete=complete_variant,
    help="What they play; may be given more than once.",
)
@click.option(
    "--seats",
    "sizes",
    type=int,
    multiple=True,
    help="Seats at a table, also more than once; by default 4 or as few as a variant takes.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=DEFAULT_GAMES,
    show_default=True,
    help="Stop undecided before there are more.",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0.01, max=10),
    default=MARGIN,
    show_default=True,
    help="The least difference that matters, in deviations of a bot's points in a game; the less, "
    "the more games it takes.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Cores to play on; by default all.")
@click.option("--seed", help="Any text: the same deals again, if the bots are the same.")
@clock_option(Limits())
@sandbox_options
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Write the games into this folder, as {GAMES_FILE}, and the result, as {RESULT_FILE}.",
)
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, only what came of it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def compare(  # noqa: PLR0913 (one for each option)
    *,
    bot_a: str,
    bot_b: str,
    names: tuple[str, ...],
    sizes: tuple[int, ...],
    games: int,
    margin: float,
    workers: int | None,
    seed: str | None,
    limits: Limits,
    level: SandboxLevel | None,
    network: bool,
    out: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find out whether bot B is better than bot A.

    The two fill all seats of a table between them and play the same deals in all patterns, so that
    both hold all cards in all seats. After every few deals a sequential test decides whether to
    stop: when B is better or worse, when no difference is left that matters, or when there are too
    many games. Equal bots are told apart in about 5 % of all cases, and as often are bots not
    told apart that differ by the margin. Ctrl-C shows what is known so far. The exit status is 0
    whatever comes out.
    """
    if not isfinite(margin):
        raise ArenaError("--margin takes a number, such as 0.1")
    cells = select_cells(names, sizes, games)
    settings = build_settings(level, network=network, system=default_system((bot_a, bot_b)))
    console = SafeConsole(stderr=as_json)
    stop_request = StopRequest()
    first_faults: dict[str, Fault] = {}
    with show_warnings(console), open_display(console, quiet=quiet) as show_progress:
        result = compare_bots(
            bot_a,
            bot_b,
            cells=cells,
            limits=limits,
            build_settings=settings,
            max_games=games,
            margin=margin,
            seed=seed,
            workers=workers,
            folder=out,
            stop_request=stop_request,
            on_progress=show_progress,
            on_fault=first_faults.setdefault,
        )
    if as_json:
        print_json(result)
    else:
        print_result(console, result, first_faults)
        command = ["arena", "compare", bot_a, bot_b, *option_words("--variant", names)]
        command += option_words("--seats", sizes)
        command += ["--games", str(games), "--margin", f"{margin:g}"]
        clock = clock_argument(limits)
        command += [*option_words("--clock", [clock] if clock else ()), "--seed", result.seed]
        command += sandbox_arguments(level, network=network)
        again = printable(shlex.join(command))
        console.print(Text.assemble("\nAgain: ", (again, "bold")), soft_wrap=True)
    if stop_request.is_requested:
        sys.exit(SIGNAL_STATUS_BASE + stop_request.signal)


def option_words(option: str, values: Iterable[object]) -> list[str]:
    """An option as words of the command line, once for each value."""
    return [word for value in values for word in (option, str(value))]


@contextmanager
def show_warnings(console: Console) -> Iterator[None]:
    """Print the log warnings of all processes."""
    handler = WarningHandler(console)
    handler.setLevel(logging.WARNING)
    logger = logging.getLogger("arena")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def open_display(console: Console, *, quiet: bool) -> Iterator[Callable[[Comparison], None]]:
    """A function that shows the progress: one changing line on a terminal, else some lines."""
    status = console.status("the bots are playing")
    last_shown = time.monotonic()

    def show_status(comparison: Comparison) -> None:
        status.update(progress_text(comparison))
        status.start()

    def print_line(comparison: Comparison) -> None:
        nonlocal last_shown
        if time.monotonic() - last_shown >= LINE_INTERVAL:
            last_shown = time.monotonic()
            console.print(progress_text(comparison), soft_wrap=True)

    if quiet:
        yield lambda _comparison: None
        return
    try:
        yield show_status if console.is_terminal else print_line
    finally:
        status.stop()


def progress_text(comparison: Comparison) -> str:
    """The progress in one line."""
    in_flight = sum(comparison.games_in_flight.values())
    samples, test = comparison.samples, comparison.test
    mean, reach = mean_difference(samples)
    if len(samples) == 1:
        (sample,) = samples
        difference = points_text(sample.mean, sample.half_width, sample.unit)
    else:
        difference = f"{mean:+.2f} ± {reach:.2f} deviations"
    limit = f"at most {comparison.max_games:,}"
    parts = [f"{comparison.games:,} games and {in_flight} of the next, {limit}"]
    if comparison.games:
        parts.append(f"B {difference}")
        parts.append(f"LLR better {test.better.log_ratio:.1f}, worse {test.worse.log_ratio:.1f}")
    return " · ".join(parts)


def points_text(mean: float, reach: float, unit: float) -> str:
    """Points with their interval, with digits that fit the deviation of points in a game."""
    digits = 1 if unit >= 5 else 2
    return f"{mean:+.{digits}f} ± {reach:.{digits}f} points a game"


def headline(result: ComparisonResult) -> str:
    """The verdict in one line."""
    if len(result.cells) == 1:
        (cell,) = result.cells
        difference = points_text(cell.difference, cell.reach, cell.deviation)
    else:
        difference = f"{result.difference:+.2f} ± {result.reach:.2f} deviations"
    answer = {
        "better": "B is better than A",
        "worse": "B is worse than A",
        "no difference": "no difference between A and B",
        "undecided": "undecided whether B is better than A",
    }[result.verdict]
    if not result.games:
        return f"{answer}: nothing was played"
    return f"{answer}: {difference}, {plural(result.games, 'game')}"


def print_result(
    console: Console, result: ComparisonResult, first_faults: Mapping[str, Fault]
) -> None:
    """Print the result for people, with the first fault of each bot."""
    for letter, bot in (("A", result.a), ("B", result.b)):
        console.print(
            Text(f"{letter}: {printable(bot.name)}, version {bot.version}"), soft_wrap=True
        )
    if result.interrupted:
        console.print("Interrupted; this is what was known.")
    console.print(Text(headline(result), "bold"), soft_wrap=True)
    for cell in result.cells:
        digits = 1 if cell.deviation >= 5 else 2
        margin = f"{result.margin * cell.deviation:.{digits}f}"
        difference = ""
        if len(result.cells) > 1:
            difference = f": {points_text(cell.difference, cell.reach, cell.deviation)}"
        console.print(
            f"  {Cell(cell.variant, cell.seats)}{difference}, {cell.blocks} blocks; the margin is "
            f"{margin} points, {result.margin:g} of a deviation of {cell.deviation:.1f}",
            soft_wrap=True,
        )
    low, high = result.bounds
    legend = (
        f"Seen from B: its points in a game and a seat, less those of A, with a 95 % interval. Log "
        f"likelihood ratios: better {result.better:.2f}, worse {result.worse:.2f}; a test ends "
        f"below {low:.2f} or above {high:.2f}."
    )
    print_paragraph(console, legend, style="dim")
    for letter, bot in (("A", result.a), ("B", result.b)):
        if bot.faults:
            console.print(Text(f"\n{letter} has {plural(bot.faults, 'fault')}, such as", "red"))
            show_fault(console, bot.name, first_faults[bot.name])
        if bot.excuses:
            reason = "the machine killed it or gave it no core, and the games were played again"
            text = f"{letter} has {plural(bot.excuses, 'excuse')}: {reason}."
            console.print(Text(text, "yellow"), soft_wrap=True)
    if not result.a.faults and not result.b.faults:
        console.print("No faults.")
