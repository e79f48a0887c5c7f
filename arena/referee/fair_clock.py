"""Real time not charged to a bot: the machine stalled, or the bot had no core."""

import time

from arena.bots.resource_usage import ThreadState, thread_states

CHECK_INTERVAL_NS = 50_000_000
"""Nanoseconds that the referee waits for output before it checks the clocks of the bots."""

MAX_WALL_FACTOR = 10
"""A bot has at most this multiple of its real time, however long it waited for a core."""


class StallDetector:
    """Measures how long the referee itself did not run although it wanted to."""

    def __init__(self) -> None:
        self.last_check = time.monotonic_ns()
        self.last_cpu = time.process_time_ns()

    def measure_stall(self, now: int) -> int:
        """Return the nanoseconds since the last check in which it neither worked nor waited."""
        cpu = time.process_time_ns()
        explained = (
            cpu - self.last_cpu + 2 * CHECK_INTERVAL_NS
        )  # a wait may begin just before the next check
        stall = now - self.last_check - explained
        self.last_check, self.last_cpu = now, cpu
        return max(0, stall)


class FairClock:
    """The real time of one bot: since when it counts, and how much of it was a wait for a core."""

    def __init__(self, now: int, reaper_pid: int) -> None:
        self.since = now
        """When the bot was started, was last known to be idle, or gave its last answer."""
        self.reaper_pid = reaper_pid
        self.first_threads: dict[int, ThreadState] | None = {}
        """Its threads soon after `since` (at its start it has none); None: not looked at yet."""
        self.last_threads: dict[int, ThreadState] = {}
        """Its threads when they were last looked at."""
        self.waited = 0
        """Nanoseconds without a core since `since`, as last measured."""

    def restart(self, now: int) -> None:
        """Count from here on; the threads are looked at only if the answer takes long."""
        self.since = now
        self.first_threads = None

    def discount_stall(self, now: int, stall: int) -> None:
        """Leave out time in which the machine stood still."""
        self.since = max(self.since, min(now, self.since + stall))

    def watch_if_slow(self, now: int) -> None:
        """Look at the threads once a tick has passed; most questions are answered long before."""
        if self.first_threads is None and now - self.since > CHECK_INTERVAL_NS:
            self.watch()

    def watch(self) -> None:
        """Look at the threads for the first time."""
        self.first_threads, self.last_threads, self.waited = thread_states(self.reaper_pid), {}, 0

    def measure_wait(self, now: int) -> int:
        """Return how many nanoseconds it waited for a core, 0 if its threads are not watched.

        That is the wait of the thread that waited longest, and never more than has passed. A sum
        would let a bot buy time with threads that wait for each other.
        """
        first = self.first_threads
        if first is None:
            return 0
        current = thread_states(self.reaper_pid)
        waits = [
            thread.waited - (first[number].waited if number in first else 0)
            for number, thread in current.items()
        ]
        self.waited = min(now - self.since, max([self.waited, *waits]))
        self.last_threads = current
        return self.waited

    def is_still_waiting(self, now: int) -> bool:
        """Whether it has had no core since the last look and wants one; that is not counted yet.

        The first look cannot tell, so a bot that wants a core gets the benefit of the doubt.
        """
        if self.first_threads is None:
            self.watch()
        before = self.last_threads
        self.measure_wait(now)
        return any(
            thread.is_runnable and (not before or before.get(number) == thread)
            for number, thread in self.last_threads.items()
        )
