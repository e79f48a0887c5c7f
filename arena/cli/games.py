"""`arena games`: the games of a run, or its faults, one after another."""

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

from arena.cli.completion import run_names, variant_names
from arena.cli.grid import cut as shortened
from arena.cli.lookup import find
from arena.cli.untrusted import printable, safe, to_json
from arena.errors import ArenaError
from arena.games.catalog import variant as variant_of
from arena.printable import LONGEST, short
from arena.report.reproduction import reproduction
from arena.store.header import Header
from arena.store.listing import Faulted, Game
from arena.store.run import Run

WIDEST = 24
"""Columns for a bot's name; longer ones push the rest aside."""
LONGEST_NAME = 40
"""Columns of a name that are shown: as many as a tournament lets it have."""

ON_SCREEN = 50
"""Lines for a person who has not said how many."""

SHORTEST = 20
"""Columns that the text of a fault has, however narrow the terminal is."""

T = TypeVar("T")


@click.command(short_help="List the games of a run, or its faults.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=run_names)
@click.option("--bot", metavar="BOT", help="Only games of this bot; with --fault only its faults.")
@click.option("--fault", is_flag=True, help="Only faults: each one, and how to see it again.")
@click.option(
    "--variant", metavar="VARIANT", shell_complete=variant_names, help="Only this variant."
)
@click.option("--seats", type=int, metavar="N", help="Only tables of this size.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"At most so many; 0: all. On a terminal {ON_SCREEN} if nothing is said, else all.",
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
    folder = find(run)
    if limit is None:
        limit = ON_SCREEN if sys.stdout.isatty() and not as_json else 0
    if variant is not None:
        variant = variant_of(variant).name
    with Run.open(folder) as opened:
        header = opened.header
        if bot is not None:
            check_bot(header, bot)
        if fault:
            faults = opened.faults(bot=bot, variant=variant, seats=seats)
            levels = {session.sandbox for session in opened.sessions()}
            level = levels.pop() if len(levels) == 1 else None
            lines = fault_lines(cut(faults, limit), header, run, level, as_json=as_json)
        else:
            found = opened.games(bot=bot, variant=variant, seats=seats)
            lines = game_lines(cut(found, limit), header, as_json=as_json)
        count = 0
        for count, line in enumerate(lines, 1):  # noqa: B007 (it is counted)
            click.echo(line)
    if not as_json:
        say_how_many(count, limit, "fault" if fault else "game")


def check_bot(header: Header, name: str) -> None:
    """Refuse a bot that is not in the run."""
    names = [bot.name for bot in header.bots]
    if name not in names:
        near = get_close_matches(name, names, n=1)
        told = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise ArenaError(f"no bot {name!r} plays in this run; {told}")


def cut(found: Iterator[T], limit: int) -> Iterable[T]:
    """At most so many."""
    return islice(found, limit) if limit else found


def say_how_many(count: int, limit: int, what: str) -> None:
    """Say aside that there is nothing, or that there may be more."""
    if not count:
        click.echo(f"no {what}s", err=True)
    elif count == limit:
        click.echo(f"the first {count} {what}s; --limit 0 shows all", err=True)


def game_lines(found: Iterable[Game], header: Header, *, as_json: bool) -> Iterator[str]:
    """Games, each on a line."""
    width = min(WIDEST, max((len(printable(bot.name)) for bot in header.bots), default=0))
    for game in found:
        yield to_json(game) if as_json else game_line(game, width)


def game_line(game: Game, width: int) -> str:
    """A game: its id, for each seat rank, bot and score, its variant, and who was at fault."""
    seats = zip(game.bots, game.scores, game.ranks, game.faults, strict=True)
    seated = "  ".join(seat(*one, width) for one in seats)
    guilty = ", ".join(
        f"{named(name)} {faults}"
        for name, faults in zip(game.bots, game.faults, strict=True)
        if faults
    )
    told = click.style(f"  faults: {guilty}", fg="red") if guilty else ""
    return f"{game.id:<13} {seated}  {printable(game.variant)}{told}"


def named(bot: str, width: int = LONGEST_NAME) -> str:
    """A text that a stranger wrote, cut if it is longer."""
    return shortened(safe(bot), width).plain


def seat(name: str, score: int, rank: int, faults: int, width: int) -> str:
    """Who sits there, and what came of it."""
    text = f"{rank}. {named(name):<{width}} {score:>4}"
    return click.style(text, fg="red") if faults else text


def fault_lines(
    found: Iterable[Faulted], header: Header, run: Path, level: str | None, *, as_json: bool
) -> Iterator[str]:
    """Faults, each with the commands that show it and play it again."""
    on_screen = sys.stdout.isatty()
    for fault in found:
        show = shlex.join(["arena", "show", str(run), fault.game])
        again = reproduction(
            header, fault.variant, fault.bots, fault.seed, fault.turn, level, typed=nearest
        )
        if as_json:
            told = {**msgspec.structs.asdict(fault), "show": show, "again": again}
            yield to_json(told)
            continue
        kind = click.style(fault.fault, fg="red")
        where = f"{fault.game}  {printable(fault.variant)}  {named(fault.bot)}, seat {fault.seat}: "
        room = get_terminal_size().columns - cell_len(f"{where}{fault.fault}: ")
        text = named(short(fault.text), max(SHORTEST, room) if on_screen else LONGEST)
        yield (f"{where}{kind}: {text}\n    {printable(show)}\n    {printable(again)}")


def nearest(path: str) -> str:
    """A path as it is best typed here."""
    if not Path(path).is_absolute():
        return path
    relative = os.path.relpath(path)
    return relative if len(relative) < len(path) else path
