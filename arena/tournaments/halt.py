"""Halts: what a person or the system says to a run that is going on, by signals."""

import signal
from types import FrameType, TracebackType
from typing import Any, Self

ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Halt:
    """Counts the signals that ask to stop, instead of stopping at once."""

    def __init__(self) -> None:
        self.asked = 0
        self.signal = signal.SIGINT
        self.before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        heeded = [number for number in ASKING if signal.getsignal(number) != signal.SIG_IGN]
        self.before = {number: signal.signal(number, self.hear) for number in heeded}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, usual in self.before.items():
            signal.signal(number, usual)

    def hear(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal."""
        self.asked += 1
        self.signal = signal.Signals(number)

    @property
    def soft(self) -> bool:
        """Whether nothing new is to be begun."""
        return self.asked > 0

    @property
    def hard(self) -> bool:
        """Whether what is going on is to be dropped as well."""
        return self.asked > 1
