"""Pacing: a line that tells which step of a check goes on, how far it is and what is left."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

from arena.cli.progress import EARLY, clock, count
from arena.conformance.pace import Pace


class Pacing:
    """Shows how far a step is, on stderr, if that is a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        self.spinner = Spinner("dots")
        self.begun = 0.0
        self.pace: Pace | None = None
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

    def show(self, pace: Pace) -> None:
        """Show this step from now on; the picture follows it by itself."""
        if pace is self.pace or not self.console.is_interactive:
            return
        self.hide()
        self.pace, self.begun = pace, time.monotonic()
        # What else is printed goes where it would go anyway: stdout may be a file.
        self.live = Live(
            get_renderable=self.picture,
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

    def picture(self) -> Spinner:
        """The line as it is now."""
        if self.pace:
            self.spinner.update(text=told(self.pace, time.monotonic() - self.begun))
        return self.spinner


def told(pace: Pace, seconds: float) -> str:
    """How far a step is after so many seconds."""
    parts = [pace.step]
    if pace.answered:
        parts.append(f"{count(pace.answered, 'question')} answered")
    if pace.answered and pace.expected and seconds > EARLY:
        left = max(0.0, pace.expected / pace.answered - 1) * seconds
        parts.append(f"about {clock(left)} left")
    return ", ".join(parts)
