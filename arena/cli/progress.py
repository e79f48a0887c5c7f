"""Progress: how far a run is, as a picture that changes or in plain lines."""

import logging
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from msgspec import structs
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from arena.cli.grid import lay_out
from arena.cli.ranking import columns_of
from arena.cli.untrusted import printable, safe
from arena.printable import short
from arena.ratings.standings import Standings
from arena.tournaments.labour import Progress

EVERY = 10.0
"""Seconds between two plain lines."""
EARLY = 3.0
"""Seconds before which a rate says nothing."""
FRAME = 0.25
"""Seconds between two pictures."""
AROUND = 6
"""Lines of a picture that are not standings."""

Look = Callable[[], Standings | None]
"""How the run stands, as far as that is known."""


class Display(Protocol):
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


def clock(seconds: float) -> str:
    """A time as people read it: 0:07, 12:30, 3:05:00, 2 days."""
    whole = round(seconds)
    if whole >= 48 * 3600:
        return f"{whole // 86400} days"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def count(number: int, thing: str) -> str:
    """A number of things: 1 fault, 2,000 faults."""
    return f"{number:,} {thing}" + "s" * (number != 1)


def figures(progress: Progress) -> str:
    """How far it is, in one line."""
    games = progress.games + sum(progress.flying.values())
    parts = [
        f"{progress.blocks:,} of {progress.of_blocks:,} blocks",
        f"{games:,} of {progress.of_games:,} games",
    ]
    if not progress.played and not progress.stopping:
        parts.append("the bots are starting")
    if progress.played and progress.seconds > EARLY:
        parts.append(f"{progress.played / progress.seconds:,.0f} games/s")
    if progress.left is not None and progress.seconds > EARLY and not progress.stopping:
        parts.append(f"{clock(progress.left)} left")
    return " · ".join(parts)


def troubles(progress: Progress) -> Text:
    """Faults and excuses so far, and chunks that had to be played again."""
    faulty = {bot: number for bot, number in progress.faults.most_common() if number}
    if not faulty:
        text = Text("no faults", "dim")
    else:
        total = sum(faulty.values())
        named = ", ".join(f"{printable(bot)} {number:,}" for bot, number in faulty.items())
        text = Text(f"{count(total, 'fault')}: {named}", "red")
    if progress.excuses:
        named = ", ".join(
            f"{printable(bot)} {number:,}" for bot, number in progress.excuses.most_common()
        )
        text.append(f" · {count(progress.excuses.total(), 'excuse')}: {named}", "yellow")
    if progress.again:
        text.append(f" · {count(progress.again, 'chunk')} played again", "yellow")
    return text


class Picture:
    """A bar, the standings and the faults, drawn again and again on a terminal."""

    def __init__(self, console: Console, name: str, look: Look) -> None:
        self.console = console
        self.name = name
        self.look = look
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.shown = 0.0

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
        if now - self.shown >= FRAME:
            self.shown = now
            self.live.update(self.draw(progress), refresh=True)

    def draw(self, progress: Progress) -> RenderableType:
        """All of it."""
        games = progress.games + sum(progress.flying.values())
        bar = Grid.grid(padding=(0, 2, 0, 0), expand=True)
        bar.add_column()
        bar.add_column(ratio=1)
        title = safe(self.name, "bold")
        bar.add_row(title, ProgressBar(total=max(1, progress.of_games), completed=games))
        lines: list[RenderableType] = [bar, Text(figures(progress), overflow="ellipsis")]
        standings = self.look()
        if standings and any(line.rank for line in standings.overall.lines):
            lines += ["", *self.rows(standings), ""]
        lines.append(troubles(progress))
        if progress.stopping:
            lines.append(
                Text(
                    f"finishing {count(len(progress.flying), 'chunk')}, nothing new is begun; "
                    "Ctrl-C again drops them",
                    "yellow",
                )
            )
        return Group(*lines)

    def rows(self, standings: Standings) -> list[Text]:
        """As much of the standings as there is room for."""
        room = max(3, self.console.height - AROUND)
        table = structs.replace(standings.overall, lines=standings.overall.lines[:room])
        return lay_out(columns_of(standings, table), self.console.width)


class Lines:
    """A plain line now and then, where nobody can draw."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.shown = time.monotonic()

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
        if now - self.shown >= EVERY:
            self.shown = now
            self.say(f"{figures(progress)} · {troubles(progress).plain}")


class Silence(Lines):
    """Nothing."""

    def __init__(self) -> None:
        super().__init__(lambda _line: None)


class Warnings(logging.Handler):
    """Shows what is logged as a warning above the picture."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Print it."""
        self.console.print(safe(short(record.getMessage()), "yellow"), soft_wrap=True)
