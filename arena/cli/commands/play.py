"""The command `arena play`: play one game between bots, with a log of its messages."""

import os
import secrets
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from arena.bots.bootstrap import pin_to_core
from arena.bots.bot import load_bot
from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.completion import complete_bot, complete_variant
from arena.cli.faults_view import show_faults
from arena.cli.game_view.render import GameRenderer, pause_seconds
from arena.cli.options import (
    build_settings,
    clock_option,
    sandbox_arguments,
    sandbox_options,
    speed_option,
)
from arena.cli.output import SafeConsole, safe_text
from arena.errors import ArenaError
from arena.games.catalog import variant
from arena.games.replay import Step
from arena.protocol.messages import MAX_SAFE_INTEGER, Limits
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.referee.live_game import Deal, LiveGame
from arena.referee.record import Record, check_folder, deciders, write_record
from arena.referee.referee import StepCallback
from arena.referee.single_game import play_game
from arena.sanitize import printable, to_json
from arena.store.play_command import clock_argument


@click.command(short_help="Play one game between bots.")
@click.argument("name", metavar="VARIANT", shell_complete=complete_variant)
@click.argument(
    "paths", metavar="BOT BOT BOT...", nargs=-1, required=True, shell_complete=complete_bot
)
@click.option("--seed", type=click.IntRange(min=0), help="The deal; by default a new one.")
@click.option(
    "--turn",
    type=click.IntRange(min=0),
    default=0,
    help="Number of the game in its block, from 0; bots get another `start.seed` in each.",
)
@click.option("--seats", metavar="A,B,C", help="The seat of each bot; by default 0,1,2 and so on.")
@click.option("--watch", is_flag=True, help="Show the table as the game goes.")
@speed_option
@click.option(
    "--record",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the record of the game into this file, for arena replay and arena verify.",
)
@click.option(
    "--logs",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write what was said to each bot, and its stderr, into this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record, for programs.")
@click.option("--strict", is_flag=True, help="Stop at the first fault.")
@click.option("--no-clock", is_flag=True, help="Let bots take their time, in a debugger say.")
@clock_option(Limits())
@sandbox_options
def play(  # noqa: PLR0913 (one for each option)
    *,
    name: str,
    paths: tuple[str, ...],
    seed: int | None,
    turn: int,
    seats: str | None,
    watch: bool,
    speed: float,
    file: Path | None,
    logs: Path | None,
    as_json: bool,
    strict: bool,
    no_clock: bool,
    limits: Limits,
    level: SandboxLevel | None,
    network: bool,
) -> None:
    """Play one game of VARIANT between bots, as many as there are seats.

    A BOT is a folder with bot.yaml, a script or a program; it may be named more than once. With
    --seed the game can be repeated exactly, if the bots are deterministic. The exit status is 1 if
    a bot was at fault.
    """
    game = variant(name).game(len(paths))
    builds = build_settings(level, network=network)
    loaded = [load_bot(path, builds) for path in paths]
    bots = [loaded[index] for index in parse_seats(seats, len(paths))]
    deal = Deal(secrets.randbelow(MAX_SAFE_INTEGER) if seed is None else seed, turn=turn)
    if file:
        check_folder(file)
    console = SafeConsole()
    renderer = None
    if watch and not as_json:
        renderer = GameRenderer(console, [bot.name for bot in bots], live=True)
    config = RefereeConfig(
        limits=None if no_clock else limits,
        policy=FaultPolicy.STRICT if strict else FaultPolicy.STAND_IN,
        sandbox=builds.sandbox,
    )
    options = {"--turn": str(turn or ""), "--seats": seats, "--clock": clock_argument(limits)}
    command = repeat_command(name, paths, deal.seed, options)
    command += " --strict" * strict + " --no-clock" * no_clock
    command = " ".join([command, *sandbox_arguments(level, network=network)])
    pin_to_core(os.getpid())
    quiet = as_json or renderer or not console.is_terminal
    on_step = step_printer(renderer, speed) if renderer else None
    try:
        with nullcontext() if quiet else console.status("the bots are playing"):
            record = play_game(game, bots, deal, config, on_step=on_step, logs=logs).record
    except KeyboardInterrupt:
        print_repeat_command(console, command)
        raise
    if renderer and record.stopped:
        renderer.print_aborted(record.faults)
    if file:
        write_record(file, record)
    if as_json:
        click.echo(to_json(record))
    else:
        if not renderer:
            print_summary(console, record)
        show_faults(console, [bot.name for bot in bots], record.faults)
        print_repeat_command(console, command)
    if record.faults:
        sys.exit(1)


def step_printer(renderer: GameRenderer, speed: float) -> StepCallback:
    """A callback that prints every step of the game, with pauses on a terminal."""

    def show(game: LiveGame, step: Step) -> None:
        shown = renderer.show_step(step, notes=game.notes, faults=game.faults, wall=game.wall)
        if shown and renderer.printer.is_live:
            time.sleep(pause_seconds(step, speed))

    return show


def parse_seats(seats: str | None, count: int) -> list[int]:
    """For each seat, the index of its bot on the command line."""
    if seats is None:
        return list(range(count))
    try:
        order = [int(seat) for seat in seats.split(",")]
    except ValueError:
        order = []
    if sorted(order) != list(range(count)):
        usual = ",".join(map(str, range(count)))
        raise ArenaError(f"--seats {seats} does not seat {count} bots; name each once: {usual}")
    return [order.index(seat) for seat in range(count)]


def repeat_command(
    name: str, paths: Sequence[str], seed: int, options: dict[str, str | None]
) -> str:
    """The command that repeats the game."""
    words = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join(["arena", "play", name, *paths, "--seed", str(seed), *words])


def print_repeat_command(console: Console, command: str) -> None:
    """Print the command that repeats the game."""
    console.print(Text.assemble("\nAgain: ", (printable(command), "bold")), soft_wrap=True)


def print_summary(console: Console, record: Record) -> None:
    """Print how the game ended."""
    decisions = len(record.choices)
    console.print(
        Text.assemble(
            safe_text(record.variant, "bold"),
            f", {record.seats} seats, {decisions} decisions"
            + (", stopped at a fault" if record.stopped else ""),
        )
    )
    console.print(standings_table(record))


def standings_table(record: Record) -> Grid:
    """The bots from first to last."""
    table = Grid(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    for column in ("rank", "seat", "bot", "score", "ms a decision", "slowest", "faults"):
        is_name = column == "bot"
        table.add_column(column, justify="left" if is_name else "right", no_wrap=is_name)
    times: list[list[int]] = [[] for _ in range(record.seats)]
    for seat, spent in zip(deciders(record), record.cpu, strict=True):
        times[seat].append(spent)
    for seat in sorted(range(record.seats), key=lambda seat: (record.ranks[seat], seat)):
        seat_times = times[seat] or [0]
        faults = sum(fault.seat == seat for fault in record.faults)
        table.add_row(
            str(record.ranks[seat]),
            str(seat),
            safe_text(record.bots[seat].name),
            str(record.scores[seat]),
            f"{sum(seat_times) / len(seat_times) / 1000:.2f}",
            f"{max(seat_times) / 1000:.2f}",
            Text(str(faults), "red" if faults else ""),
        )
    return table
