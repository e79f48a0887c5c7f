"""The command `arena ladder night`: play a ladder for some hours and print what changed."""

import logging
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.commands.run import output_console
from arena.cli.main import SIGNAL_STATUS_BASE
from arena.cli.options import (
    backend_text,
    cluster_option,
    ladder_argument,
    open_cluster,
    sandbox_text,
    warn_about_sandbox,
    warn_if_exposed,
)
from arena.cli.output import print_json
from arena.cli.progress import (
    LineDisplay,
    LiveDisplay,
    NoDisplay,
    ProgressDisplay,
    WarningHandler,
    duration_text,
    plural,
)
from arena.errors import ArenaError
from arena.ladder import cleanup, settings
from arena.ladder import night as play
from arena.ladder.folder import SITE, Ladder, open_ladder
from arena.ladder.models import Aim, Move, Summary
from arena.ladder.night import NightEntrant
from arena.ladder.night_lifecycle import NightPlan, begin_or_resume, finish, is_over, update_header
from arena.ladder.registry import Registry
from arena.ladder.submissions.worker import remove_leftovers
from arena.report.build import BuiltReport
from arena.sanitize import printable
from arena.store.database import Locked
from arena.store.run import Run
from arena.tournaments.config.scheduler_address import find_scheduler
from arena.tournaments.play.local import LocalBackend, count_cores
from arena.tournaments.play.resume import code_hash
from arena.tournaments.play.run_log import log_to_file
from arena.tournaments.play.signals import StopRequest

MAX_LISTED = 8
"""Moves either way, new bots, and whoever is retired, each."""


def print_changes(  # noqa: PLR0913, PLR0917 (all of it is told)
    console: Console,
    ladder: Ladder,
    registry: Registry,
    number: int,
    summary: Summary,
    built: BuiltReport,
) -> None:
    """What a night has changed."""
    rate = summary.games / summary.seconds if summary.seconds > 1 else 0
    speed = f" in {duration_text(summary.seconds)}, {rate:,.0f} games/s" if rate else ""
    active = plural(len(registry.active_versions()), "active bot")
    console.print(
        f"\nNight {number}: {plural(summary.games, 'game')} in {plural(summary.blocks, 'block')}"
        f"{speed}; {active}",
        soft_wrap=True,
    )
    risen = [move for move in summary.moves if rank_change(move) < 0]
    fallen = [move for move in summary.moves if rank_change(move) > 0]
    print_moves(console, "up", "green", risen)
    print_moves(console, "down", "red", fallen)
    print_bots(console, "new", summary.new)
    for title, told in (("retired", summary.retired), ("left out", summary.left_out)):
        for bot, why in told[:MAX_LISTED]:
            console.print(
                Text.assemble((f"{title:<9}", "yellow"), f"{printable(bot)}: {printable(why)}"),
                soft_wrap=True,
            )
        if len(told) > MAX_LISTED:
            console.print(f"         and {len(told) - MAX_LISTED} more")
    for cell in summary.too_large:
        console.print(
            f"Not played: {cell}: too few bots of different owners for a table", soft_wrap=True
        )
    if not (risen or fallen or summary.new):
        console.print("The order is as it was.")
    page = ladder.folder / SITE / "index.html"
    console.print(f"{printable(str(page))}: {plural(built.files, 'file')}", soft_wrap=True)


def rank_change(move: Move) -> int:
    """By how many ranks; below 0 is up."""
    if move.before is None or move.after is None:
        return 0
    return move.after - move.before


def print_moves(console: Console, title: str, style: str, moves: Sequence[Move]) -> None:
    """Who rose, or fell."""
    if not moves:
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=7)
    grid.add_column()
    grid.add_column(justify="right")
    grid.add_column(justify="right")
    for place, move in enumerate(moves[:MAX_LISTED]):
        grid.add_row(
            Text("" if place else title, style),
            Text(printable(move.bot)),
            Text(f"{move.before} → {move.after}"),
            Text(f"{move.mu_before:.1f} → {move.mu_after:.1f}" if has_ratings(move) else "", "dim"),
        )
    console.print(grid)
    if len(moves) > MAX_LISTED:
        console.print(f"         and {len(moves) - MAX_LISTED} more")


def has_ratings(move: Move) -> bool:
    """Whether it was rated before and after."""
    return move.mu_before is not None and move.mu_after is not None


