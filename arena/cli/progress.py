"""Progress displays: a live table or plain lines for a run, one line for a bot check."""

import logging
import time
from collections.abc import Callable
from typing import Protocol, Self

from msgspec import structs
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table as Grid
from rich.text import Text

from arena.cli.grid import grid_lines
from arena.cli.output import safe_text
from arena.cli.standings_view import table_columns
from arena.conformance.conversation import CheckProgress
from arena.ratings.standings import Standings
from arena.sanitize import cut_middle, printable
from arena.text import plural
from arena.tournaments.play.dispatcher import Progress

LINE_INTERVAL = 10.0
"""Seconds between two plain lines."""
MIN_RATE_SECONDS = 3.0
"""Seconds before which a rate is not meaningful."""
FRAME_INTERVAL = 0.25
"""Seconds between two frames of the live display."""
EXTRA_LINES = 6
"""Lines of the live display that are not standings."""

StandingsGetter = Callable[[], Standings | None]
"""Returns the standings so far; None if they are not known yet."""


class ProgressDisplay(Protocol):
    """Shows the progress of a run."""

    def __enter__(self) -> Self:
        """Start the display."""

    def __exit__(self, *_: object) -> None:
        """Remove the display."""

    def show(self, progress: Progress) -> None:
        """Show the progress, unless it was shown a moment ago."""


def duration_text(seconds: float) -> str:
    """A duration: 0:07, 12:30, 3:05:00, 2 days."""
    whole = round(seconds)
    if whole >= 48 * 3600:
        return f"{whole // 86400} days"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def progress_text(progress: Progress) -> str:
    """The progress in one line."""
    games = progress.games + sum(progress.games_in_flight.values())
    parts = [
        f"{progress.blocks:,} of {progress.total_blocks:,} blocks",
        f"{games:,} of {progress.total_games:,} games",
    ]
    if not progress.played_games and not progress.is_stopping:
        parts.append("the bots are starting")
    if progress.played_games and progress.seconds > MIN_RATE_SECONDS:
        parts.append(f"{progress.played_games / progress.seconds:,.0f} games/s")
    if (
        progress.seconds_left is not None
        and progress.seconds > MIN_RATE_SECONDS
        and not progress.is_stopping
    ):
        parts.append(f"{duration_text(progress.seconds_left)} left")
    return " · ".join(parts)


def problems_text(progress: Progress) -> Text:
    """The faults and excuses so far, and the chunks that are played again."""
    faulty = {bot: number for bot, number in progress.faults.most_common() if number}
    if not faulty:
        text = Text("no faults", "dim")
    else:
        total = sum(faulty.values())
        named = ", ".join(f"{printable(bot)} {number:,}" for bot, number in faulty.items())
        text = Text(f"{plural(total, 'fault')}: {named}", "red")
    if progress.excuses:
        named = ", ".join(
            f"{printable(bot)} {number:,}" for bot, number in progress.excuses.most_common()
        )
        text.append(f" · {plural(progress.excuses.total(), 'excuse')}: {named}", "yellow")
    if progress.repeated_chunks:
        text.append(f" · {plural(progress.repeated_chunks, 'chunk')} played again", "yellow")
    return text


class LiveDisplay:
    """A progress bar, the standings and the faults, redrawn on a terminal."""

    def __init__(self, console: Console, name: str, get_standings: StandingsGetter) -> None:
        self.console = console
        self.name = name
        self.get_standings = get_standings
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.last_shown = 0.0

    def __enter__(self) -> Self:
        self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def show(self, progress: Progress) -> None:
        """Redraw the display, if the last frame is old enough."""
        now = time.monotonic()
        if now - self.last_shown >= FRAME_INTERVAL:
            self.last_shown = now
            self.live.update(self.render(progress), refresh=True)

    def render(self, progress: Progress) -> RenderableType:
        """The lines of the display."""
        games = progress.games + sum(progress.games_in_flight.values())
        bar = Grid.grid(padding=(0, 2, 0, 0), expand=True)
        bar.add_column()
        bar.add_column(ratio=1)
        title = safe_text(self.name, "bold")
        bar.add_row(title, ProgressBar(total=max(1, progress.total_games), completed=games))
        lines: list[RenderableType] = [bar, Text(progress_text(progress), overflow="ellipsis")]
        standings = self.get_standings()
        if standings and any(line.rank for line in standings.overall.lines):
            lines += ["", *self.standings_lines(standings), ""]
        lines.append(problems_text(progress))
        if progress.is_stopping:
            lines.append(
                Text(
                    f"finishing {plural(len(progress.games_in_flight), 'chunk')}, nothing new is "
                    "begun; Ctrl-C again drops them",
                    "yellow",
                )
            )
        return Group(*lines)

    def standings_lines(self, standings: Standings) -> list[Text]:
        """The first lines of the standings, as many as there is room for."""
        room = max(3, self.console.height - EXTRA_LINES)
        table = structs.replace(standings.overall, lines=standings.overall.lines[:room])
        return grid_lines(table_columns(standings, table), self.console.width)


class LineDisplay:
    """A plain line every few seconds, for output that is not a terminal."""

    def __init__(self, print_line: Callable[[str], None]) -> None:
        self.print_line = print_line
        self.last_shown = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: Progress) -> None:
        """Print a line, if the last one is old enough."""
        now = time.monotonic()
        if now - self.last_shown >= LINE_INTERVAL:
            self.last_shown = now
            self.print_line(f"{progress_text(progress)} · {problems_text(progress).plain}")


class NoDisplay(LineDisplay):
    """Shows no progress, for --quiet and --json."""

    def __init__(self) -> None:
        super().__init__(lambda _line: None)


class WarningHandler(logging.Handler):
    """A log handler that prints warnings above the live display."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Print the warning."""
        self.console.print(safe_text(cut_middle(record.getMessage()), "yellow"), soft_wrap=True)


class StepProgress:
    """Shows the progress of a step of `arena check` on stderr, if that is a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        self.spinner = Spinner("dots")
        self.started = 0.0
        self.progress: CheckProgress | None = None
        self.live: Live | None = None

    def __enter__(self) -> Self:
        """Show nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the display."""
        self.hide()

    def show(self, progress: CheckProgress) -> None:
        """Show this step from now on; a thread redraws the line."""
        if progress is self.progress or not self.console.is_interactive:
            return
        self.hide()
        self.progress, self.started = progress, time.monotonic()
        # Other output is not redirected to stderr: stdout may be a file.
        self.live = Live(
            get_renderable=self.render,
            console=self.console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.live.start(refresh=True)

    def hide(self) -> None:
        """Remove the line, so that something else can be printed."""
        if self.live:
            self.live.stop()
            self.live = None

    def render(self) -> Spinner:
        """The current line."""
        if self.progress:
            self.spinner.update(text=step_text(self.progress, time.monotonic() - self.started))
        return self.spinner


def step_text(progress: CheckProgress, seconds: float) -> str:
    """The progress of a step after so many seconds."""
    parts = [progress.step]
    if progress.answer_count:
        parts.append(f"{plural(progress.answer_count, 'question')} answered")
    if progress.answer_count and progress.expected_answers and seconds > MIN_RATE_SECONDS:
        left = max(0.0, progress.expected_answers / progress.answer_count - 1) * seconds
        parts.append(f"about {duration_text(left)} left")
    return ", ".join(parts)
