"""The command `arena run`: play a tournament or resume it."""

import logging
import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli import standings_view
from arena.cli.completion import tournament_files
from arena.cli.find_run import RUNS_FOLDER
from arena.cli.main import SIGNAL_STATUS_BASE
from arena.cli.options import (
    backend_text,
    cluster_option,
    open_cluster,
    sandbox_arguments,
    sandbox_options,
    sandbox_text,
    warn_about_sandbox,
    warn_if_exposed,
)
from arena.cli.output import SafeConsole, print_json, print_paragraph, safe_text
from arena.cli.progress import (
    LineDisplay,
    LiveDisplay,
    NoDisplay,
    ProgressDisplay,
    WarningHandler,
    duration_text,
    plural,
)
from arena.conformance.check import find_startup_problem
from arena.errors import ArenaError, BadBot
from arena.sanitize import printable
from arena.store.database import RUN_FILE
from arena.tournaments.config.tournament import Tournament, load
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.dispatcher import BotFiles
from arena.tournaments.play.live_standings import LiveStandings, load_standings
from arena.tournaments.play.local import LocalBackend, count_cores
from arena.tournaments.play.resume import OpenedRun, code_hash, open_run
from arena.tournaments.play.run import RunResult, TournamentSession
from arena.tournaments.play.run_log import LOG_FILE_NAME as LOG_FILE
from arena.tournaments.play.run_log import log_to_file
from arena.tournaments.play.signals import StopRequest

MAX_NOTES = 2
"""So many notes on a tournament are shown before it is played."""


def output_console(*, to_stderr: bool) -> Console:
    """Where people read: aside if the output is for a program."""
    return SafeConsole(stderr=to_stderr)


def print_introduction(console: Console, opened: OpenedRun, plan: Plan, where: str) -> None:
    """What is going to be played."""
    tournament, totals, header = plan.tournament, plan.totals, opened.run.header
    console.print(
        Text.assemble(
            safe_text(header.name, "bold"),
            f": {plural(len(tournament.bots), 'bot')}, {plural(totals.tables, 'table')}, "
            f"{plural(totals.blocks, 'block')}, {plural(totals.games, 'game')}, "
            f"on {where}, sandbox {tournament.terms.sandbox.level}, "
            f"into {printable(str(opened.run.folder))}",
        ),
        soft_wrap=True,
    )
    if opened.is_new:
        console.print(f"The deals are bound by the commitment\n  {header.commitment}")
        for note in tournament.notes[:MAX_NOTES]:
            print_paragraph(console, note, style="yellow")
        if len(tournament.notes) > MAX_NOTES:
            print_paragraph(console, "arena plan has more remarks.", style="yellow")
    for change in opened.changes:
        console.print(f"Since the last time: {printable(change)}", soft_wrap=True)


def print_results(result: RunResult, folder: Path, command: str, *, as_json: bool = False) -> None:
    """Say what came of it, and show the standings or print them for a program."""
    console = output_console(to_stderr=as_json)
    print_outcome(console, result, folder, command)
    standings = load_standings(folder)
    if as_json:
        print_json(standings)
    elif any(line.rank for line in standings.overall.lines):
        console.print()
        standings_view.show_table(console, standings, standings.overall, legend=False)
        run = printable(shlex.quote(str(folder)))
        print_paragraph(
            console,
            f"arena standings {run} says what the columns mean; arena crosstable {run} and "
            f"arena games {run} show more.",
            style="dim",
        )


def print_outcome(console: Console, result: RunResult, folder: Path, command: str) -> None:
    """What was played, and what to do next."""
    progress = result.progress
    kept = f"{plural(progress.blocks, 'block')}, {plural(progress.games, 'game')}"
    again = Text.assemble("To go on: ", (printable(command), "bold"))
    if result.was_interrupted:
        console.print(f"\nInterrupted. {kept} are kept; nothing of them is lost.", soft_wrap=True)
        console.print(again, soft_wrap=True)
        return
    if result.failed_chunks:
        for what in result.failed_chunks:
            console.print(Text(f"Not played: {printable(what)}", "red"), soft_wrap=True)
        console.print(f"{printable(str(folder / 'log.txt'))} says more.", soft_wrap=True)
        console.print(again, soft_wrap=True)
    elif result.verdict and result.verdict.is_done and progress.blocks < progress.total_blocks:
        console.print("Stopped early, for the order is known.")
    if not progress.new_games:
        console.print(f"Nothing was left to play: {kept} are kept.", soft_wrap=True)
        return
    rate = progress.new_games / max(progress.seconds, 0.001)
    console.print(
        f"{plural(progress.new_games, 'game')} in {duration_text(progress.seconds)}, "
        f"{rate:,.1f} games/s; "
        f"{kept} in {printable(str(folder))}",
        soft_wrap=True,
    )


