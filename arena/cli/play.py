"""`arena play`: one game between bots."""

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

from arena.bots.affinity import pin
from arena.bots.bot import find
from arena.bots.launcher import Launcher
from arena.bots.sandbox.level import Level
from arena.cli.completion import bot_names, variant_names
from arena.cli.conversations import Conversations
from arena.cli.limits import clock_option
from arena.cli.output import Screen
from arena.cli.untrusted import printable, safe, to_json
from arena.cli.verdict import show_faults
from arena.cli.viewing.scene import Scene
from arena.cli.viewing.tempo import pause, speed_option
from arena.cli.walls import given, sandbox_options, workshop
from arena.errors import ArenaError
from arena.games.catalog import variant
from arena.games.replay import Step
from arena.match.faults import Policy
from arena.match.record import Record, Stopped, deciders
from arena.match.referee import Played, Referee, Watch
from arena.match.table import Deal, Table
from arena.match.terms import Terms
from arena.protocol.messages import LARGEST, Limits
from arena.report.reproduction import timed


@click.command(short_help="Play one game between bots.")
@click.argument("name", metavar="VARIANT", shell_complete=variant_names)
@click.argument(
    "paths", metavar="BOT BOT BOT...", nargs=-1, required=True, shell_complete=bot_names
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
    level: Level | None,
    network: bool,
) -> None:
    """Play one game of VARIANT between bots, as many as there are seats.

    A BOT is a folder with bot.yaml, a script or a program; it may be named more than once. With
    --seed the game can be repeated exactly, if the bots are deterministic. The exit status is 1 if
    a bot was at fault.
    """
    game = variant(name).game(len(paths))
    shop = workshop(level, network=network)
    found = [find(path, shop) for path in paths]
    bots = [found[place] for place in seating(seats, len(paths))]
    deal = Deal(secrets.randbelow(LARGEST) if seed is None else seed, turn=turn)
    writable(file)
    console = Screen()
    scene = None
    if watch and not as_json:
        scene = Scene(console, [bot.name for bot in bots], live=True)
    talk = Conversations(logs, bots) if logs else None
    terms = Terms(
        limits=None if no_clock else limits,
        policy=Policy.STRICT if strict else Policy.STAND_IN,
        sandbox=shop.sandbox,
    )
    options = {"--turn": str(turn or ""), "--seats": seats, "--clock": timed(limits)}
    command = again(name, paths, deal.seed, options)
    command += " --strict" * strict + " --no-clock" * no_clock
    command = " ".join([command, *given(level, network=network)])
    pin(os.getpid())
    quiet = as_json or scene or not console.is_terminal
    busy = nullcontext() if quiet else console.status("the bots are playing")
    with Launcher(terms.sandbox) as launcher, busy:
        referee = Referee(
            game,
            bots,
            launcher,
            terms,
            watch=watcher(scene, speed) if scene else None,
            tap=talk.tap if talk else None,
        )
        try:
            (played,) = referee.play([deal])
        except Stopped as stopped:
            played = Played(1, stopped.record, stopped.stderr, ())
            if scene:
                scene.broken_off(stopped.record.faults)
        except KeyboardInterrupt:
            say_again(console, command)
            raise
        finally:
            if talk:
                talk.close()
    record = played.record
    if file:
        write(file, record)
    if talk:
        talk.write_stderr(played.stderr)
    if as_json:
        click.echo(to_json(record))
    else:
        if not scene:
            summary(console, record)
        show_faults(console, [bot.name for bot in bots], record.faults)
        say_again(console, command)
    if record.faults:
        sys.exit(1)


def watcher(scene: Scene, speed: float) -> Watch:
    """Shows every step of the game, on a terminal no faster than a person can follow."""

    def show(table: Table, step: Step) -> None:
        shown = scene.show(step, notes=table.notes, faults=table.faults, wall=table.wall)
        if shown and scene.stage.live:
            time.sleep(pause(step, speed))

    return show


def seating(seats: str | None, count: int) -> list[int]:
    """For each seat, the place of its bot on the command line."""
    if seats is None:
        return list(range(count))
    try:
        wanted = [int(seat) for seat in seats.split(",")]
    except ValueError:
        wanted = []
    if sorted(wanted) != list(range(count)):
        usual = ",".join(map(str, range(count)))
        raise ArenaError(f"--seats {seats} does not seat {count} bots; name each once: {usual}")
    return [wanted.index(seat) for seat in range(count)]


def writable(file: Path | None) -> None:
    """Make sure before the game that its record can be written."""
    if file and not file.absolute().parent.is_dir():
        raise ArenaError(f"{file}: there is no folder {file.parent}; make it first")


def write(file: Path, record: Record) -> None:
    """Write a record into a file of its own."""
    try:
        file.write_text(to_json(record) + "\n", encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{file}: the record cannot be written: {error.strerror}") from error


def again(name: str, paths: Sequence[str], seed: int, options: dict[str, str | None]) -> str:
    """The command that plays the same game again."""
    given = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join(["arena", "play", name, *paths, "--seed", str(seed), *given])


def say_again(console: Console, command: str) -> None:
    """Print that command, to be copied."""
    console.print(Text.assemble("\nAgain: ", (printable(command), "bold")), soft_wrap=True)


def summary(console: Console, record: Record) -> None:
    """How the game ended, for a person to read."""
    decisions = len(record.choices)
    console.print(
        Text.assemble(
            safe(record.variant, "bold"),
            f", {record.seats} seats, {decisions} decisions"
            + (", stopped at a fault" if record.stopped else ""),
        )
    )
    console.print(standings(record))


def standings(record: Record) -> Grid:
    """The bots from first to last."""
    table = Grid(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    for column in ("rank", "seat", "bot", "score", "ms a decision", "slowest", "faults"):
        bot = column == "bot"
        table.add_column(column, justify="left" if bot else "right", no_wrap=bot)
    times: list[list[int]] = [[] for _ in range(record.seats)]
    for seat, spent in zip(deciders(record), record.cpu, strict=True):
        times[seat].append(spent)
    for seat in sorted(range(record.seats), key=lambda seat: (record.ranks[seat], seat)):
        own = times[seat] or [0]
        faults = sum(fault.seat == seat for fault in record.faults)
        table.add_row(
            str(record.ranks[seat]),
            str(seat),
            safe(record.bots[seat].name),
            str(record.scores[seat]),
            f"{sum(own) / len(own) / 1000:.2f}",
            f"{max(own) / 1000:.2f}",
            Text(str(faults), "red" if faults else ""),
        )
    return table
