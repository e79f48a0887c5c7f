"""Real time not charged to a bot: the machine stalled, or the bot had no core."""

import time

from arena.bots.usage import ThreadState, threads

TICK = 50_000_000
"""Nanoseconds that the referee waits for bots before it looks at their clocks."""

MAX_WALL_FACTOR = 10
"""So many times the real time that is allowed is all there is, whoever wanted the cores."""


class StallDetector:
    """Notices that the referee itself did not run when it should have."""

    def __init__(self) -> None:
        self.last_look = time.monotonic_ns()
        self.last_cpu = time.process_time_ns()

    def measure_stall(self, now: int) -> int:
        """Nanoseconds since the last look in which it neither worked nor meant to wait."""
        worked = time.process_time_ns()
        meant = worked - self.last_cpu + 2 * TICK  # waiting may begin just before the next look
        stalled = now - self.last_look - meant
        self.last_look, self.last_cpu = now, worked
        return max(0, stalled)


class FairClock:
    """How long a bot has waited for a core since it was asked."""

    def __init__(self) -> None:
        self.since = 0
        """Since when, as on the referee's clock."""
        self.first_threads: dict[int, ThreadState] = {}
        """Its threads soon after that."""
        self.last_threads: dict[int, ThreadState] = {}
        """Its threads when they were last looked at."""
        self.waited = 0
        """Nanoseconds, as last looked at."""

    def restart(self, since: int, first_threads: dict[int, ThreadState]) -> None:
        """Count from here on."""
        self.since, self.first_threads, self.last_threads, self.waited = since, first_threads, {}, 0

    def start_if_slow(self, since: int, now: int, reaper_pid: int) -> None:
        """Begin to count once a question is open for a while; most are answered long before."""
        if since != self.since and now - since > TICK:
            self.restart(since, threads(reaper_pid))

    def update(self, now: int, reaper_pid: int) -> None:
        """Find out how long it has waited: the thread that has longest, never more than there was.

        A sum would let a bot buy time with threads that wait for each other.
        """
        found = threads(reaper_pid)
        waits = [
            thread.waited
            - (self.first_threads[number].waited if number in self.first_threads else 0)
            for number, thread in found.items()
        ]
        self.waited = min(now - self.since, max([self.waited, *waits]))
        self.last_threads = found

    def is_still_waiting(self, now: int, reaper_pid: int) -> bool:
        """Whether it has had no core since the last look and wants one; that is not counted yet.

        At the first look nobody knows, and who wants one gets the benefit of the doubt.
        """
        before = self.last_threads
        self.update(now, reaper_pid)
        return any(
            thread.runs and (not before or before.get(number) == thread)
            for number, thread in self.last_threads.items()
        )
