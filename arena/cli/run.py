"""`arena run`: a tournament is played, on all cores, and never from the beginning twice."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from arena.cli import ranking
from arena.cli.main import SIGNALLED
from arena.cli.output import Screen, print_json
from arena.cli.progress import Display, Lines, Picture, Silence, Warnings, clock, count
from arena.cli.untrusted import printable
from arena.tournaments.config import Tournament, load
from arena.tournaments.halt import Halt
from arena.tournaments.journal import journal
from arena.tournaments.local import Local, cores
from arena.tournaments.observer import Observer, look
from arena.tournaments.opening import Opened, code, open_run
from arena.tournaments.plan import Plan
from arena.tournaments.run import Ended, Sitting

RUNS = Path("runs")


@click.command(short_help="Play a tournament.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The run's folder; by default runs/ and the tournament's name.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Cores to play on; by default all.")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, only what came of it.")
@click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON at the end.")
def run(*, file: Path, out: Path | None, workers: int | None, quiet: bool, as_json: bool) -> None:
    """Play the tournament that FILE describes, and keep every game in a folder.

    The same command goes on where it was interrupted: only what is missing is played. Ctrl-C once
    finishes what is being played, twice drops it; nothing that was kept is ever lost.
    """
    tournament = load(file)
    folder = out or RUNS / tournament.name
    command = ["arena", "run", str(file)]
    command += ["--out", str(out)] if out else []
    command += ["--workers", str(workers)] if workers else []
    ended, halt = play(tournament, folder, workers, quiet=quiet, aside=as_json)
    finish(ended, folder, shlex.join(command), aside=as_json)
    if as_json:
        print_json(look(folder))
    leave(ended, halt)


def play(
    tournament: Tournament, folder: Path, workers: int | None, *, quiet: bool, aside: bool
) -> tuple[Ended, Halt]:
    """Play what is missing of a tournament; progress is shown aside if the output is for others."""
    console = screen(aside=aside)
    workers = workers or tournament.workers or cores()
    with ExitStack() as stack:
        opened = open_run(tournament, folder)
        kept = stack.enter_context(opened.run)
        stack.enter_context(journal(folder, Warnings(console)))
        plan = Plan(tournament, kept.header.seed)
        halt = stack.enter_context(Halt())
        if not quiet:
            introduce(console, opened, plan, workers)
        backend = stack.enter_context(Local(workers, tournament.bots, tournament.terms))
        kept.session(code(), workers)
        display = stack.enter_context(watching(console, tournament.name, folder, quiet=quiet))
        sitting = Sitting(plan, kept, backend, halt, display.show)
        return sitting.play(), halt


@contextmanager
def watching(console: Console, name: str, folder: Path, *, quiet: bool) -> Iterator[Display]:
    """What shows the progress: a picture on a terminal, else a line now and then, or nothing."""
    with ExitStack() as stack:
        if quiet:
            yield stack.enter_context(Silence())
        elif console.is_terminal:
            observer = stack.enter_context(Observer(folder))
            yield stack.enter_context(Picture(console, name, observer.standings))
        else:
            yield stack.enter_context(Lines(lambda line: console.print(line, soft_wrap=True)))


def introduce(console: Console, opened: Opened, plan: Plan, workers: int) -> None:
    """What is going to be played."""
    tournament, totals, header = plan.tournament, plan.totals, opened.run.header
    console.print(
        Text.assemble(
            (header.name, "bold"),
            f": {count(len(tournament.bots), 'bot')}, {count(totals.tables, 'table')}, "
            f"{count(totals.blocks, 'block')}, {count(totals.games, 'game')}, "
            f"on {count(workers, 'core')}, into {printable(str(opened.run.folder))}",
        ),
        soft_wrap=True,
    )
    if opened.new:
        console.print(f"The deals are bound by the commitment\n  {header.commitment}")
        for note in tournament.notes:
            console.print(Text(note, "yellow"), soft_wrap=True)
    for change in opened.changes:
        console.print(f"Since the last time: {printable(change)}", markup=False, soft_wrap=True)


def finish(ended: Ended, folder: Path, command: str, *, aside: bool = False) -> None:
    """Say what came of it, and show the standings."""
    console = screen(aside=aside)
    say_how_it_ended(console, ended, folder, command)
    standings = look(folder)
    if not aside and standings.overall.lines:
        console.print()
        ranking.show(console, standings, standings.overall)


def leave(ended: Ended, halt: Halt) -> None:
    """End with a status that tells what happened."""
    if ended.parked:
        sys.exit(1)
    if ended.interrupted:
        sys.exit(SIGNALLED + halt.signal)


def screen(*, aside: bool) -> Console:
    """Where people read: aside if the output is for a program."""
    return Console(stderr=True, highlight=False) if aside else Screen()


def say_how_it_ended(console: Console, ended: Ended, folder: Path, command: str) -> None:
    """What was played, and what to do next."""
    progress = ended.progress
    kept = f"{count(progress.blocks, 'block')}, {count(progress.games, 'game')}"
    again = Text.assemble("To go on: ", (printable(command), "bold"))
    if ended.interrupted:
        console.print(f"\nInterrupted. {kept} are kept; nothing of them is lost.", soft_wrap=True)
        console.print(again, soft_wrap=True)
        return
    if ended.parked:
        for what in ended.parked:
            console.print(Text(f"Not played: {printable(what)}", "red"), soft_wrap=True)
        console.print(f"{printable(str(folder / 'log.txt'))} says more.", soft_wrap=True)
        console.print(again, soft_wrap=True)
    elif ended.verdict and ended.verdict.done and progress.blocks < progress.of_blocks:
        sure = f"{ended.verdict.confidence:.1%}"
        console.print(f"Stopped early: the order is known, with {sure} confidence.")
    if not progress.fresh:
        console.print(f"Everything was played before: {kept}.", soft_wrap=True)
        return
    rate = progress.fresh / max(progress.seconds, 0.001)
    console.print(
        f"{count(progress.fresh, 'game')} in {clock(progress.seconds)}, {rate:,.1f} games/s; "
        f"{kept} in {printable(str(folder))}",
        soft_wrap=True,
    )
