"""Stop requests: count stop signals, to finish the games in progress or to drop them."""

import signal
from collections.abc import Iterable
from types import FrameType
from typing import Any, Self

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequest:
    """A request to stop: the first one finishes the games in progress, the second drops them.

    In a `with`, the given signals count as requests instead of ending the program. Without
    signals it is for callers that handle them on their own, or run outside the main thread.
    """

    def __init__(self, signals: Iterable[signal.Signals] = STOP_SIGNALS) -> None:
        self.signals = tuple(signals)
        self.requests = 0
        self.signal = signal.SIGINT
        """The last signal that was received."""
        self.old_handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        handled = [number for number in self.signals if signal.getsignal(number) != signal.SIG_IGN]
        self.old_handlers = {
            number: signal.signal(number, self.handle_signal) for number in handled
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.old_handlers.items():
            signal.signal(number, handler)

    def handle_signal(self, number: int, _frame: FrameType | None) -> None:
        """Count a signal as a request."""
        self.signal = signal.Signals(number)
        self.request()

    def request(self) -> None:
        """Ask to stop, or, the second time, to drop the games in progress."""
        self.requests += 1

    @property
    def is_requested(self) -> bool:
        """Whether no further chunk is begun."""
        return self.requests > 0

    @property
    def is_forced(self) -> bool:
        """Whether the games in progress are dropped as well."""
        return self.requests > 1
