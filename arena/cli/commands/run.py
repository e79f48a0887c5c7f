"""The command `arena run`: play a tournament or resume it."""

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli import standings_view
from arena.cli.completion import complete_tournament
from arena.cli.find_run import RUNS_FOLDER
from arena.cli.main import SIGNAL_STATUS_BASE
from arena.cli.options import (
    backend_text,
    cluster_option,
    open_cluster,
    sandbox_arguments,
    sandbox_options,
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
)
from arena.conformance.check import find_startup_problem
from arena.sanitize import printable
from arena.text import plural
from arena.tournaments.config.tournament import Tournament, load_tournament
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.dispatcher import Progress
from arena.tournaments.play.live_standings import LiveStandings
from arena.tournaments.play.local_backend import count_cores
from arena.tournaments.play.resume import OpenedRun
from arena.tournaments.play.run import WHOLE_PLAN, PlanPart, RunResult, run_tournament
from arena.tournaments.play.signals import StopRequest

if TYPE_CHECKING:
    from arena.cluster.backend import Cluster

MAX_NOTES = 2
"""How many notes on a tournament are printed before it is played."""


class PartType(click.ParamType[PlanPart]):
    """One of several parts, as 2/3."""

    name = "part"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> PlanPart:
        """Parse which of how many parts it is."""
        if isinstance(value, tuple):
            return value
        part, _, parts = str(value).partition("/")
        if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
            self.fail(f"{value!r} is no part; say 1/2 for the first of two", param, ctx)
        return int(part), int(parts)


@click.command(short_help="Play a tournament.")
@click.argument(
    "file", type=click.Path(dir_okay=False, path_type=Path), shell_complete=complete_tournament
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The run's folder; by default runs/ and the tournament's name.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Cores to play on; by default those in the file, or all.",
)
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
    part: PlanPart,
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
    tournament = load_tournament(file, level, network=network, on=on)
    folder = out or RUNS_FOLDER / tournament.name
    command = ["arena", "run", str(file)]
    command += ["--out", str(out)] if out else []
    command += ["--workers", str(workers)] if workers else []
    command += ["--part", "{}/{}".format(*part)] if part != WHOLE_PLAN else []
    command += ["--on", on] if on else []
    command += sandbox_arguments(level, network=network)
    result = play_tournament(
        tournament, folder, workers, part=part, network=network, quiet=quiet, as_json=as_json
    )
    print_result(result, shlex.join(command), as_json=as_json)
    exit_with_status(result)


def play_tournament(  # noqa: PLR0913 (one for each option)
    tournament: Tournament,
    folder: Path,
    workers: int | None = None,
    *,
    part: PlanPart = WHOLE_PLAN,
    network: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> RunResult:
    """Play what is missing of a tournament and show the progress, on stderr if JSON is printed."""
    console = SafeConsole(stderr=as_json)
    warn_about_sandbox(tournament.referee_config.sandbox)
    workers = workers or tournament.workers
    with ExitStack() as stack:
        cluster = None
        if tournament.cluster:
            cluster = stack.enter_context(
                open_cluster(
                    tournament.cluster,
                    tournament.referee_config,
                    max_workers=workers,
                    network=network,
                )
            )
            warn_if_exposed(tournament.cluster)
        view = RunView(console, cluster or workers or count_cores(), quiet=quiet)
        return run_tournament(
            tournament,
            folder,
            workers=workers,
            part=part,
            backend=cluster,
            find_start_problem=find_startup_problem,
            stop_request=StopRequest(),
            on_opened=view.open,
            on_progress=view.show,
            on_played=view.close,
            screen_handler=WarningHandler(console),
        )


class RunView:
    """Shows a run on the console: what is played, and the progress."""

    def __init__(self, console: Console, backend: "int | Cluster", *, quiet: bool) -> None:
        self.console = console
        self.backend = backend
        """So many cores of this machine, or a cluster."""
        self.quiet = quiet
        self.stack = ExitStack()
        self.display: ProgressDisplay = NoDisplay()

    def open(self, opened: OpenedRun, plan: Plan) -> None:
        """Print what is played, and start the display."""
        if self.quiet:
            return
        print_introduction(self.console, opened, plan, backend_text(self.backend))
        if self.console.is_terminal:
            live = self.stack.enter_context(LiveStandings(opened.run.folder))
            display: ProgressDisplay = LiveDisplay(
                self.console, plan.tournament.name, live.standings
            )
        else:
            display = LineDisplay(lambda line: self.console.print(line, soft_wrap=True))
        self.display = self.stack.enter_context(display)

    def show(self, progress: Progress) -> None:
        """Show the progress."""
        self.display.show(progress)

    def close(self) -> None:
        """Remove the display."""
        self.stack.close()


def print_introduction(console: Console, opened: OpenedRun, plan: Plan, where: str) -> None:
    """Print what is going to be played, and how it differs from the last session."""
    tournament, totals, header = plan.tournament, plan.totals, opened.run.header
    console.print(
        Text.assemble(
            safe_text(header.name, "bold"),
            f": {plural(len(tournament.bots), 'bot')}, {plural(totals.tables, 'table')}, "
            f"{plural(totals.blocks, 'block')}, {plural(totals.games, 'game')}, "
            f"on {where}, sandbox {tournament.referee_config.sandbox.level}, "
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


def print_result(result: RunResult, command: str, *, as_json: bool = False) -> None:
    """Print how the session ended, and the standings, for people or as JSON."""
    console = SafeConsole(stderr=as_json)
    print_outcome(console, result, command)
    standings = result.standings()
    if as_json:
        print_json(standings)
    elif any(line.rank for line in standings.overall.lines):
        console.print()
        standings_view.show_table(console, standings, standings.overall, legend=False)
        run = printable(shlex.quote(str(result.folder)))
        print_paragraph(
            console,
            f"arena standings {run} says what the columns mean; arena crosstable {run} and "
            f"arena games {run} show more.",
            style="dim",
        )


def print_outcome(console: Console, result: RunResult, command: str) -> None:
    """Print what was played, and the command that resumes the run if something is missing."""
    progress, folder = result.progress, result.folder
    kept = f"{plural(progress.blocks, 'block')}, {plural(progress.games, 'game')}"
    resume = Text.assemble("To go on: ", (printable(command), "bold"))
    if result.was_interrupted:
        console.print(f"\nInterrupted. {kept} are kept; nothing of them is lost.", soft_wrap=True)
        console.print(resume, soft_wrap=True)
        return
    if result.failed_chunks:
        for failure in result.failed_chunks:
            console.print(Text(f"Not played: {printable(failure)}", "red"), soft_wrap=True)
        console.print(f"{printable(str(folder / 'log.txt'))} says more.", soft_wrap=True)
        console.print(resume, soft_wrap=True)
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


def exit_with_status(result: RunResult) -> None:
    """Exit with a status other than 0 if chunks failed or the run was interrupted."""
    if result.failed_chunks:
        sys.exit(1)
    if result.stop_signal is not None:
        sys.exit(SIGNAL_STATUS_BASE + result.stop_signal)
