"""Which tasks wait, which worker has which task, and the order in which tasks are sent."""

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
from arena.referee.record import SeatedBot
from arena.tournaments.play.backend import BackendEvent, ChunkTask, TaskFailure

MAX_WAITING: Final = 16
"""Tasks that may wait for a suitable worker, and four more for each core."""


@dataclass(frozen=True)
class Assignment:
    """A task that was sent to a worker."""

    task: ChunkTask
    address: str
    attempt: int


class Assignments:
    """The tasks of a cluster: waiting, or sent to a worker."""

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
        """The bots that play; the numbers at tables are indices of this list."""
        self.variants: tuple[str, ...] = ()
        """The variants that bots have to be ready for."""
        self.active: dict[int, Assignment] = {}
        self.waiting: dict[int, ChunkTask] = {}
        """Tasks that wait for a worker that can play them."""
        self.failed_workers: dict[int, set[str]] = {}
        """The workers where a task has failed; others are preferred."""
        self.missing_reports: Counter[tuple[int, str]] = Counter()
        """How often a worker has reported that it lacks bots of a task."""
        self.attempts = count(1)

    def free_slots(self) -> int:
        """How many tasks could be submitted now."""
        if self.connection.dask is None or len(self.waiting) > MAX_WAITING + 4 * self.pool.cores:
            return 0
        return self.pool.free_slots()

    def worker_of(self, number: int, attempt: int) -> ClusterWorker | None:
        """The worker that has a task from this attempt; None if it was sent anew or returned."""
        assignment = self.active.get(number)
        if assignment is None or assignment.attempt != attempt:
            return None
        return self.pool.workers[assignment.address]

    def bots_of(self, task: ChunkTask) -> list[ShippedBot]:
        """The bots that play a task."""
        return [self.bots[bot] for bot in task.chunk.table]

    def recorded_bots(self, task: ChunkTask) -> list[SeatedBot]:
        """The bots that play a task, as records name them."""
        return [SeatedBot(one.entry.name, one.version) for one in self.bots_of(task)]

    def requeue_all(self) -> None:
        """Put all tasks that were sent back into the queue, since the scheduler has lost them."""
        self.waiting.update((number, assignment.task) for number, assignment in self.active.items())
        self.active.clear()

    def cancel_waiting(self) -> list[int]:
        """Withdraw all tasks that no worker has started; return their numbers."""
        found = list(self.waiting)
        self.waiting.clear()
        for number, assignment in list(self.active.items()):
            worker = self.pool.workers.get(assignment.address)
            if worker is None or number not in worker.in_progress:
                self.release(number)
                found.append(number)
        return found

    def release_all(self, worker: ClusterWorker, how: str, *, counts: bool) -> list[BackendEvent]:
        """Withdraw all tasks of a worker; those it had started have failed if that `counts`."""
        news: list[BackendEvent] = []
        for number in list(worker.orders):
            was_started = number in worker.in_progress
            task = self.release(number)
            if was_started and counts:
                news.append(TaskFailure(number, f"{worker.name} {how}"))
            else:
                self.waiting[number] = task
        return news

    def release(self, number: int) -> ChunkTask:
        """Withdraw a task from the worker that has it; return the task."""
        assignment = self.active.pop(number)
        if self.connection.dask:
            self.connection.dask.cancel(number, assignment.attempt)
        worker = self.pool.workers.get(assignment.address)
        if worker:
            del worker.orders[number]
            worker.in_progress.discard(number)
        return assignment.task

    def assign_waiting(self) -> None:
        """Send waiting tasks to workers that can play them, in the order of the plan."""
        room = self.pool.free_slots() if self.waiting else 0
        for number in sorted(self.waiting):
            if self.connection.dask is None or not room:
                return
            task = self.waiting[number]
            bots = self.bots_of(task)
            avoided = self.failed_workers.get(number, ())
            worker = self.pool.choose([one.entry.digest for one in bots], avoided)
            if worker is None:
                continue
            room -= 1
            del self.waiting[number]
            self.connection.dask.submit(self.create_order(task, bots, worker), worker.address)

    def rebalance(self) -> None:
        """Let idle workers take over tasks that others have not started."""
        if self.waiting:
            return
        ready = self.pool.ready
        idle = [one for one in ready if one.has_free_core]
        busy = [one for one in ready if len(one.orders) > one.cores] if idle else []
        queued = sorted(number for one in busy for number in one.orders.keys() - one.in_progress)
        for number in queued:
            if not any(one.has_free_core for one in idle):
                return
            assignment = self.active[number]
            bots = self.bots_of(assignment.task)
            digests = [one.entry.digest for one in bots]
            holder = self.pool.workers[assignment.address]
            taker = next((one for one in idle if one.has_free_core and one.can_play(digests)), None)
            if (
                taker
                and len(holder.orders) > holder.cores
                and self.pool.has_spare_core()
                and self.connection.dask
            ):
                self.release(number)
                self.connection.dask.submit(
                    self.create_order(assignment.task, bots, taker), taker.address
                )

    def create_order(
        self, task: ChunkTask, bots: Sequence[ShippedBot], worker: ClusterWorker
    ) -> PlayOrder:
        """Assign a task to a worker; return the order, with the bundles that the worker lacks."""
        assignment = Assignment(task, worker.address, next(self.attempts))
        self.active[task.number] = assignment
        worker.orders[task.number] = time.monotonic()
        unsent = [one for one in bots if one.entry.digest not in worker.sent_bots]
        worker.sent_bots.update(one.entry.digest for one in unsent)
        chunk = replace(task.chunk, table=tuple(range(len(bots))))
        return PlayOrder(
            task=replace(task, chunk=chunk),
            attempt=assignment.attempt,
            entries=tuple(one.entry for one in bots),
            config=self.config,
            variants=self.variants,
            network=self.network,
            bundles={one.entry.digest: one.bundle for one in unsent},
        )
