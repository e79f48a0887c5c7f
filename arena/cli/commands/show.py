"""The command `arena show`: print everything stored about one game."""

import shlex
from pathlib import Path

import click
from msgspec import Struct
from rich.console import Console
from rich.text import Text

from arena.cli.commands import play, replay
from arena.cli.commands.games import game_line, shortest_path
from arena.cli.completion import run_names
from arena.cli.faults_view import STDERR_LINES, show_faults
from arena.cli.find_run import find_folder
from arena.cli.game_view.story import Excerpt
from arena.cli.options import speed_option
from arena.cli.output import SafeConsole, print_json, print_labelled, print_paragraph
from arena.errors import BadRecord
from arena.referee.record import Record, replay_steps
from arena.report.data.faults import play_command
from arena.sanitize import printable
from arena.store.block import unpack_games
from arena.store.reading import Session
from arena.store.run import Run
from arena.store.search import GameRow, game_id


class ShownGame(Struct, frozen=True):
    """A game with everything that the run has stored about it, as `--json` prints it."""

    id: str
    block: str
    """The key of its block, in hexadecimal digits."""
    number: int
    """The number of the block among those of its table and variant."""
    session: Session | None
    """The session in which it was played."""
    games: tuple[GameRow, ...]
    """All games of its block: the same deal in other seatings."""
    record: Record
    stderr: tuple[str, ...]
    again: str
    """The command that repeats it."""


@click.command(short_help="Show one game of a run.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=run_names)
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
    with Run.open(find_folder(run)) as opened:
        found = load_game(opened, game)
    if file:
        play.check_writable(file)
        play.write_record(file, found.record)
    if as_json:
        print_json(found)
    elif watch:
        steps = tuple(replay_steps(found.record))
        replay.print_game(replay.SavedGame(found.record, 1, 1, steps, Excerpt(), None), speed)
    else:
        print_game(SafeConsole(), found, run, file)


def load_game(run: Run, game: str) -> ShownGame:
    """Read everything about a game."""
    key, turn = run.find_game(game)
    block = run.block(key)
    stored = unpack_games(block.kept)
    if turn >= len(stored) or len(block.results) != len(stored):
        raise BadRecord(f"game {game_id(key, turn)} is not whole; see arena verify")
    games = tuple(
        GameRow(
            id=game_id(key, number),
            variant=block.variant,
            seats=block.seats,
            number=block.number,
            seed=block.seed,
            bots=tuple(block.bots[place] for place in result.seating),
            scores=result.scores,
            ranks=result.ranks,
            points=result.points,
            faults=result.faults,
            decisions=result.decisions,
            cpu=result.cpu,
        )
        for number, result in enumerate(block.results)
    )
    session = run.session_of(key)
    level = session.sandbox if session else None
    return ShownGame(
        id=game_id(key, turn),
        block=key.hex(),
        number=block.number,
        session=session,
        games=games,
        record=stored[turn].record,
        stderr=stored[turn].stderr,
        again=play_command(
            run.header,
            block.variant,
            games[turn].bots,
            block.seed,
            turn,
            level,
            format_path=shortest_path,
        ),
    )


def print_game(console: Console, found: ShownGame, run: Path, file: Path | None) -> None:
    """Print a game for a person."""
    record = found.record
    console.print(
        Text.assemble("game ", (found.id, "bold"), f", deal {record.seed}, block {found.number}")
    )
    play.print_summary(console, record)
    if found.session:
        session = found.session
        print_paragraph(
            console,
            f"Played in a session that began at {session.began}, with arena {session.package}, "
            f"code {session.code}, Python {session.python}"
            + (f", sandbox {session.sandbox}." if session.sandbox else "."),
            style="dim",
        )
    names = [bot.name for bot in record.bots]
    show_faults(console, names, record.faults)
    print_stderr(console, names, found.stderr)
    if record.notes:
        console.print()
        for place, note in record.notes.items():
            print_labelled(console, f"choice {place}", note, "dim")
    print_block(console, found)
    print_commands(console, found, run, file)


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


def print_block(console: Console, found: ShownGame) -> None:
    """Print the games of the same deal in other seatings."""
    others = [game for game in found.games if game.id != found.id]
    if others:
        width = max(len(printable(name)) for name in others[0].bots)
        console.print("\nThe same deal in other seatings")
        for game in others:
            console.print(Text.from_ansi(f"  {game_line(game, width)}"), soft_wrap=True)


def print_commands(console: Console, found: ShownGame, run: Path, file: Path | None) -> None:
    """Print commands that watch, record, replay or repeat the game."""
    words = ["arena", "show", str(run), found.id]
    commands = [("Watch:", shlex.join([*words, "--watch"]))]
    if file:
        commands.append(("Replay:", shlex.join(["arena", "replay", str(file)])))
    else:
        commands.append(("Record:", shlex.join([*words, "--record", f"{found.id}.jsonl"])))
    commands.append(("Again:", found.again))
    console.print()
    for title, command in commands:
        console.print(Text.assemble(f"{title:<8}", (printable(command), "bold")), soft_wrap=True)
