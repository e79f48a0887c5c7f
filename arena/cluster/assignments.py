"""Tasks that wait, tasks that workers have, and the choice of the next task for a worker."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from arena.cluster.connection import DurableConnection
from arena.cluster.messages import PlayOrder, ShippedBot
from arena.cluster.workers import ClusterWorker, WorkerPool
from arena.referee.config import RefereeConfig
from arena.referee.record import Seated
from arena.tournaments.play.backend import BackendEvent, ChunkTask, TaskFailure

MAX_WAITING: Final = 16
"""Tasks that are held back for workers that can play them, and four more for each core."""


@dataclass(frozen=True)
class Assignment:
    """A task that a worker has."""

    task: ChunkTask
    address: str
    attempt: int


class Assignments:
    """The tasks of a cluster."""

    def __init__(
        self,
        connection: DurableConnection,
        pool: WorkerPool,
        config: RefereeConfig,
        *,
        network: bool,
    ) -> None:
        self.connection = connection
        self.pool = pool
        self.config = config
        self.network = network
        self.bots: list[ShippedBot] = []
        """Who plays; the numbers at tables are their numbers here."""
        self.variants: tuple[str, ...] = ()
        """What bots are asked to be ready for."""
        self.active: dict[int, Assignment] = {}
        self.waiting: dict[int, ChunkTask] = {}
        """Tasks that wait for a worker that can play them."""
        self.failed_workers: dict[int, set[str]] = {}
        """Workers where a task has failed: others are asked first."""
        self.missing_reports: Counter[tuple[int, str]] = Counter()
        """How often a worker has asked for the bots of a task."""
        self.attempts = count(1)

    def free_slots(self) -> int:
        """How many tasks could be given now."""
        if self.connection.dask is None or len(self.waiting) > MAX_WAITING + 4 * self.pool.cores:
            return 0
        return self.pool.free_slots()

    def worker_of(self, number: int, attempt: int) -> ClusterWorker | None:
        """The worker that has a task, if that was sent to it by this attempt."""
        given = self.active.get(number)
        if given is None or given.attempt != attempt:
            return None
        return self.pool.workers[given.address]

    def bots_of(self, task: ChunkTask) -> list[ShippedBot]:
        """The bots that play a task."""
        return [self.bots[bot] for bot in task.chunk.table]

    def recorded_bots(self, task: ChunkTask) -> list[Seated]:
        """The bots that play a task, as records name them."""
        return [Seated(one.entry.name, one.version) for one in self.bots_of(task)]

    def requeue_all(self) -> None:
        """Let everything wait again that was given to anybody, since nobody has it any more."""
        self.waiting.update((number, given.task) for number, given in self.active.items())
        self.active.clear()

    def cancel_waiting(self) -> list[int]:
        """Take back what nobody has begun."""
        found = list(self.waiting)
        self.waiting.clear()
        for number, given in list(self.active.items()):
            worker = self.pool.workers.get(given.address)
            if worker is None or number not in worker.in_progress:
                self.release(number)
                found.append(number)
        return found

    def release_all(self, worker: ClusterWorker, how: str, *, counts: bool) -> list[BackendEvent]:
        """Take everything from a worker; chunks that it was at have failed, if that counts."""
        news: list[BackendEvent] = []
        for number in list(worker.orders):
            begun = number in worker.in_progress
            task = self.release(number)
            if begun and counts:
                news.append(TaskFailure(number, f"{worker.name} {how}"))
            else:
                self.waiting[number] = task
        return news

    def release(self, number: int) -> ChunkTask:
        """Take a task from the worker that has it."""
        given = self.active.pop(number)
        if self.connection.dask:
            self.connection.dask.cancel(number, given.attempt)
        worker = self.pool.workers.get(given.address)
        if worker:
            del worker.orders[number]
            worker.in_progress.discard(number)
        return given.task

    def assign_waiting(self) -> None:
        """Give tasks that wait to workers that can play them, in their order."""
        room = self.pool.free_slots() if self.waiting else 0
        for number in sorted(self.waiting):
            if self.connection.dask is None or not room:
                return
            task = self.waiting[number]
            envoys = self.bots_of(task)
            shunned = self.failed_workers.get(number, ())
            worker = self.pool.choose([one.entry.digest for one in envoys], shunned)
            if worker is None:
                continue
            room -= 1
            del self.waiting[number]
            self.connection.dask.submit(self.create_order(task, envoys, worker), worker.address)

    def rebalance(self) -> None:
        """Let those who have nothing to do take over what others have not begun."""
        if self.waiting:
            return
        ready = self.pool.ready
        idle = [one for one in ready if one.has_free_core]
        busy = [one for one in ready if len(one.orders) > one.cores] if idle else []
        queued = sorted(number for one in busy for number in one.orders.keys() - one.in_progress)
        for number in queued:
            if not any(one.has_free_core for one in idle):
                return
            given = self.active[number]
            envoys = self.bots_of(given.task)
            digests = [one.entry.digest for one in envoys]
            holder = self.pool.workers[given.address]
            taker = next((one for one in idle if one.has_free_core and one.can_play(digests)), None)
            if (
                taker
                and len(holder.orders) > holder.cores
                and self.pool.has_spare_core()
                and self.connection.dask
            ):
                self.release(number)
                self.connection.dask.submit(
                    self.create_order(given.task, envoys, taker), taker.address
                )

    def create_order(
        self, task: ChunkTask, bots: Sequence[ShippedBot], worker: ClusterWorker
    ) -> PlayOrder:
        """The order for a worker, with the bundles of bots that it may not have."""
        given = Assignment(task, worker.address, next(self.attempts))
        self.active[task.number] = given
        worker.orders[task.number] = time.monotonic()
        fresh = [one for one in bots if one.entry.digest not in worker.sent_bots]
        worker.sent_bots.update(one.entry.digest for one in fresh)
        chunk = replace(task.chunk, table=tuple(range(len(bots))))
        return PlayOrder(
            task=replace(task, chunk=chunk),
            attempt=given.attempt,
            entries=tuple(one.entry for one in bots),
            config=self.config,
            variants=self.variants,
            network=self.network,
            bundles={one.entry.digest: one.bundle for one in fresh},
        )
