"""Patience: real time that no bot is to pay for, since the machine did not let anybody run."""

import time

from arena.bots.usage import Thread, threads

TICK = 50_000_000
"""Nanoseconds that the referee waits for bots before it looks at their clocks."""

STRETCH = 10
"""So many times the real time that is allowed is all there is, whoever wanted the cores."""


class Canary:
    """Notices that the referee itself did not run when it should have."""

    def __init__(self) -> None:
        self.seen = time.monotonic_ns()
        self.worked = time.process_time_ns()

    def stall(self, now: int) -> int:
        """Nanoseconds since the last look in which it neither worked nor meant to wait."""
        worked = time.process_time_ns()
        meant = worked - self.worked + 2 * TICK  # waiting may begin just before the next look
        stalled = now - self.seen - meant
        self.seen, self.worked = now, worked
        return max(0, stalled)


class Patience:
    """How long a bot has waited for a core since it was asked."""

    def __init__(self) -> None:
        self.mark = 0
        """Since when, as on the referee's clock."""
        self.before: dict[int, Thread] = {}
        """Its threads soon after that."""
        self.last: dict[int, Thread] = {}
        """Its threads when they were last looked at."""
        self.waited = 0
        """Nanoseconds, as last looked at."""

    def begin(self, mark: int, before: dict[int, Thread]) -> None:
        """Count from here on."""
        self.mark, self.before, self.last, self.waited = mark, before, {}, 0

    def watch(self, mark: int, now: int, guard: int) -> None:
        """Begin to count once a question is open for a while; most are answered long before."""
        if mark != self.mark and now - mark > TICK:
            self.begin(mark, threads(guard))

    def look(self, now: int, guard: int) -> None:
        """Find out how long it has waited: the thread that has longest, never more than there was.

        A sum would let a bot buy time with threads that wait for each other.
        """
        found = threads(guard)
        waits = [
            thread.waited - (self.before[number].waited if number in self.before else 0)
            for number, thread in found.items()
        ]
        self.waited = min(now - self.mark, max([self.waited, *waits]))
        self.last = found

    def waits_still(self, now: int, guard: int) -> bool:
        """Whether it has had no core since the last look and wants one; that is not counted yet.

        At the first look nobody knows, and who wants one gets the benefit of the doubt.
        """
        before = self.last
        self.look(now, guard)
        return any(
            thread.runs and (not before or before.get(number) == thread)
            for number, thread in self.last.items()
        )
