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
from arena.bots.bot import Bot, load_bot
from arena.bots.launcher import Launcher
from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.completion import bot_names, variant_names
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
from arena.referee.connection import FROM_BOT
from arena.referee.faults import FaultPolicy
from arena.referee.live_game import Deal, LiveGame
from arena.referee.record import GameStopped, Record, deciders
from arena.referee.referee import FinishedGame, Referee, StepCallback
from arena.report.data.faults import clock_argument
from arena.sanitize import escape_unprintable, printable, safe_file_name, to_json


class ConversationLogs:
    """A folder with two files for each seat: `seat0-NAME.talk` and `seat0-NAME.stderr`.

    Characters that are not printable are escaped as in JSON.
    """

    def __init__(self, folder: Path, bots: Sequence[Bot]) -> None:
        self.folder = folder
        self.stems = [
            folder / f"seat{seat}-{safe_file_name(bot.name)}" for seat, bot in enumerate(bots)
        ]
        self.partial = [b""] * len(bots)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for stem in self.stems:
                Path(f"{stem}.stderr").write_bytes(b"")
            self.files = [Path(f"{stem}.talk").open("wb", 0) for stem in self.stems]  # noqa: SIM115 (until close)
        except OSError as error:
            raise self.write_error(error) from error

    def write_lines(self, seat: int, direction: str, lines: bytes) -> None:
        """Write what a seat was sent, after `>`, or what it answered, after `<`."""
        if direction == FROM_BOT:
            *whole, self.partial[seat] = (self.partial[seat] + lines).split(b"\n")
        else:
            whole = lines.split(b"\n")[:-1]
        sign = direction.encode()
        try:
            self.files[seat].write(
                b"".join(b"%s %s\n" % (sign, escape_line(line)) for line in whole)
            )
        except OSError as error:
            raise self.write_error(error) from error

    def close(self) -> None:
        """Write the line that a bot has not ended, and close the files."""
        for file, rest in zip(self.files, self.partial, strict=True):
            with file:
                if rest:
                    file.write(b"%s %s\n" % (FROM_BOT.encode(), escape_line(rest)))

    def write_stderr(self, texts: Sequence[str]) -> None:
        """Write what the bots wrote to stderr in the game."""
        try:
            for stem, text in zip(self.stems, texts, strict=True):
                Path(f"{stem}.stderr").write_bytes(
                    b"\n".join(map(escape_line, text.encode().split(b"\n")))
                )
        except OSError as error:
            raise self.write_error(error) from error

    def write_error(self, error: OSError) -> ArenaError:
        """The error for a disk that is full or not writable."""
        return ArenaError(f"{self.folder}: logs cannot be written: {error.strerror}")


def escape_line(line: bytes) -> bytes:
    """A line that is safe to print in a terminal; tabs stay."""
    if line.isascii() and line.decode().isprintable():
        return line
    parts = line.decode(errors="backslashreplace").split("\t")
    return "\t".join(map(escape_unprintable, parts)).encode()


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
    given = [load_bot(path, builds) for path in paths]
    bots = [given[place] for place in parse_seats(seats, len(paths))]
    deal = Deal(secrets.randbelow(MAX_SAFE_INTEGER) if seed is None else seed, turn=turn)
    check_writable(file)
    console = SafeConsole()
    renderer = None
    if watch and not as_json:
        renderer = GameRenderer(console, [bot.name for bot in bots], live=True)
    log_files = ConversationLogs(logs, bots) if logs else None
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
    busy = nullcontext() if quiet else console.status("the bots are playing")
    with Launcher(config.sandbox) as launcher, busy:
        referee = Referee(
            game,
            bots,
            launcher,
            config,
            on_step=step_printer(renderer, speed) if renderer else None,
            on_traffic=log_files.write_lines if log_files else None,
        )
        try:
            (finished,) = referee.play([deal])
        except GameStopped as stopped:
            finished = FinishedGame(1, stopped.record, stopped.stderr, ())
            if renderer:
                renderer.print_broken_off(stopped.record.faults)
        except KeyboardInterrupt:
            print_repeat_command(console, command)
            raise
        finally:
            if log_files:
                log_files.close()
    record = finished.record
    if file:
        write_record(file, record)
    if log_files:
        log_files.write_stderr(finished.stderr)
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
    """For each seat, the place of its bot on the command line."""
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


def check_writable(file: Path | None) -> None:
    """Raise an error before the game if the folder of its record does not exist."""
    if file and not file.absolute().parent.is_dir():
        raise ArenaError(f"{file}: there is no folder {file.parent}; make it first")


def write_record(file: Path, record: Record) -> None:
    """Write a record into a new file."""
    try:
        file.write_text(to_json(record) + "\n", encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{file}: the record cannot be written: {error.strerror}") from error


def repeat_command(
    name: str, paths: Sequence[str], seed: int, options: dict[str, str | None]
) -> str:
    """The command that repeats the game."""
    given = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join(["arena", "play", name, *paths, "--seed", str(seed), *given])


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
        own = times[seat] or [0]
        faults = sum(fault.seat == seat for fault in record.faults)
        table.add_row(
            str(record.ranks[seat]),
            str(seat),
            safe_text(record.bots[seat].name),
            str(record.scores[seat]),
            f"{sum(own) / len(own) / 1000:.2f}",
            f"{max(own) / 1000:.2f}",
            Text(str(faults), "red" if faults else ""),
        )
    return table
