"""The command `arena games`: list the games or the faults of a run."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from shutil import get_terminal_size
from typing import TypeVar

import click
import msgspec
from rich.cells import cell_len

from arena.cli.completion import complete_run, complete_variant
from arena.cli.find_run import find_run_folder
from arena.cli.grid import shorten
from arena.cli.output import safe_text
from arena.errors import ArenaError
from arena.games import catalog
from arena.sanitize import MAX_TEXT, cut_middle, printable, to_json
from arena.store.header import RunHeader
from arena.store.play_command import play_command
from arena.store.run import Run
from arena.store.search import FaultRow, GameRow

NAME_WIDTH = 24
"""Columns for a bot's name; longer ones push the rest aside."""
MAX_NAME_WIDTH = 40
"""The longest name that a tournament allows."""

TERMINAL_LIMIT = 50
"""Lines on a terminal if there is no --limit."""

MIN_TEXT_WIDTH = 20
"""Columns of the text of a fault, however narrow the terminal is."""

T = TypeVar("T")


@click.command(short_help="List the games of a run, or its faults.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=complete_run)
@click.option("--bot", metavar="BOT", help="Only games of this bot; with --fault only its faults.")
@click.option("--fault", is_flag=True, help="Only faults: each one, and how to see it again.")
@click.option(
    "--variant", metavar="VARIANT", shell_complete=complete_variant, help="Only this variant."
)
@click.option("--seats", type=int, metavar="N", help="Only tables of this size.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"At most so many; 0: all. On a terminal {TERMINAL_LIMIT} if nothing is said, else all.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on each line, for programs.")
def games(  # noqa: PLR0913 (one for each option)
    *,
    run: Path,
    bot: str | None,
    fault: bool,
    variant: str | None,
    seats: int | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """List the games of RUN in the order of their ids: rank, bot and score, seat by seat.

    RUN is the folder of a run, or its name if it is in runs/. Games of one deal have ids that
    begin alike. `arena show RUN GAME` shows more of a game.
    """
    folder = find_run_folder(run)
    if limit is None:
        limit = TERMINAL_LIMIT if sys.stdout.isatty() and not as_json else 0
    if variant is not None:
        variant = catalog.variant(variant).name
    with Run.open(folder) as opened:
        header = opened.header
        if bot is not None:
            check_bot(header, bot)
        if fault:
            faults = opened.faults(bot=bot, variant=variant, seats=seats)
            levels = {session.sandbox for session in opened.sessions()}
            level = levels.pop() if len(levels) == 1 else None
            lines = fault_lines(take_first(faults, limit), header, run, level, as_json=as_json)
        else:
            matching = opened.games(bot=bot, variant=variant, seats=seats)
            lines = game_lines(take_first(matching, limit), header, as_json=as_json)
        count = 0
        for line in lines:
            click.echo(line)
            count += 1
    if not as_json:
        print_count(count, limit, "fault" if fault else "game")


def check_bot(header: RunHeader, name: str) -> None:
    """Refuse a bot that is not in the run."""
    names = [bot.name for bot in header.bots]
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise ArenaError(f"no bot {name!r} plays in this run; {hint}")


def take_first(rows: Iterator[T], limit: int) -> Iterable[T]:
    """The first items, or all if the limit is 0."""
    return islice(rows, limit) if limit else rows


def print_count(count: int, limit: int, noun: str) -> None:
    """Print to stderr that nothing was found, or that there may be more."""
    if not count:
        click.echo(f"no {noun}s", err=True)
    elif count == limit:
        click.echo(f"the first {count} {noun}s; --limit 0 shows all", err=True)


def game_lines(rows: Iterable[GameRow], header: RunHeader, *, as_json: bool) -> Iterator[str]:
    """Games, one in each line."""
    width = min(NAME_WIDTH, max((len(printable(bot.name)) for bot in header.bots), default=0))
    for game in rows:
        yield to_json(game) if as_json else game_line(game, width)


def game_line(game: GameRow, width: int) -> str:
    """A game: its id, the rank, bot and score of each seat, its variant, and the faults."""
    seats = zip(game.bots, game.scores, game.ranks, game.faults, strict=True)
    results = "  ".join(seat_text(*seat, width) for seat in seats)
    faulty = ", ".join(
        f"{short_name(name)} {faults}"
        for name, faults in zip(game.bots, game.faults, strict=True)
        if faults
    )
    fault_list = click.style(f"  faults: {faulty}", fg="red") if faulty else ""
    return f"{game.id:<13} {results}  {printable(game.variant)}{fault_list}"


def short_name(bot: str, width: int = MAX_NAME_WIDTH) -> str:
    """The name of a bot, or another untrusted text, shortened to this width."""
    return shorten(safe_text(bot), width).plain


def seat_text(name: str, score: int, rank: int, faults: int, width: int) -> str:
    """The rank, bot and score of a seat."""
    text = f"{rank}. {short_name(name):<{width}} {score:>4}"
    return click.style(text, fg="red") if faults else text


def fault_lines(
    rows: Iterable[FaultRow], header: RunHeader, run: Path, level: str | None, *, as_json: bool
) -> Iterator[str]:
    """Faults, each with the commands that show its game and repeat it."""
    on_terminal = sys.stdout.isatty()
    for fault in rows:
        show = shlex.join(["arena", "show", str(run), fault.game])
        again = play_command(
            header,
            fault.variant,
            fault.bots,
            fault.seed,
            fault.turn,
            level,
            format_path=shortest_path,
        )
        if as_json:
            yield to_json({**msgspec.structs.asdict(fault), "show": show, "again": again})
            continue
        kind = click.style(fault.fault, fg="red")
        where = (
            f"{fault.game}  {printable(fault.variant)}  {short_name(fault.bot)}, seat "
            f"{fault.seat}: "
        )
        room = get_terminal_size().columns - cell_len(f"{where}{fault.fault}: ")
        text = short_name(
            cut_middle(fault.text), max(MIN_TEXT_WIDTH, room) if on_terminal else MAX_TEXT
        )
        yield f"{where}{kind}: {text}\n    {printable(show)}\n    {printable(again)}"


def shortest_path(path: str) -> str:
    """The shorter of the absolute and the relative form of a path."""
    if not Path(path).is_absolute():
        return path
    relative = os.path.relpath(path)
    return relative if len(relative) < len(path) else path
