"""The command `arena show`: print everything stored about one game."""

import shlex
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from arena.cli.commands import play, replay
from arena.cli.commands.games import game_line, shortest_path
from arena.cli.completion import complete_run
from arena.cli.faults_view import STDERR_LINES, show_faults
from arena.cli.find_run import find_run_folder
from arena.cli.options import speed_option
from arena.cli.output import SafeConsole, print_json, print_labelled, print_paragraph
from arena.referee.record import check_folder, replay_steps, write_record
from arena.report.data.game_details import GameDetails, load_game_details
from arena.sanitize import printable
from arena.store.run import Run


@click.command(short_help="Show one game of a run.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=complete_run)
@click.argument("game")
@click.option(
    "--record",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write its record into this file, for arena replay and arena verify.",
)
@click.option("--watch", is_flag=True, help="Card by card, as if it were played now.")
@speed_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def show(  # noqa: PLR0913 (one for each option)
    *, run: Path, game: str, file: Path | None, watch: bool, speed: float, as_json: bool
) -> None:
    """Show everything that is kept of a GAME of RUN, and how to watch it and play it again.

    GAME is an id that `arena games RUN` lists; its first digits are enough if no other begins so.
    """
    with Run.open(find_run_folder(run)) as opened:
        details = load_game_details(opened, game, format_path=shortest_path)
    if file:
        check_folder(file)
        write_record(file, details.record)
    if as_json:
        print_json(details)
    elif watch:
        replay.print_game(details.record, tuple(replay_steps(details.record)), speed)
    else:
        print_game(SafeConsole(), details, run, file)


def print_game(console: Console, details: GameDetails, run: Path, file: Path | None) -> None:
    """Print a game for a person."""
    record = details.record
    deal = f", deal {record.seed}, block {details.number}"
    console.print(Text.assemble("game ", (details.id, "bold"), deal))
    play.print_summary(console, record)
    if details.session:
        session = details.session
        print_paragraph(
            console,
            f"Played in a session that began at {session.began}, with arena {session.package}, "
            f"code {session.code}, Python {session.python}"
            + (f", sandbox {session.sandbox}." if session.sandbox else "."),
            style="dim",
        )
    names = [bot.name for bot in record.bots]
    show_faults(console, names, record.faults)
    print_stderr(console, names, details.stderr)
    if record.notes:
        console.print()
        for place, note in record.notes.items():
            print_labelled(console, f"choice {place}", note, "dim")
    print_block(console, details)
    print_commands(console, details, run, file)


def print_stderr(console: Console, names: list[str], stderr: tuple[str, ...]) -> None:
    """Print the end of each bot's stderr, where the run has stored it."""
    for seat, text in enumerate(stderr):
        lines = text.splitlines()
        if lines:
            omitted = (
                f", the last {STDERR_LINES} of {len(lines)} lines"
                if len(lines) > STDERR_LINES
                else ""
            )
            console.print(f"\nstderr of {printable(names[seat])}, seat {seat}{omitted}")
            for line in lines[-STDERR_LINES:]:
                print_labelled(console, "", line)


def print_block(console: Console, details: GameDetails) -> None:
    """Print the games of the same deal in other seatings."""
    others = [game for game in details.games if game.id != details.id]
    if others:
        width = max(len(printable(name)) for name in others[0].bots)
        console.print("\nThe same deal in other seatings")
        for game in others:
            console.print(Text.from_ansi(f"  {game_line(game, width)}"), soft_wrap=True)


def print_commands(console: Console, details: GameDetails, run: Path, file: Path | None) -> None:
    """Print commands that watch, record, replay or repeat the game."""
    words = ["arena", "show", str(run), details.id]
    commands = [("Watch:", shlex.join([*words, "--watch"]))]
    if file:
        commands.append(("Replay:", shlex.join(["arena", "replay", str(file)])))
    else:
        commands.append(("Record:", shlex.join([*words, "--record", f"{details.id}.jsonl"])))
    commands.append(("Again:", details.again))
    console.print()
    for title, command in commands:
        console.print(Text.assemble(f"{title:<8}", (printable(command), "bold")), soft_wrap=True)
