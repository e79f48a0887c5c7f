"""The command `arena ladder night`: play a ladder for some hours and print what changed."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.main import SIGNAL_STATUS_BASE
from arena.cli.options import (
    backend_text,
    cluster_option,
    ladder_argument,
    open_cluster,
    warn_about_sandbox,
    warn_if_exposed,
)
from arena.cli.output import SafeConsole, print_json
from arena.cli.progress import (
    LineDisplay,
    LiveDisplay,
    NoDisplay,
    ProgressDisplay,
    WarningHandler,
    duration_text,
)
from arena.errors import ArenaError
from arena.ladder.folder import SITE_FOLDER, Ladder, open_ladder
from arena.ladder.models import NightLimits
from arena.ladder.night import NightResult, play_night
from arena.ladder.night_lifecycle import NightPlan
from arena.ladder.settings import LadderSettings, next_time_of_day, parse_duration
from arena.report.data.ladder_info import RankChange
from arena.sanitize import printable
from arena.store.database import RunLocked
from arena.text import plural
from arena.tournaments.config.scheduler_address import SchedulerAddress, find_scheduler
from arena.tournaments.play.dispatcher import Progress
from arena.tournaments.play.signals import StopRequest

if TYPE_CHECKING:
    from arena.cluster.backend import Cluster

BUSY_STATUS: Final = 75
"""The exit status while another night of the ladder is played: try again later."""

MAX_LISTED = 8
"""The most rank changes either way, new bots and retired bots that are listed."""


def print_result(console: Console, ladder: Ladder, result: NightResult) -> None:
    """Print what a night changed, or that it was interrupted."""
    summary = result.summary
    if summary is None:
        games = result.progress.new_games
        console.print(f"\nInterrupted after {games:,} games, which are all kept.")
        return
    rate = summary.games / summary.seconds if summary.seconds > 1 else 0
    speed = f" in {duration_text(summary.seconds)}, {rate:,.0f} games/s" if rate else ""
    active = plural(result.active_bots, "active bot")
    console.print(
        f"\nNight {result.plan.night.number}: {plural(summary.games, 'game')} in "
        f"{plural(summary.blocks, 'block')}{speed}; {active}",
        soft_wrap=True,
    )
    risen = [move for move in summary.moves if move.rank_gain and move.rank_gain > 0]
    fallen = [move for move in summary.moves if move.rank_gain and move.rank_gain < 0]
    print_moves(console, "up", "green", risen)
    print_moves(console, "down", "red", fallen)
    print_bots(console, "new", summary.new)
    for title, bots in (("retired", summary.retired), ("left out", summary.left_out)):
        for bot, reason in bots[:MAX_LISTED]:
            console.print(
                Text.assemble((f"{title:<9}", "yellow"), f"{printable(bot)}: {printable(reason)}"),
                soft_wrap=True,
            )
        if len(bots) > MAX_LISTED:
            console.print(f"         and {len(bots) - MAX_LISTED} more")
    for cell in summary.too_large:
        console.print(
            f"Not played: {cell}: too few bots of different owners for a table", soft_wrap=True
        )
    if not (risen or fallen or summary.new):
        console.print("The order is as it was.")
    if result.site:
        page = printable(str(ladder.folder / SITE_FOLDER / "index.html"))
        console.print(f"{page}: {plural(result.site.files, 'file')}", soft_wrap=True)
    for chunk in result.failed_chunks:
        console.print(f"Not played: {printable(chunk)}", soft_wrap=True)


def print_moves(console: Console, title: str, style: str, moves: Sequence[RankChange]) -> None:
    """Print the versions that rose, or those that fell."""
    if not moves:
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=7)
    grid.add_column()
    grid.add_column(justify="right")
    grid.add_column(justify="right")
    for index, move in enumerate(moves[:MAX_LISTED]):
        grid.add_row(
            Text("" if index else title, style),
            Text(printable(move.bot)),
            Text(f"{move.before} → {move.after}"),
            Text(f"{move.mu_before:.1f} → {move.mu_after:.1f}" if has_ratings(move) else "", "dim"),
        )
    console.print(grid)
    if len(moves) > MAX_LISTED:
        console.print(f"         and {len(moves) - MAX_LISTED} more")


def has_ratings(move: RankChange) -> bool:
    """Whether it was rated before and after."""
    return move.mu_before is not None and move.mu_after is not None


def print_bots(console: Console, title: str, bots: Sequence[str]) -> None:
    """Print some bots in one line."""
    if bots:
        more = f" and {len(bots) - MAX_LISTED} more" if len(bots) > MAX_LISTED else ""
        names = ", ".join(map(printable, bots[:MAX_LISTED]))
        console.print(Text.assemble((f"{title:<9}", "green"), f"{names}{more}"), soft_wrap=True)


@click.command(short_help="Play a ladder for some hours.")
@ladder_argument
@click.option("--for", "length", metavar="TIME", help="How long, such as 2h or 90m.")
@click.option("--until", metavar="HH:MM", help="Until clocks show this.")
@click.option("--games", type=click.IntRange(min=1), help="Until so many games are played.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Cores to play on; by default those in ladder.yaml, or all.",
)
@cluster_option
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, only what came of it.")
@click.option("--json", "as_json", is_flag=True, help="Print what changed as JSON at the end.")
@click.option(
    "--sandbox",
    "level",
    type=click.Choice(SandboxLevel, case_sensitive=False),
    help="Sandbox level for bots; by default the one in ladder.yaml.",
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
    end = night_end(length, until)
    scheduler = find_scheduler(on, ladder.settings.keys.backend, ladder.settings.file)
    console = SafeConsole(stderr=as_json)
    warn_about_sandbox(ladder.settings.referee_config.sandbox)
    output = NightOutput(console, ladder.settings, quiet=quiet)
    try:
        result = play_night(
            ladder,
            games=games,
            end=end,
            workers=workers,
            open_backend=(lambda: output.open_cluster(scheduler, workers)) if scheduler else None,
            stop_request=StopRequest(),
            on_begun=output.print_start,
            on_progress=output.show_progress,
            on_played=output.close,
            on_status=output.print_line,
            screen_handler=WarningHandler(console),
        )
    except RunLocked as error:
        click.echo(f"Error: {printable(str(error))}", err=True)
        sys.exit(BUSY_STATUS)
    print_result(console, ladder, result)
    if result.stop_signal:
        options = [
            *(("--games", str(games)) if games else ()),
            *(("--workers", str(workers)) if workers else ()),
            *(("--on", on) if on else ()),
            *(("--sandbox", level) if level else ()),
        ]
        command = shlex.join(["arena", "ladder", "night", str(folder), *options])
        console.print(f"To go on: {printable(command)}", soft_wrap=True)
        sys.exit(SIGNAL_STATUS_BASE + result.stop_signal)
    if as_json:
        print_json(result.summary)
    sys.exit(0 if result.is_complete else 1)


def night_end(length: str | None, until: str | None) -> datetime | None:
    """The time at which the night ends, from --for or --until."""
    now = datetime.now().astimezone()
    if until is not None:
        return next_time_of_day(until, now)
    return None if length is None else now + timedelta(seconds=parse_duration(length))


def end_text(aim: NightLimits) -> str:
    """The end of a night, in words."""
    ends = []
    if aim.until is not None:
        ends.append(f"at {datetime.fromisoformat(aim.until).astimezone():%Y-%m-%d %H:%M:%S}")
    if aim.games is not None:
        ends.append(f"after {plural(aim.games, 'game')}")
    return f"{' or '.join(ends)}{', whichever comes first' if len(ends) > 1 else ''}"


class NightOutput:
    """Prints the progress of a night."""

    def __init__(self, console: Console, settings: LadderSettings, *, quiet: bool) -> None:
        self.console = console
        self.settings = settings
        self.quiet = quiet
        self.cluster: Cluster | None = None
        self.display: ProgressDisplay = NoDisplay()
        self.stack = ExitStack()
        """Holds the display while games are played."""

    @contextmanager
    def open_cluster(self, scheduler: SchedulerAddress, workers: int | None) -> Iterator["Cluster"]:
        """Open the cluster at an address, on the terms of the ladder."""
        with open_cluster(
            scheduler,
            self.settings.referee_config,
            max_workers=workers or self.settings.workers,
            network=self.settings.keys.submissions.build_network,
        ) as self.cluster:
            warn_if_exposed(scheduler)
            yield self.cluster

    def print_start(self, plan: NightPlan, cores: int) -> None:
        """Print what is going to be played, and start the display."""
        begins = "begins" if plan.is_new else "goes on"
        self.print_line(
            f"Night {plan.night.number} of {printable(self.settings.keys.name)} {begins}: "
            f"{plural(len(plan.entrants), 'bot')}, "
            f"{plural(len(self.settings.cells), 'cell')}, "
            f"{backend_text(self.cluster or cores)}, "
            f"sandbox {self.settings.referee_config.sandbox.level}"
        )
        if not plan.is_new:
            self.print_line(f"It ends {end_text(plan.night.aim)}.")
        if self.quiet:
            return
        if self.console.is_terminal:
            display: ProgressDisplay = LiveDisplay(
                self.console, self.settings.keys.name, lambda: None
            )
        else:
            display = LineDisplay(self.print_line)
        self.display = self.stack.enter_context(display)

    def show_progress(self, progress: Progress) -> None:
        """Show the progress."""
        self.display.show(progress)

    def close(self) -> None:
        """End the display."""
        self.stack.close()

    def print_line(self, text: str) -> None:
        """Print a line, unless progress is not shown."""
        if not self.quiet:
            self.console.print(text, soft_wrap=True)
