"""The roster: workers, what each of them can play, and who gets what next."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from arena.cluster.messages import Entry, Facts

AHEAD: Final = 4.0
"""Seconds of work that a worker has before it, so that it never waits for the next order."""
DEEPEST: Final = 8
"""Orders for each core at most, however short they are."""
LINES: Final = 2000.0
"""Lines that a worker may log at once."""
LINES_A_SECOND: Final = 20.0
"""And in each second after that; what is more is left out."""


@dataclass
class Worker:
    """A worker that takes part."""

    address: str
    name: str
    cores: int
    facts: Facts | None = None
    """None until it has answered."""
    has: set[str] = field(default_factory=set)
    """The digests of bots that were sent to it."""
    unfit: dict[str, str] = field(default_factory=dict)
    """Bots that it cannot play, by their digests, and why."""
    refused: str = ""
    """Why it gets nothing at all."""
    orders: dict[int, float] = field(default_factory=dict)
    """The tasks it has, and when each was sent."""
    begun: set[int] = field(default_factory=set)
    """Those it is at."""
    heard: float = 0.0
    aside: bool = False
    """Whether it has fallen silent."""
    lines: float = 0.0
    """How many lines it may have logged at the moment."""
    counted: float = 0.0
    """When that was worked out."""

    @property
    def ready(self) -> bool:
        """Whether it can be given something."""
        return self.facts is not None and not self.refused and not self.aside

    @property
    def free(self) -> bool:
        """Whether it has a core with nothing to do."""
        return len(self.orders) < self.cores

    def may_log(self, now: float) -> bool:
        """Whether another line of it is logged: so many at once, and then so many a second."""
        self.lines = min(LINES, self.lines + (now - self.counted) * LINES_A_SECOND)
        self.counted = now
        if self.lines < 1:
            return False
        self.lines -= 1
        return True

    def plays(self, digests: Iterable[str]) -> bool:
        """Whether it can play with these bots."""
        return self.unfit.keys().isdisjoint(digests)

    def restrict(self, entries: Iterable[tuple[Entry, Sequence[str]]]) -> list[str]:
        """Find out what it cannot play, now that it has answered: the names of bots, and why.

        Each entry comes with the programs that it needs.
        """
        missing = self.facts.missing if self.facts else {}
        found = []
        for entry, programs in entries:
            for program in programs:
                if program in missing and entry.digest not in self.unfit:
                    why = f"which needs {program}; {missing[program]}"
                    self.unfit[entry.digest] = why
                    found.append(f"{entry.name}, {why}")
        return found

    def silent(self, now: float) -> float:
        """For how many seconds it has owed a word."""
        if not self.orders or self.aside:
            return 0.0
        return now - max(self.heard, min(self.orders.values()))


class Roster:
    """All workers, by their addresses."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        """Cores that may be used; None: all."""
        self.workers: dict[str, Worker] = {}
        self.pace = 0.0
        """Seconds that a task takes."""

    @property
    def ready(self) -> Sequence[Worker]:
        """Those that can be given something."""
        return [worker for worker in self.workers.values() if worker.ready]

    @property
    def usable(self) -> Sequence[Worker]:
        """Those that nothing speaks against, as far as is known."""
        return [worker for worker in self.workers.values() if not worker.refused]

    @property
    def cores(self) -> int:
        """How many chunks those can play at once."""
        total = sum(worker.cores for worker in self.usable)
        return total if self.most is None else min(total, self.most)

    @property
    def depth(self) -> int:
        """Orders that a core is given at once: more if they are short."""
        return 1 + min(DEEPEST - 1, ceil(AHEAD / self.pace)) if self.pace else 2

    def learn(self, seconds: float) -> None:
        """Take how long a task took."""
        self.pace = seconds if not self.pace else 0.8 * self.pace + 0.2 * seconds

    def free(self) -> int:
        """How many orders could be given now."""
        depth = self.depth
        room = sum(max(0, depth * one.cores - len(one.orders)) for one in self.ready)
        if self.most is None:
            return room
        given = sum(len(one.orders) for one in self.workers.values())
        return max(0, min(room, depth * self.most - given))

    def spare(self) -> bool:
        """Whether one more core may be put to use."""
        if self.most is None:
            return True
        return self.most > sum(min(len(one.orders), one.cores) for one in self.workers.values())

    def choose(self, digests: Sequence[str], shunned: Collection[str] = ()) -> Worker | None:
        """Who gets a task with these bots: the least busy, that has most of them already.

        Those where it has failed get it again if there is nobody else, however busy others are.
        """
        depth, spare = self.depth, self.spare()
        able = [worker for worker in self.ready if worker.plays(digests)]
        found = [
            worker
            for worker in [one for one in able if one.address not in shunned] or able
            if len(worker.orders) < depth * worker.cores and (spare or not worker.free)
        ]
        return min(
            found,
            key=lambda one: (
                len(one.orders) // one.cores,
                -len(one.has.intersection(digests)),
            ),
            default=None,
        )

    def reasons(self, entries: Iterable[Entry]) -> str:
        """Why nobody that is there can play these bots, if it is so; empty if somebody can."""
        wanted = {entry.digest: entry.name for entry in entries}
        ready = self.ready
        if not ready or any(worker.plays(wanted) for worker in ready):
            return ""
        told: dict[str, str] = {}
        for worker in ready:
            digest = next(digest for digest in wanted if digest in worker.unfit)
            told.setdefault(f"{wanted[digest]}, {worker.unfit[digest]}", worker.name)
        return "; ".join(f"{name} cannot play {why}" for why, name in told.items())