def print_bots(console: Console, title: str, bots: Sequence[str]) -> None:
    """Some bots in a line."""
    if bots:
        more = f" and {len(bots) - MAX_LISTED} more" if len(bots) > MAX_LISTED else ""
        names = ", ".join(map(printable, bots[:MAX_LISTED]))
        console.print(Text.assemble((f"{title:<9}", "green"), f"{names}{more}"), soft_wrap=True)


if TYPE_CHECKING:
    from arena.cluster.backend import Cluster

LOG = logging.getLogger(__name__)

BUSY_STATUS: Final = 75
"""What the exit status is while another night goes on: try again later."""


@click.command(short_help="Play a ladder for some hours.")
@ladder_argument
@click.option("--for", "length", metavar="TIME", help="How long, such as 2h or 90m.")
@click.option("--until", metavar="HH:MM", help="Until clocks show this.")
@click.option("--games", type=click.IntRange(min=1), help="Until so many games are played.")
@click.option("--workers", type=click.IntRange(min=1), help="Cores to play on; by default all.")
@cluster_option
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, only what came of it.")
@click.option("--json", "as_json", is_flag=True, help="Print what changed as JSON at the end.")
@click.option(
    "--sandbox",
    "level",
    type=click.Choice(SandboxLevel, case_sensitive=False),
    help="How strongly bots are walled in, if not as ladder.yaml has it.",
)
def night(  # noqa: PLR0913 (one for each option)
    *,
    folder: Path,
    length: str | None,
    until: str | None,
    games: int | None,
    workers: int | None,
    on: str | None,
    quiet: bool,
    as_json: bool,
    level: SandboxLevel | None,
) -> None:
    """Play the ladder in DIR where most is learned, rate it anew, and write its pages.

    A night that was interrupted or killed goes on where it stopped, with the new --for, --until or
    --games if one is given. Otherwise it keeps its own end; one that has only a number of games
    also ends after the usual time. The exit status is 0 if all went well, 1 if some tables could
    not be played, 2 if nothing could, 75 while another night of this ladder goes on, and 128 and
    the signal's number if it was interrupted.
    """
    if sum(one is not None for one in (length, until, games)) > 1:
        raise ArenaError("say one of --for, --until and --games")
    ladder = open_ladder(folder, level)
    now = datetime.now().astimezone()
    end = None
    if until is not None:
        end = settings.next_time_of_day(until, now)
    elif games is None:
        seconds = (
            ladder.settings.night_seconds if length is None else settings.parse_duration(length)
        )
        end = now + timedelta(seconds=seconds)
    asked = any(one is not None for one in (length, until, games))
    given = [
        *(("--games", str(games)) if games else ()),
        *(("--workers", str(workers)) if workers else ()),
        *(("--on", on) if on else ()),
        *(("--sandbox", level) if level else ()),
    ]
    at = find_scheduler(on, ladder.settings.keys.backend, ladder.settings.file)
    workers = workers or ladder.settings.workers
    console = output_console(to_stderr=as_json)
    warn_about_sandbox(ladder.settings.terms.sandbox)
    cleanup.check_free_space(folder)
    try:
        run = Run.open_for_writing(folder)
    except Locked as busy:
        click.echo(f"Error: {printable(str(busy))}", err=True)
        sys.exit(BUSY_STATUS)
    show = NightOutput(console, quiet=quiet)
    with run, Registry.open(folder) as registry, ExitStack() as stack:
        remove_leftovers(ladder)
        elsewhere = None
        if at:
            network = ladder.settings.keys.submissions.build_network
            terms = ladder.settings.terms
            elsewhere = stack.enter_context(
                open_cluster(at, terms, max_workers=workers, network=network)
            )
            warn_if_exposed(at)
        update_header(ladder, run, registry)
        left = registry.open_night()
        if left and is_over(ladder, registry, left):
            finish(ladder, run, registry, left, show.print_line)  # a new one begins
        playing = NightPlayer(ladder, run, registry, show, elsewhere or workers or count_cores())
        aim = play.new_aim(games, end, playing.cores)
        begun = begin_or_resume(ladder, registry, aim, playing.check_bots, is_explicit=asked)
        update_header(ladder, run, registry)  # somebody may have been accepted since
        status, summary = playing.play_night(begun)
        cleanup.clean_up(ladder, run, registry)
    if summary is None:
        command = ["arena", "ladder", "night", str(folder), *given]
        console.print(f"To go on: {printable(shlex.join(command))}", soft_wrap=True)
    elif as_json:
        print_json(summary)
    sys.exit(status)