def check_ready(tournament: Tournament) -> None:
    """Refuse a tournament if one of its bots does not start, or does not play what is played."""
    cancelled = Event()
    with ThreadPoolExecutor(count_cores()) as pool:
        asked = [
            pool.submit(find_startup_problem, bot, tournament.variants, tournament.terms, cancelled)
            for bot in tournament.bots
        ]
        try:
            for path, answer in zip(tournament.paths, asked, strict=True):
                if why := answer.result():
                    command = ["arena", "check", path, *tournament.terms.sandbox.options]
                    raise BadBot(f"{why}; '{shlex.join(command)}' says more")
        finally:  # after an error or Ctrl-C, the other bots are not waited for
            cancelled.set()
            pool.shutdown(wait=False, cancel_futures=True)


LOG = logging.getLogger(__name__)

WHOLE_PLAN = (1, 1)


class PartType(click.ParamType[tuple[int, int]]):
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
    type=PartType(),
    default=WHOLE_PLAN,
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
    level: SandboxLevel | None,
    network: bool,
) -> None:
    """Play the tournament that FILE describes, and keep every game in a folder.

    The same command goes on where it was interrupted: only what is missing is played. Ctrl-C once
    finishes what is being played, twice drops it; nothing that was kept is ever lost.
    """
    tournament = load(file, level, network=network, on=on)
    folder = out or RUNS_FOLDER / tournament.name
    command = ["arena", "run", str(file)]
    command += ["--out", str(out)] if out else []
    command += ["--workers", str(workers)] if workers else []
    command += ["--part", "{}/{}".format(*part)] if part != WHOLE_PLAN else []
    command += ["--on", on] if on else []
    command += sandbox_arguments(level, network=network)
    if part != WHOLE_PLAN:
        check_divisible(tournament)
    ended, halt = play_tournament(
        tournament, folder, workers, part=part, network=network, quiet=quiet, as_json=as_json
    )
    print_results(ended, folder, shlex.join(command), as_json=as_json)
    exit_with_status(ended, halt)


def check_divisible(tournament: Tournament) -> None:
    """Refuse to play in parts what makes no sense in parts."""
    if tournament.stop or Plan(tournament, "").is_adaptive:
        raise ArenaError("--part needs a plan that no result changes: no stop, no adaptive tables")
    if tournament.seed is None:
        raise ArenaError(
            f"{tournament.file}: --part needs the key 'seed', the same on all machines; any long "
            "text will do"
        )


def play_tournament(  # noqa: PLR0913 (one for each option)
    tournament: Tournament,
    folder: Path,
    workers: int | None = None,
    *,
    part: tuple[int, int] = WHOLE_PLAN,
    network: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> tuple[RunResult, StopRequest]:
    """Play what is missing of a tournament; progress is shown aside if the output is for others."""
    console = output_console(to_stderr=as_json)
    sandbox = tournament.terms.sandbox
    warn_about_sandbox(sandbox)
    workers = workers or tournament.workers
    with ExitStack() as stack:
        elsewhere = None
        if tournament.cluster:  # where nobody answers, nothing is begun
            elsewhere = stack.enter_context(
                open_cluster(
                    tournament.cluster, tournament.terms, max_workers=workers, network=network
                )
            )
            warn_if_exposed(tournament.cluster)
        elif not (folder / RUN_FILE).exists():
            check_ready(tournament)
        opened = open_run(tournament, folder)
        kept = stack.enter_context(opened.run)
        stack.enter_context(log_to_file(folder / LOG_FILE, WarningHandler(console)))
        plan = Plan(tournament, kept.header.seed)
        if elsewhere:
            unable = elsewhere.check_bots(BotFiles(tournament.bots, tournament.paths).bot_paths)
            if unable:
                name, why = next(iter(unable.items()))
                raise ArenaError(f"{name} cannot take part: {why}")
            if opened.is_new:
                elsewhere.check_ready(tournament.variants)
        workers = elsewhere.cores if elsewhere else workers or count_cores()
        halt = stack.enter_context(StopRequest())
        if not quiet:
            print_introduction(console, opened, plan, backend_text(elsewhere or workers))
        backend = elsewhere or stack.enter_context(
            LocalBackend(workers, tournament.bots, tournament.terms)
        )
        kept.begin_session(code_hash(), workers, sandbox.level)
        LOG.info("sandbox %s", sandbox_text(sandbox))
        display = stack.enter_context(open_display(console, tournament.name, folder, quiet=quiet))
        sitting = TournamentSession(plan, kept, backend, halt, display.show, part=part)
        return sitting.play(), halt


@contextmanager
def open_display(
    console: Console, name: str, folder: Path, *, quiet: bool
) -> Iterator[ProgressDisplay]:
    """What shows the progress: a picture on a terminal, else a line now and then, or nothing."""
    with ExitStack() as stack:
        if quiet:
            yield stack.enter_context(NoDisplay())
        elif console.is_terminal:
            observer = stack.enter_context(LiveStandings(folder))
            yield stack.enter_context(LiveDisplay(console, name, observer.standings))
        else:
            yield stack.enter_context(LineDisplay(lambda line: console.print(line, soft_wrap=True)))


def exit_with_status(result: RunResult, halt: StopRequest) -> None:
    """End with a status that tells what happened."""
    if result.failed_chunks:
        sys.exit(1)
    if result.was_interrupted:
        sys.exit(SIGNAL_STATUS_BASE + halt.signal)
