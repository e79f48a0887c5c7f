"""The command `arena compare`: test whether one bot is better than another."""

import logging
import secrets
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import IO

import click
import msgspec
from rich.console import Console
from rich.text import Text

from arena.bots.bot import Bot, load_bot
from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.completion import bot_names, variant_names
from arena.cli.faults_view import show_fault
from arena.cli.main import SIGNAL_STATUS_BASE
from arena.cli.options import build_settings, clock_option, sandbox_arguments, sandbox_options
from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.cli.progress import LINE_INTERVAL, WarningHandler
from arena.errors import ArenaError
from arena.games.catalog import english_list, variant
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.ratings.sprt import MARGIN, mean_difference
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.report.data.faults import clock_argument
from arena.sanitize import printable, to_json
from arena.tournaments import compare as tournaments_compare
from arena.tournaments.compare import Comparison, ComparisonResult
from arena.tournaments.config.resolve import default_system
from arena.tournaments.play.local import LocalBackend, count_cores
from arena.tournaments.play.signals import StopRequest

DEFAULT_SEATS = 4
GAMES_FILE, RESULT_FILE = "games.jsonl", "compare.json"


@click.command(short_help="Find out whether one bot is better than another.")
@click.argument("one", metavar="A", shell_complete=bot_names)
@click.argument("other", metavar="B", shell_complete=bot_names)
@click.option(
    "--variant",
    "names",
    multiple=True,
    default=("sticheln",),
    show_default=True,
    shell_complete=variant_names,
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
    default=3000,
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
    one: str,
    other: str,
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
    secret = seed or secrets.token_hex(16)
    command = ["arena", "compare", one, other, *option_words("--variant", names)]
    command += [*option_words("--seats", sizes), "--games", str(games), "--margin", f"{margin:g}"]
    clock = clock_argument(limits)
    command += [*option_words("--clock", [clock] if clock else ()), "--seed", secret]
    command += sandbox_arguments(level, network=network)
    shop = build_settings(level, network=network, system=default_system((one, other)))
    pair = give_distinct_names(load_bot(one, shop), load_bot(other, shop))
    terms = RefereeConfig(limits=limits, sandbox=shop.sandbox)
    console = SafeConsole(stderr=as_json)
    with ExitStack() as stack:
        sink = stack.enter_context(open_games_file(out)) if out else None
        duel = Comparison(secret, cells, pair, terms, games, margin, sink)
        stack.enter_context(show_warnings(console))
        halt = stack.enter_context(StopRequest())
        show = stack.enter_context(show_progress(console, quiet=quiet))
        backend = stack.enter_context(LocalBackend(workers or count_cores(), pair, terms))
        duel.play(backend, halt, show)
    result = duel.result((one, other), interrupted=halt.is_requested)
    if out:
        write_result(out / RESULT_FILE, result)
    if as_json:
        print_json(result)
    else:
        print_result(console, result, duel.first_faults)
        again = printable(shlex.join(command))
        console.print(Text.assemble("\nAgain: ", (again, "bold")), soft_wrap=True)
    if halt.is_requested:
        sys.exit(SIGNAL_STATUS_BASE + halt.signal)


def select_cells(names: Sequence[str], sizes: Sequence[int], games: int) -> tuple[Cell, ...]:
    """The cells that are asked for."""
    cells = []
    for known in map(variant, names):
        usual = DEFAULT_SEATS if DEFAULT_SEATS in known.seats else known.seats[0]
        for seats in sizes or [usual]:
            known.game(seats)
            cells.append(Cell(known.name, seats))
    cells = list(dict.fromkeys(cells))
    least = sum(tournaments_compare.games_per_block(cell.seats) for cell in cells)
    if games < least:
        raise ArenaError(
            f"--games {games} is too little: one deal of {english_list(map(str, cells))} in all "
            f"patterns takes {least} games"
        )
    return tuple(cells)


def give_distinct_names(one: Bot, other: Bot) -> tuple[Bot, Bot]:
    """Two bots under two names."""
    if one.name != other.name:
        return one, other
    return replace(one, name=f"{one.name} (A)"), replace(other, name=f"{other.name} (B)")


def option_words(option: str, values: Iterable[object]) -> list[str]:
    """An option as it stands on the command line, once for each value."""
    return [word for value in values for word in (option, str(value))]


@contextmanager
def open_games_file(folder: Path) -> Iterator[IO[bytes]]:
    """A new file for games in a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / GAMES_FILE).open("xb")
    except FileExistsError as error:
        raise ArenaError(f"{folder / GAMES_FILE} is there already; name another folder") from error
    except OSError as error:
        raise ArenaError(f"{folder} cannot be written: {error.strerror}") from error
    with file:
        yield file


def write_result(file: Path, result: ComparisonResult) -> None:
    """Write the result into a file."""
    try:
        file.write_text(msgspec.json.format(to_json(result)) + "\n", encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{file} cannot be written: {error.strerror}") from error


@contextmanager
def show_warnings(console: Console) -> Iterator[None]:
    """Show warnings of all processes."""
    screen = WarningHandler(console)
    screen.setLevel(logging.WARNING)
    ours = logging.getLogger("arena")
    ours.addHandler(screen)
    try:
        yield
    finally:
        ours.removeHandler(screen)


@contextmanager
def show_progress(console: Console, *, quiet: bool) -> Iterator[Callable[[Comparison], None]]:
    """What shows how far it is: a line that changes on a terminal, else a line now and then."""
    if quiet:
        yield lambda _duel: None
    elif console.is_terminal:
        with console.status("the bots are playing") as status:
            yield lambda duel: status.update(progress_text(duel))
    else:
        shown = time.monotonic()

        def show(duel: Comparison) -> None:
            nonlocal shown
            if time.monotonic() - shown >= LINE_INTERVAL:
                shown = time.monotonic()
                console.print(progress_text(duel), soft_wrap=True)

        yield show


def progress_text(duel: Comparison) -> str:
    """How far it is, in one line."""
    playing = sum(duel.games_in_flight.values())
    mean, reach = mean_difference(duel.samples)
    if len(duel.samples) == 1:
        (sample,) = duel.samples
        seen = points_text(sample.mean, sample.reach, sample.unit)
    else:
        seen = f"{mean:+.2f} ± {reach:.2f} deviations"
    better, worse = duel.trial.better.log_ratio, duel.trial.worse.log_ratio
    parts = [f"{duel.games:,} games and {playing} of the next, at most {duel.max_games:,}"]
    parts += [f"B {seen}", f"LLR better {better:.1f}, worse {worse:.1f}"] if duel.games else []
    return " · ".join(parts)


def points_text(mean: float, reach: float, unit: float) -> str:
    """Points with their interval, as precise as they are worth."""
    digits = 1 if unit >= 5 else 2
    return f"{mean:+.{digits}f} ± {reach:.{digits}f} points a game"


def headline(result: ComparisonResult) -> str:
    """The verdict in one line."""
    if len(result.cells) == 1:
        (cell,) = result.cells
        seen = points_text(cell.difference, cell.reach, cell.deviation)
    else:
        seen = f"{result.difference:+.2f} ± {result.reach:.2f} deviations"
    answer = {
        "better": "B is better than A",
        "worse": "B is worse than A",
        "no difference": "no difference between A and B",
        "undecided": "undecided whether B is better than A",
    }[result.verdict]
    games = "1 game" if result.games == 1 else f"{result.games:,} games"
    return f"{answer}: {seen}, {games}" if result.games else f"{answer}: nothing was played"


def print_result(console: Console, result: ComparisonResult, faulty: dict[str, Fault]) -> None:
    """The result in words."""
    for letter, side in (("A", result.a), ("B", result.b)):
        console.print(
            Text(f"{letter}: {printable(side.name)}, version {side.version}"), soft_wrap=True
        )
    if result.interrupted:
        console.print("Interrupted; this is what was known.")
    console.print(Text(headline(result), "bold"), soft_wrap=True)
    several = len(result.cells) > 1
    for cell in result.cells:
        least = points_text(result.margin * cell.deviation, 0.0, cell.deviation).split(" ", 1)[0][
            1:
        ]
        seen = f": {points_text(cell.difference, cell.reach, cell.deviation)}" if several else ""
        console.print(
            f"  {Cell(cell.variant, cell.seats)}{seen}, {cell.blocks} blocks; the margin is "
            f"{least} points, {result.margin:g} of a deviation of {cell.deviation:.1f}",
            soft_wrap=True,
        )
    low, high = result.bounds
    told = (
        f"Seen from B: its points in a game and a seat, less those of A, with a 95 % interval. Log "
        f"likelihood ratios: better {result.better:.2f}, worse {result.worse:.2f}; a test ends "
        f"below {low:.2f} or above {high:.2f}."
    )
    print_paragraph(console, told, style="dim")
    for letter, side in (("A", result.a), ("B", result.b)):
        if side.faults:
            times = "1 fault" if side.faults == 1 else f"{side.faults:,} faults"
            console.print(Text(f"\n{letter} has {times}, such as", "red"))
            show_fault(console, side.name, faulty[side.name])
        if side.excuses:
            times = "1 excuse" if side.excuses == 1 else f"{side.excuses:,} excuses"
            told = "the machine killed it or gave it no core, and the games were played again"
            console.print(Text(f"{letter} has {times}: {told}.", "yellow"), soft_wrap=True)
    if not result.a.faults and not result.b.faults:
        console.print("No faults.")
