"""Progress displays: a live table or plain lines for a run, one line for a bot check."""

import logging
import time
from collections.abc import Callable
from types import TracebackType
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
from arena.tournaments.play.dispatcher import Progress

LINE_INTERVAL = 10.0
"""Seconds between two plain lines."""
MIN_RATE_SECONDS = 3.0
"""Seconds before which a rate says nothing."""
FRAME_INTERVAL = 0.25
"""Seconds between two pictures."""
EXTRA_LINES = 6
"""Lines of a picture that are not standings."""

StandingsGetter = Callable[[], Standings | None]
"""How the run stands, as far as that is known."""


class ProgressDisplay(Protocol):
    """Shows how far a run is."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""

    def show(self, progress: Progress) -> None:
        """Show it, or not, if it was shown a moment ago."""


def duration_text(seconds: float) -> str:
    """A time as people read it: 0:07, 12:30, 3:05:00, 2 days."""
    whole = round(seconds)
    if whole >= 48 * 3600:
        return f"{whole // 86400} days"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def plural(number: int, noun: str) -> str:
    """A number of things: 1 fault, 2,000 faults."""
    return f"{number:,} {noun}" + "s" * (number != 1)


def progress_text(progress: Progress) -> str:
    """How far it is, in one line."""
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
    """Faults and excuses so far, and chunks that had to be played again."""
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
    """A bar, the standings and the faults, drawn again and again on a terminal."""

    def __init__(self, console: Console, name: str, get_standings: StandingsGetter) -> None:
        self.console = console
        self.name = name
        self.get_standings = get_standings
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.last_shown = 0.0

    def __enter__(self) -> Self:
        self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.live.stop()

    def show(self, progress: Progress) -> None:
        """Draw it."""
        now = time.monotonic()
        if now - self.last_shown >= FRAME_INTERVAL:
            self.last_shown = now
            self.live.update(self.render(progress), refresh=True)

    def render(self, progress: Progress) -> RenderableType:
        """All of it."""
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
                    f"finishing {plural(len(progress.games_in_flight), 'chunk')}, nothing "
                    f"new is begun; "
                    "Ctrl-C again drops them",
                    "yellow",
                )
            )
        return Group(*lines)

    def standings_lines(self, standings: Standings) -> list[Text]:
        """As much of the standings as there is room for."""
        room = max(3, self.console.height - EXTRA_LINES)
        table = structs.replace(standings.overall, lines=standings.overall.lines[:room])
        return grid_lines(table_columns(standings, table), self.console.width)


class LineDisplay:
    """A plain line now and then, where nobody can draw."""

    def __init__(self, print_line: Callable[[str], None]) -> None:
        self.print_line = print_line
        self.last_shown = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def show(self, progress: Progress) -> None:
        """Say it, if it is time."""
        now = time.monotonic()
        if now - self.last_shown >= LINE_INTERVAL:
            self.last_shown = now
            self.print_line(f"{progress_text(progress)} · {problems_text(progress).plain}")


class NoDisplay(LineDisplay):
    """Nothing."""

    def __init__(self) -> None:
        super().__init__(lambda _line: None)


class WarningHandler(logging.Handler):
    """Shows what is logged as a warning above the picture."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Print it."""
        self.console.print(safe_text(cut_middle(record.getMessage()), "yellow"), soft_wrap=True)


class StepProgress:
    """Shows how far a step is, on stderr, if that is a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        self.spinner = Spinner("dots")
        self.started = 0.0
        self.pace: CheckProgress | None = None
        self.live: Live | None = None

    def __enter__(self) -> Self:
        """Begin with nothing."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave nothing behind."""
        self.hide()

    def show(self, pace: CheckProgress) -> None:
        """Show this step from now on; the picture follows it by itself."""
        if pace is self.pace or not self.console.is_interactive:
            return
        self.hide()
        self.pace, self.started = pace, time.monotonic()
        # What else is printed goes where it would go anyway: stdout may be a file.
        self.live = Live(
            get_renderable=self.render,
            console=self.console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.live.start(refresh=True)

    def hide(self) -> None:
        """Take it away, so that something else can be printed."""
        if self.live:
            self.live.stop()
            self.live = None

    def render(self) -> Spinner:
        """The line as it is now."""
        if self.pace:
            self.spinner.update(text=step_text(self.pace, time.monotonic() - self.started))
        return self.spinner


def step_text(pace: CheckProgress, seconds: float) -> str:
    """How far a step is after so many seconds."""
    parts = [pace.step]
    if pace.answer_count:
        parts.append(f"{plural(pace.answer_count, 'question')} answered")
    if pace.answer_count and pace.expected_answers and seconds > MIN_RATE_SECONDS:
        left = max(0.0, pace.expected_answers / pace.answer_count - 1) * seconds
        parts.append(f"about {duration_text(left)} left")
    return ", ".join(parts)
