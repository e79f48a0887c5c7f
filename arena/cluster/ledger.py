"""The ledger: which tasks wait, which are given to whom, and who gets which next."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from arena.cluster.envoys import Envoy
from arena.cluster.line import Line
from arena.cluster.messages import Order
from arena.cluster.roster import Roster, Worker
from arena.match.record import Seated
from arena.match.terms import Terms
from arena.tournaments.backend import Failed, News, Task

HELD: Final = 16
"""Tasks that are held back for workers that can play them, and four more for each core."""


@dataclass(frozen=True)
class Given:
    """A task that a worker has."""

    task: Task
    address: str
    attempt: int


class Ledger:
    """The tasks of a cluster."""

    def __init__(self, line: Line, roster: Roster, terms: Terms, *, network: bool) -> None:
        self.line = line
        self.roster = roster
        self.terms = terms
        self.network = network
        self.envoys: list[Envoy] = []
        """Who plays; the numbers at tables are their numbers here."""
        self.variants: tuple[str, ...] = ()
        """What bots are asked to be ready for."""
        self.given: dict[int, Given] = {}
        self.waiting: dict[int, Task] = {}
        """Tasks that wait for a worker that can play them."""
        self.shunned: dict[int, set[str]] = {}
        """Workers where a task has failed: others are asked first."""
        self.lacked: Counter[tuple[int, str]] = Counter()
        """How often a worker has asked for the bots of a task."""
        self.attempts = count(1)

    def room(self) -> int:
        """How many tasks could be given now."""
        if self.line.engine is None or len(self.waiting) > HELD + 4 * self.roster.cores:
            return 0
        return self.roster.free()

    def holder(self, number: int, attempt: int) -> Worker | None:
        """The worker that has a task, if that was sent to it by this attempt."""
        given = self.given.get(number)
        if given is None or given.attempt != attempt:
            return None
        return self.roster.workers[given.address]

    def table(self, task: Task) -> list[Envoy]:
        """The bots that play a task."""
        return [self.envoys[bot] for bot in task.chunk.table]

    def seated(self, task: Task) -> list[Seated]:
        """The bots that play a task, as records name them."""
        return [Seated(one.entry.name, one.version) for one in self.table(task)]

    def take_back(self) -> None:
        """Let everything wait again that was given to anybody, since nobody has it any more."""
        self.waiting.update((number, given.task) for number, given in self.given.items())
        self.given.clear()

    def recall(self) -> list[int]:
        """Take back what nobody has begun."""
        found = list(self.waiting)
        self.waiting.clear()
        for number, given in list(self.given.items()):
            worker = self.roster.workers.get(given.address)
            if worker is None or number not in worker.begun:
                self.release(number)
                found.append(number)
        return found

    def unburden(self, worker: Worker, how: str, *, counts: bool) -> list[News]:
        """Take everything from a worker; chunks that it was at have failed, if that counts."""
        news: list[News] = []
        for number in list(worker.orders):
            begun = number in worker.begun
            task = self.release(number)
            if begun and counts:
                news.append(Failed(number, f"{worker.name} {how}"))
            else:
                self.waiting[number] = task
        return news

    def release(self, number: int) -> Task:
        """Take a task from the worker that has it."""
        given = self.given.pop(number)
        if self.line.engine:
            self.line.engine.drop(number, given.attempt)
        worker = self.roster.workers.get(given.address)
        if worker:
            del worker.orders[number]
            worker.begun.discard(number)
        return given.task

    def place(self) -> None:
        """Give tasks that wait to workers that can play them, in their order."""
        room = self.roster.free() if self.waiting else 0
        for number in sorted(self.waiting):
            if self.line.engine is None or not room:
                return
            task = self.waiting[number]
            envoys = self.table(task)
            shunned = self.shunned.get(number, ())
            worker = self.roster.choose([one.entry.digest for one in envoys], shunned)
            if worker is None:
                continue
            room -= 1
            del self.waiting[number]
            self.line.engine.submit(self.order(task, envoys, worker), worker.address)

    def level(self) -> None:
        """Let those who have nothing to do take over what others have not begun."""
        if self.waiting:
            return
        ready = self.roster.ready
        idle = [one for one in ready if one.free]
        busy = [one for one in ready if len(one.orders) > one.cores] if idle else []
        queued = sorted(number for one in busy for number in one.orders.keys() - one.begun)
        for number in queued:
            if not any(one.free for one in idle):
                return
            given = self.given[number]
            envoys = self.table(given.task)
            digests = [one.entry.digest for one in envoys]
            holder = self.roster.workers[given.address]
            taker = next((one for one in idle if one.free and one.plays(digests)), None)
            if (
                taker
                and len(holder.orders) > holder.cores
                and self.roster.spare()
                and self.line.engine
            ):
                self.release(number)
                self.line.engine.submit(self.order(given.task, envoys, taker), taker.address)

    def order(self, task: Task, envoys: Sequence[Envoy], worker: Worker) -> Order:
        """The order for a worker, with the bundles of bots that it may not have."""
        given = Given(task, worker.address, next(self.attempts))
        self.given[task.number] = given
        worker.orders[task.number] = time.monotonic()
        fresh = [one for one in envoys if one.entry.digest not in worker.has]
        worker.has.update(one.entry.digest for one in fresh)
        chunk = replace(task.chunk, table=tuple(range(len(envoys))))
        return Order(
            task=replace(task, chunk=chunk),
            attempt=given.attempt,
            entries=tuple(one.entry for one in envoys),
            terms=self.terms,
            variants=self.variants,
            network=self.network,
            bundles={one.entry.digest: one.bundle for one in fresh},
        )