def end_text(aim: Aim) -> str:
    """When a night is over, in words."""
    ends = []
    if aim.until is not None:
        ends.append(f"at {datetime.fromisoformat(aim.until).astimezone():%Y-%m-%d %H:%M:%S}")
    if aim.games is not None:
        ends.append(f"after {plural(aim.games, 'game')}")
    return f"{' or '.join(ends)}{', whichever comes first' if len(ends) > 1 else ''}"


class NightOutput:
    """What a person sees of a night."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self.console = console
        self.quiet = quiet

    def display(self, name: str) -> ProgressDisplay:
        """What shows the progress."""
        if self.quiet:
            return NoDisplay()
        if self.console.is_terminal:
            return LiveDisplay(self.console, name, lambda: None)
        return LineDisplay(lambda line: self.console.print(line, soft_wrap=True))

    def print_line(self, text: str) -> None:
        """Say something in passing."""
        if not self.quiet:
            self.console.print(text, soft_wrap=True)


class NightPlayer:
    """Plays nights of a ladder that is opened to be written."""

    def __init__(
        self,
        ladder: Ladder,
        run: Run,
        registry: Registry,
        output: NightOutput,
        workers: "int | Cluster",
    ) -> None:
        self.ladder = ladder
        self.run = run
        self.registry = registry
        self.output = output
        self.workers = workers
        """So many cores of this machine, or a cluster."""

    @property
    def cores(self) -> int:
        """How many tables can be played at once."""
        return self.workers if isinstance(self.workers, int) else self.workers.cores

    def check_bots(self, entrants: Sequence[NightEntrant]) -> dict[str, str]:
        """Tell those who play with whom; whom nobody can play tonight, and why."""
        if isinstance(self.workers, int):
            return {}
        return self.workers.check_bots((player.bot, Path(player.path)) for player in entrants)

    def open_backend(
        self, entrants: Sequence[NightEntrant], stack: ExitStack
    ) -> "Cluster | LocalBackend":
        """What plays with these bots."""
        if isinstance(self.workers, int):
            bots = tuple(player.bot for player in entrants)
            return stack.enter_context(LocalBackend(self.workers, bots, self.ladder.settings.terms))
        self.check_bots(entrants)
        return self.workers

    def play_night(self, plan: NightPlan) -> tuple[int, Summary | None]:
        """Play a night to its end: the exit status, and what changed; None if interrupted."""
        night, ladder, run = plan.night, self.ladder, self.run
        with ExitStack() as stack:
            stack.enter_context(
                log_to_file(
                    cleanup.night_log(ladder, night.number), WarningHandler(self.output.console)
                )
            )
            begun = "begins" if plan.is_new else "goes on"
            self.output.print_line(
                f"Night {night.number} of {printable(ladder.settings.keys.name)} {begun}: "
                f"{plural(len(plan.entrants), 'bot')}, "
                f"{plural(len(ladder.settings.cells), 'cell')}, "
                f"{backend_text(self.workers)}, sandbox "
                f"{ladder.settings.terms.sandbox.level}"
            )
            if not plan.is_new:
                self.output.print_line(f"It ends {end_text(night.aim)}.")
            halt = stack.enter_context(StopRequest())
            backend = self.open_backend(plan.entrants, stack)
            level = ladder.settings.terms.sandbox.level
            run.begin_session(code_hash(), self.cores, level, play.salt(night.number))
            LOG.info(
                "night %d, sandbox %s", night.number, sandbox_text(ladder.settings.terms.sandbox)
            )
            display = stack.enter_context(self.output.display(ladder.settings.keys.name))
            playing = play.NightDispatcher(
                ladder, night, plan.entrants, run, backend, halt, display.show
            )
            whole = playing.play()
        if not whole:
            games = playing.progress.new_games
            self.output.console.print(f"\nInterrupted after {games:,} games, which are all kept.")
            return SIGNAL_STATUS_BASE + halt.signal, None
        # How long a night took that was interrupted nobody knows.
        counted = (playing.progress.seconds if plan.is_new else 0.0, plan.left_out)
        summary, built = finish(ladder, run, self.registry, night, self.output.print_line, counted)
        print_changes(self.output.console, ladder, self.registry, night.number, summary, built)
        for what in playing.failed_chunks.values():
            self.output.console.print(f"Not played: {printable(what)}", soft_wrap=True)
        return (1 if playing.failed_chunks or plan.left_out else 0), summary
