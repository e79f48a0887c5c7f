"""`arena run`: a tournament is played, on all cores, and never from the beginning twice."""

import logging
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.bots.sandbox.level import Level
from arena.cli.account import finish, introduce, screen
from arena.cli.clusters import cluster, cluster_option, warn_if_exposed, where
from arena.cli.completion import tournament_files
from arena.cli.lookup import RUNS
from arena.cli.main import SIGNALLED
from arena.cli.progress import Display, Lines, Picture, Silence, Warnings
from arena.cli.readiness import check_ready
from arena.cli.walls import given, in_force, sandbox_options, warn
from arena.errors import ArenaError
from arena.store.database import FILE
from arena.tournaments.config import Tournament, load
from arena.tournaments.halt import Halt
from arena.tournaments.journal import FILE as LOG_FILE
from arena.tournaments.journal import journal
from arena.tournaments.local import Local, cores
from arena.tournaments.observer import Observer
from arena.tournaments.opening import code, open_run
from arena.tournaments.plan import Plan
from arena.tournaments.run import Ended, Sitting
from arena.tournaments.sources import Sources

LOG = logging.getLogger(__name__)

WHOLE = (1, 1)


class Part(click.ParamType[tuple[int, int]]):
    """One of several parts, as 2/3."""

    name = "part"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Which of how many."""
        if isinstance(value, tuple):
            return value
        part, _, parts = str(value).partition("/")
        if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
            self.fail(f"{value!r} is no part; say 1/2 for the first of two", param, ctx)
        return int(part), int(parts)


@click.command(short_help="Play a tournament.")
@click.argument(
    "file", type=click.Path(dir_okay=False, path_type=Path), shell_complete=tournament_files
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The run's folder; by default runs/ and the tournament's name.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Cores to play on; by default all.")
@click.option(
    "--part",
    type=Part(),
    default=WHOLE,
    metavar="I/N",
    help="Play only the I-th of N parts, on one of N machines; arena merge puts them together.",
)
@cluster_option
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, only what came of it.")
@click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON at the end.")
@sandbox_options
def run(  # noqa: PLR0913 (one for each option)
    *,
    file: Path,
    out: Path | None,
    workers: int | None,
    part: tuple[int, int],
    on: str | None,
    quiet: bool,
    as_json: bool,
    level: Level | None,
    network: bool,
) -> None:
    """Play the tournament that FILE describes, and keep every game in a folder.

    The same command goes on where it was interrupted: only what is missing is played. Ctrl-C once
    finishes what is being played, twice drops it; nothing that was kept is ever lost.
    """
    tournament = load(file, level, network=network, on=on)
    folder = out or RUNS / tournament.name
    command = ["arena", "run", str(file)]
    command += ["--out", str(out)] if out else []
    command += ["--workers", str(workers)] if workers else []
    command += ["--part", "{}/{}".format(*part)] if part != WHOLE else []
    command += ["--on", on] if on else []
    command += given(level, network=network)
    if part != WHOLE:
        divisible(tournament)
    ended, halt = play(
        tournament, folder, workers, part=part, network=network, quiet=quiet, aside=as_json
    )
    finish(ended, folder, shlex.join(command), aside=as_json)
    leave(ended, halt)


def divisible(tournament: Tournament) -> None:
    """Refuse to play in parts what makes no sense in parts."""
    if tournament.stop or Plan(tournament, "").adaptive:
        raise ArenaError("--part needs a plan that no result changes: no stop, no adaptive tables")
    if tournament.seed is None:
        raise ArenaError(
            f"{tournament.file}: --part needs the key 'seed', the same on all machines; any long "
            "text will do"
        )


def play(  # noqa: PLR0913 (one for each option)
    tournament: Tournament,
    folder: Path,
    workers: int | None = None,
    *,
    part: tuple[int, int] = WHOLE,
    network: bool = False,
    quiet: bool = False,
    aside: bool = False,
) -> tuple[Ended, Halt]:
    """Play what is missing of a tournament; progress is shown aside if the output is for others."""
    console = screen(aside=aside)
    sandbox = tournament.terms.sandbox
    warn(sandbox)
    workers = workers or tournament.workers
    with ExitStack() as stack:
        elsewhere = None
        if tournament.cluster:  # where nobody answers, nothing is begun
            elsewhere = stack.enter_context(
                cluster(tournament.cluster, tournament.terms, most=workers, network=network)
            )
            warn_if_exposed(tournament.cluster)
        elif not (folder / FILE).exists():
            check_ready(tournament)
        opened = open_run(tournament, folder)
        kept = stack.enter_context(opened.run)
        stack.enter_context(journal(folder / LOG_FILE, Warnings(console)))
        plan = Plan(tournament, kept.header.seed)
        if elsewhere:
            unable = elsewhere.muster(Sources(tournament.bots, tournament.paths).places)
            if unable:
                name, why = next(iter(unable.items()))
                raise ArenaError(f"{name} cannot take part: {why}")
            if opened.new:
                elsewhere.greet(tournament.variants)
        workers = elsewhere.cores if elsewhere else workers or cores()
        halt = stack.enter_context(Halt())
        if not quiet:
            introduce(console, opened, plan, where(elsewhere or workers))
        backend = elsewhere or stack.enter_context(
            Local(workers, tournament.bots, tournament.terms)
        )
        kept.session(code(), workers, sandbox.level)
        LOG.info("sandbox %s", in_force(sandbox))
        display = stack.enter_context(watching(console, tournament.name, folder, quiet=quiet))
        sitting = Sitting(plan, kept, backend, halt, display.show, part=part)
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


def leave(ended: Ended, halt: Halt) -> None:
    """End with a status that tells what happened."""
    if ended.parked:
        sys.exit(1)
    if ended.interrupted:
        sys.exit(SIGNALLED + halt.signal)
