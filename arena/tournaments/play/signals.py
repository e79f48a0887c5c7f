"""Count stop signals so that a run can finish the games in progress or drop them."""

import signal
from types import FrameType, TracebackType
from typing import Any, Self

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequest:
    """Counts the signals that ask to stop, instead of stopping at once."""

    def __init__(self) -> None:
        self.requests = 0
        self.signal = signal.SIGINT
        self.old_handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        heeded = [number for number in STOP_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
        self.old_handlers = {number: signal.signal(number, self.handle_signal) for number in heeded}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, usual in self.old_handlers.items():
            signal.signal(number, usual)

    def handle_signal(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal."""
        self.requests += 1
        self.signal = signal.Signals(number)

    @property
    def is_requested(self) -> bool:
        """Whether nothing new is to be begun."""
        return self.requests > 0

    @property
    def is_forced(self) -> bool:
        """Whether what is going on is to be dropped as well."""
        return self.requests > 1
