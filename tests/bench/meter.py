"""A meter: what coordinator, scheduler, workers and games use of this machine, and the wire."""

import time
from collections.abc import Callable
from pathlib import Path

from arena.bots.reaper import process_tree
from arena.bots.resource_usage import NS_PER_SECOND, cpu_clock_id, ended_children_cpu, read_clock


def own(pids: list[int]) -> float:
    """Seconds of CPU time that these processes themselves have used."""
    return sum(read_clock(cpu_clock_id(pid)) or 0 for pid in pids) / NS_PER_SECOND


def whole(pids: list[int]) -> float:
    """The same with all that they have started, what has ended included."""
    found = process_tree(pids)
    return own(found) + sum(map(ended_children_cpu, found)) / NS_PER_SECOND


def carried(pid: int) -> int:
    """Bytes that have passed over loopback, where this process is."""
    for line in Path(f"/proc/{pid}/net/dev").read_text().splitlines():
        name, _, figures = line.partition(":")
        if name.strip() == "lo":
            return int(figures.split()[0])
    return 0


class Meter:
    """Counts seconds of CPU time by who has used them, and bytes, with the coordinator in here."""

    def __init__(
        self, scheduler: int, workers: list[int], local: Callable[[], list[int]] = list
    ) -> None:
        self.scheduler = scheduler
        self.workers = workers
        self.local = local
        """The workers of a local backend."""
        self.before: dict[str, float] = {}

    def read(self) -> dict[str, float]:
        """All that was used so far."""
        thread, workers = time.thread_time(), own(self.workers)
        return {
            "wall": time.monotonic(),
            "main": thread,
            "loop": time.process_time() - thread,
            "scheduler": own([self.scheduler]),
            "workers": workers,
            "games": whole(self.workers) - workers + whole(self.local()),
            "bytes": carried(self.scheduler),
        }

    def start(self) -> None:
        """Count from now on."""
        self.before = self.read()

    def stop(self) -> dict[str, float]:
        """What was used since the start."""
        return {name: now - self.before[name] for name, now in self.read().items()}
