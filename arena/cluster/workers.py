"""Workers of the cluster: their state, the bots they can play, and their free cores."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from arena.cluster.messages import BotEntry, WorkerInfo

SECONDS_AHEAD: Final = 4.0
"""Seconds of work that a worker has before it, so that it never waits for the next order."""
MAX_DEPTH: Final = 8
"""Orders for each core at most, however short they are."""
LOG_BURST: Final = 2000.0
"""Lines that a worker may log at once."""
LOG_RATE: Final = 20.0
"""And in each second after that; what is more is left out."""


@dataclass
class ClusterWorker:
    """A worker that takes part."""

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
    """Why it gets nothing at all."""
    orders: dict[int, float] = field(default_factory=dict)
    """The tasks it has, and when each was sent."""
    in_progress: set[int] = field(default_factory=set)
    """Those it is at."""
    last_heard: float = 0.0
    is_suspended: bool = False
    """Whether it has fallen silent."""
    log_budget: float = 0.0
    """How many lines it may have logged at the moment."""
    budget_time: float = 0.0
    """When that was worked out."""

    @property
    def is_ready(self) -> bool:
        """Whether it can be given something."""
        return self.info is not None and not self.refusal and not self.is_suspended

    @property
    def has_free_core(self) -> bool:
        """Whether it has a core with nothing to do."""
        return len(self.orders) < self.cores

    def may_log(self, now: float) -> bool:
        """Whether another line of it is logged: so many at once, and then so many a second."""
        self.log_budget = min(LOG_BURST, self.log_budget + (now - self.budget_time) * LOG_RATE)
        self.budget_time = now
        if self.log_budget < 1:
            return False
        self.log_budget -= 1
        return True

    def can_play(self, digests: Iterable[str]) -> bool:
        """Whether it can play with these bots."""
        return self.unplayable_bots.keys().isdisjoint(digests)

    def find_unplayable_bots(self, entries: Iterable[tuple[BotEntry, Sequence[str]]]) -> list[str]:
        """Find out what it cannot play, now that it has answered: the names of bots, and why.

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
        """For how many seconds it has owed a word."""
        if not self.orders or self.is_suspended:
            return 0.0
        return now - max(self.last_heard, min(self.orders.values()))


class WorkerPool:
    """All workers, by their addresses."""

    def __init__(self, max_cores: int | None = None) -> None:
        self.max_cores = max_cores
        """Cores that may be used; None: all."""
        self.workers: dict[str, ClusterWorker] = {}
        self.task_seconds = 0.0
        """Seconds that a task takes."""

    @property
    def ready(self) -> Sequence[ClusterWorker]:
        """Those that can be given something."""
        return [worker for worker in self.workers.values() if worker.is_ready]

    @property
    def usable(self) -> Sequence[ClusterWorker]:
        """Those that nothing speaks against, as far as is known."""
        return [worker for worker in self.workers.values() if not worker.refusal]

    @property
    def cores(self) -> int:
        """How many chunks those can play at once."""
        total = sum(worker.cores for worker in self.usable)
        return total if self.max_cores is None else min(total, self.max_cores)

    @property
    def depth(self) -> int:
        """Orders that a core is given at once: more if they are short."""
        return (
            1 + min(MAX_DEPTH - 1, ceil(SECONDS_AHEAD / self.task_seconds))
            if self.task_seconds
            else 2
        )

    def add_duration(self, seconds: float) -> None:
        """Take how long a task took."""
        self.task_seconds = (
            seconds if not self.task_seconds else 0.8 * self.task_seconds + 0.2 * seconds
        )

    def free_slots(self) -> int:
        """How many orders could be given now."""
        depth = self.depth
        room = sum(max(0, depth * one.cores - len(one.orders)) for one in self.ready)
        if self.max_cores is None:
            return room
        given = sum(len(one.orders) for one in self.workers.values())
        return max(0, min(room, depth * self.max_cores - given))

    def has_spare_core(self) -> bool:
        """Whether one more core may be put to use."""
        if self.max_cores is None:
            return True
        return self.max_cores > sum(
            min(len(one.orders), one.cores) for one in self.workers.values()
        )

    def choose(self, digests: Sequence[str], avoided: Collection[str] = ()) -> ClusterWorker | None:
        """Who gets a task with these bots: the least busy, that has most of them already.

        Those where it has failed get it again if there is nobody else, however busy others are.
        """
        depth, spare = self.depth, self.has_spare_core()
        able = [worker for worker in self.ready if worker.can_play(digests)]
        found = [
            worker
            for worker in [one for one in able if one.address not in avoided] or able
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
        """Why nobody that is there can play these bots, if it is so; empty if somebody can."""
        wanted = {entry.digest: entry.name for entry in entries}
        ready = self.ready
        if not ready or any(worker.can_play(wanted) for worker in ready):
            return ""
        told: dict[str, str] = {}
        for worker in ready:
            digest = next(digest for digest in wanted if digest in worker.unplayable_bots)
            told.setdefault(f"{wanted[digest]}, {worker.unplayable_bots[digest]}", worker.name)
        return "; ".join(f"{name} cannot play {why}" for why, name in told.items())
