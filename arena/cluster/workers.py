"""Workers of the cluster: their state, the bots they can play, and their free cores."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from arena.cluster.messages import BotEntry, WorkerInfo

SECONDS_AHEAD: Final = 4.0
"""Seconds of work that a worker is given ahead, so that it never waits for the next order."""
MAX_DEPTH: Final = 8
"""Orders for each core at most, however short they are."""
LOG_BURST: Final = 2000.0
"""Lines that a worker may log at once."""
LOG_RATE: Final = 20.0
"""Lines that it may log in each second after that; others are dropped."""


@dataclass
class ClusterWorker:
    """A worker of the cluster, as the coordinator knows it."""

    address: str
    name: str
    cores: int
    info: WorkerInfo | None = None
    """None until it has answered."""
    sent_bots: set[str] = field(default_factory=set)
    """The digests of bots that were sent to it."""
    unplayable_bots: dict[str, str] = field(default_factory=dict)
    """Bots that it cannot play, by their digests, and why."""
    refusal: str = ""
    """Why it gets no tasks at all; empty if it may."""
    orders: dict[int, float] = field(default_factory=dict)
    """The tasks it has, and when each was sent."""
    in_progress: set[int] = field(default_factory=set)
    """The tasks that it has started."""
    last_heard: float = 0.0
    """When it reported anything for the last time."""
    is_suspended: bool = False
    """Whether it was silent for too long, and gets no tasks until it answers."""
    log_budget: float = 0.0
    """How many lines it may log at the moment."""
    budget_time: float = 0.0
    """When `log_budget` was computed."""

    @property
    def is_ready(self) -> bool:
        """Whether it can be given tasks."""
        return self.info is not None and not self.refusal and not self.is_suspended

    @property
    def has_free_core(self) -> bool:
        """Whether it has an idle core."""
        return len(self.orders) < self.cores

    def may_log(self, now: float) -> bool:
        """Whether another of its lines may be logged; counts it."""
        self.log_budget = min(LOG_BURST, self.log_budget + (now - self.budget_time) * LOG_RATE)
        self.budget_time = now
        if self.log_budget < 1:
            return False
        self.log_budget -= 1
        return True

    def can_play(self, digests: Iterable[str]) -> bool:
        """Whether it can play all of these bots."""
        return self.unplayable_bots.keys().isdisjoint(digests)

    def find_unplayable_bots(self, entries: Iterable[tuple[BotEntry, Sequence[str]]]) -> list[str]:
        """Note which bots it cannot play for lack of programs; return their names, and why.

        Each entry comes with the programs that it needs.
        """
        missing = self.info.missing if self.info else {}
        found = []
        for entry, programs in entries:
            for program in programs:
                if program in missing and entry.digest not in self.unplayable_bots:
                    why = f"which needs {program}; {missing[program]}"
                    self.unplayable_bots[entry.digest] = why
                    found.append(f"{entry.name}, {why}")
        return found

    def silent_seconds(self, now: float) -> float:
        """For how many seconds it has owed a report."""
        if not self.orders or self.is_suspended:
            return 0.0
        return now - max(self.last_heard, min(self.orders.values()))


class WorkerPool:
    """The workers that are connected, and the choice of a worker for a task."""

    def __init__(self, max_cores: int | None = None) -> None:
        self.max_cores = max_cores
        """Cores that may be used; None: all."""
        self.workers: dict[str, ClusterWorker] = {}
        self.task_seconds = 0.0
        """Seconds that a task takes, as a moving average; 0 before the first."""

    @property
    def ready(self) -> Sequence[ClusterWorker]:
        """The workers that can be given tasks."""
        return [worker for worker in self.workers.values() if worker.is_ready]

    @property
    def usable(self) -> Sequence[ClusterWorker]:
        """The workers that are not refused, also those that have not answered yet."""
        return [worker for worker in self.workers.values() if not worker.refusal]

    @property
    def cores(self) -> int:
        """How many chunks the usable workers can play at once."""
        total = sum(worker.cores for worker in self.usable)
        return total if self.max_cores is None else min(total, self.max_cores)

    @property
    def depth(self) -> int:
        """Orders that a worker has for each core: more if tasks are short."""
        return (
            1 + min(MAX_DEPTH - 1, ceil(SECONDS_AHEAD / self.task_seconds))
            if self.task_seconds
            else 2
        )

    def add_duration(self, seconds: float) -> None:
        """Update the average duration of a task."""
        self.task_seconds = (
            seconds if not self.task_seconds else 0.8 * self.task_seconds + 0.2 * seconds
        )

    def free_slots(self) -> int:
        """How many orders could be sent now."""
        depth = self.depth
        room = sum(max(0, depth * one.cores - len(one.orders)) for one in self.ready)
        if self.max_cores is None:
            return room
        assigned = sum(len(one.orders) for one in self.workers.values())
        return max(0, min(room, depth * self.max_cores - assigned))

    def has_spare_core(self) -> bool:
        """Whether `max_cores` allows one more core to be used."""
        if self.max_cores is None:
            return True
        return self.max_cores > sum(
            min(len(one.orders), one.cores) for one in self.workers.values()
        )

    def choose(self, digests: Sequence[str], avoided: Collection[str] = ()) -> ClusterWorker | None:
        """The worker for a task with these bots: the least busy, then one that has most of them.

        Workers where the task has failed are avoided if any other worker can play it.
        """
        depth, spare = self.depth, self.has_spare_core()
        capable = [worker for worker in self.ready if worker.can_play(digests)]
        found = [
            worker
            for worker in [one for one in capable if one.address not in avoided] or capable
            if len(worker.orders) < depth * worker.cores and (spare or not worker.has_free_core)
        ]
        return min(
            found,
            key=lambda one: (
                len(one.orders) // one.cores,
                -len(one.sent_bots.intersection(digests)),
            ),
            default=None,
        )

    def unplayable_reason(self, entries: Iterable[BotEntry]) -> str:
        """Why no ready worker can play all of these bots; empty if one can, or none is ready."""
        wanted = {entry.digest: entry.name for entry in entries}
        ready = self.ready
        if not ready or any(worker.can_play(wanted) for worker in ready):
            return ""
        reasons: dict[str, str] = {}
        for worker in ready:
            digest = next(digest for digest in wanted if digest in worker.unplayable_bots)
            reasons.setdefault(f"{wanted[digest]}, {worker.unplayable_bots[digest]}", worker.name)
        return "; ".join(f"{name} cannot play {why}" for why, name in reasons.items())
