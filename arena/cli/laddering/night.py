"""`arena ladder night`: a ladder is played for some hours, and its pages are written."""

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

from arena.bots.sandbox.level import Level
from arena.cli.account import screen
from arena.cli.clusters import cluster, cluster_option, warn_if_exposed, where
from arena.cli.laddering.morning import tell
from arena.cli.laddering.place import ladder_argument
from arena.cli.main import SIGNALLED
from arena.cli.output import print_json
from arena.cli.progress import Display, Lines, Picture, Silence, Warnings, count
from arena.cli.untrusted import printable
from arena.cli.walls import in_force, warn
from arena.errors import ArenaError
from arena.ladder import durations, upkeep
from arena.ladder import night as play
from arena.ladder.clerk import sweep
from arena.ladder.conduct import Evening, evening, finish, over, settle
from arena.ladder.facts import Aim, Summary
from arena.ladder.field import Player
from arena.ladder.folder import Ladder, open_ladder
from arena.ladder.registry import Registry
from arena.store.lock import Locked
from arena.store.run import Run
from arena.tournaments.address import address
from arena.tournaments.halt import Halt
from arena.tournaments.journal import journal
from arena.tournaments.local import Local, cores
from arena.tournaments.opening import code

if TYPE_CHECKING:
    from arena.cluster.cluster import Cluster

LOG = logging.getLogger(__name__)

BUSY: Final = 75
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
    type=click.Choice(Level, case_sensitive=False),
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
    level: Level | None,
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
        end = durations.until(until, now)
    elif games is None:
        seconds = ladder.settings.night if length is None else durations.seconds(length)
        end = now + timedelta(seconds=seconds)
    asked = any(one is not None for one in (length, until, games))
    given = [
        *(("--games", str(games)) if games else ()),
        *(("--workers", str(workers)) if workers else ()),
        *(("--on", on) if on else ()),
        *(("--sandbox", level) if level else ()),
    ]
    at = address(on, ladder.settings.keys.backend, ladder.settings.file)
    workers = workers or ladder.settings.workers
    console = screen(aside=as_json)
    warn(ladder.settings.terms.sandbox)
    upkeep.room(folder)
    try:
        run = Run.write(folder)
    except Locked as busy:
        click.echo(f"Error: {printable(str(busy))}", err=True)
        sys.exit(BUSY)
    show = Show(console, quiet=quiet)
    with run, Registry.open(folder) as registry, ExitStack() as stack:
        sweep(ladder)
        elsewhere = None
        if at:
            network = ladder.settings.keys.submissions.build_network
            terms = ladder.settings.terms
            elsewhere = stack.enter_context(cluster(at, terms, most=workers, network=network))
            warn_if_exposed(at)
        settle(ladder, run, registry)
        left = registry.open_night()
        if left and over(ladder, registry, left):
            finish(ladder, run, registry, left, show.say)  # a new one begins
        playing = Evenings(ladder, run, registry, show, elsewhere or workers or cores())
        aim = play.aim(games, end, playing.cores)
        begun = evening(ladder, registry, aim, playing.muster, asked=asked)
        settle(ladder, run, registry)  # somebody may have been accepted since
        status, summary = playing.through(begun)
        upkeep.clean_up(ladder, run, registry)
    if summary is None:
        command = ["arena", "ladder", "night", str(folder), *given]
        console.print(f"To go on: {printable(shlex.join(command))}", soft_wrap=True)
    elif as_json:
        print_json(summary)
    sys.exit(status)


def end_of(aim: Aim) -> str:
    """When a night is over, in words."""
    ends = []
    if aim.until is not None:
        ends.append(f"at {datetime.fromisoformat(aim.until).astimezone():%Y-%m-%d %H:%M:%S}")
    if aim.games is not None:
        ends.append(f"after {count(aim.games, 'game')}")
    return f"{' or '.join(ends)}{', whichever comes first' if len(ends) > 1 else ''}"


class Show:
    """What a person sees of a night."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self.console = console
        self.quiet = quiet

    def display(self, name: str) -> Display:
        """What shows the progress."""
        if self.quiet:
            return Silence()
        if self.console.is_terminal:
            return Picture(self.console, name, lambda: None)
        return Lines(lambda line: self.console.print(line, soft_wrap=True))

    def say(self, text: str) -> None:
        """Say something in passing."""
        if not self.quiet:
            self.console.print(text, soft_wrap=True)


class Evenings:
    """Plays nights of a ladder that is opened to be written."""

    def __init__(
        self, ladder: Ladder, run: Run, registry: Registry, show: Show, workers: "int | Cluster"
    ) -> None:
        self.ladder = ladder
        self.run = run
        self.registry = registry
        self.show = show
        self.workers = workers
        """So many cores of this machine, or a cluster."""

    @property
    def cores(self) -> int:
        """How many tables can be played at once."""
        return self.workers if isinstance(self.workers, int) else self.workers.cores

    def muster(self, who: Sequence[Player]) -> dict[str, str]:
        """Tell those who play with whom; whom nobody can play tonight, and why."""
        if isinstance(self.workers, int):
            return {}
        return self.workers.muster((player.bot, Path(player.path)) for player in who)

    def backend(self, who: Sequence[Player], stack: ExitStack) -> "Cluster | Local":
        """What plays with these bots."""
        if isinstance(self.workers, int):
            bots = tuple(player.bot for player in who)
            return stack.enter_context(Local(self.workers, bots, self.ladder.settings.terms))
        self.muster(who)
        return self.workers

    def through(self, evening: Evening) -> tuple[int, Summary | None]:
        """Play a night to its end: the exit status, and what changed; None if interrupted."""
        night, ladder, run = evening.night, self.ladder, self.run
        with ExitStack() as stack:
            stack.enter_context(
                journal(upkeep.log_of(ladder, night.number), Warnings(self.show.console))
            )
            begun = "begins" if evening.new else "goes on"
            self.show.say(
                f"Night {night.number} of {printable(ladder.settings.keys.name)} {begun}: "
                f"{count(len(evening.who), 'bot')}, {count(len(ladder.settings.cells), 'cell')}, "
                f"{where(self.workers)}, sandbox "
                f"{ladder.settings.terms.sandbox.level}"
            )
            if not evening.new:
                self.show.say(f"It ends {end_of(night.aim)}.")
            halt = stack.enter_context(Halt())
            backend = self.backend(evening.who, stack)
            level = ladder.settings.terms.sandbox.level
            run.session(code(), self.cores, level, play.salt(night.number))
            LOG.info("night %d, sandbox %s", night.number, in_force(ladder.settings.terms.sandbox))
            display = stack.enter_context(self.show.display(ladder.settings.keys.name))
            playing = play.Playing(ladder, night, evening.who, run, backend, halt, display.show)
            whole = playing.play()
        if not whole:
            games = playing.progress.fresh
            self.show.console.print(f"\nInterrupted after {games:,} games, which are all kept.")
            return SIGNALLED + halt.signal, None
        # How long a night took that was interrupted nobody knows.
        counted = (playing.progress.seconds if evening.new else 0.0, evening.left_out)
        summary, built = finish(ladder, run, self.registry, night, self.show.say, counted)
        tell(self.show.console, ladder, self.registry, night.number, summary, built)
        for what in playing.parked.values():
            self.show.console.print(f"Not played: {printable(what)}", soft_wrap=True)
        return (1 if playing.parked or evening.left_out else 0), summary
