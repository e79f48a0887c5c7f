"""What it takes a coordinator to find a worker for each task, by how many workers there are."""

import time
from collections.abc import Iterator
from itertools import count
from math import inf
from pathlib import Path
from typing import cast

import msgspec
from rich.table import Table

from arena.cluster.backend import Cluster
from arena.cluster.dask import DaskConnection
from arena.cluster.messages import (
    BotEntry,
    PlayedTask,
    PlayOrder,
    Requirements,
    ShippedBot,
    TaskReturned,
    WorkerInfo,
)
from arena.cluster.workers import ClusterWorker
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.tournaments.config.scheduler_address import SchedulerAddress
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.play.backend import ChunkTask
from tests.bench.sheet import sheet

TASKS = 300
WORKERS = (4, 50, 200, 500)
NOTHING = msgspec.msgpack.encode([])


class Nowhere:
    """An engine that carries nothing."""

    def submit(self, order: PlayOrder, address: str) -> None:
        """Leave it."""

    def drop(self, number: int, attempt: int) -> None:
        """Leave it."""


def full(workers: int, numbers: Iterator[int]) -> Cluster:
    """A coordinator whose workers have all that they take."""
    cluster = Cluster(SchedulerAddress("tcp://nowhere:1"), RefereeConfig(), silence_timeout=inf)
    cluster.connection.dask = cast("DaskConnection", Nowhere())
    cluster.requirements = Requirements((), "none")
    names = ("amber", "brass", "coral", "denim")
    cluster.assignments.bots = [
        ShippedBot(BotEntry(name, name), "", Path(), (), ()) for name in names
    ]
    for number in range(workers):
        one = ClusterWorker(
            f"tcp://{number}", str(number), 1, WorkerInfo("", {}, ""), sent_bots=set(names)
        )
        cluster.pool.workers[one.address] = one
    cluster.pool.add_duration(1.0)
    give(cluster, numbers)
    return cluster


def give(cluster: Cluster, numbers: Iterator[int]) -> None:
    """Give it as much as it takes."""
    while cluster.free_slots():
        cluster.submit(ChunkTask(next(numbers), Chunk(Cell("sticheln", 4), (0, 1, 2, 3), ())))


def placing() -> Table:
    """Milliseconds of CPU time a task, with nothing but the coordinator's own lists."""
    table = sheet("placing tasks of 1 s", "ms a task, first", "ms a task, then", "tasks/s at most")
    for workers in WORKERS:
        numbers = count(1)
        begun = time.thread_time()
        cluster = full(workers, numbers)
        filling = (time.thread_time() - begun) / len(cluster.assignments.active)
        begun = time.thread_time()
        for _ in range(TASKS):
            number, given = next(iter(cluster.assignments.active.items()))
            cluster.connection.inbox.put(
                (0, TaskReturned(number, given.attempt, PlayedTask(NOTHING, 1.0)))
            )
            cluster.wait(0.0)
            give(cluster, numbers)
        each = (time.thread_time() - begun) / TASKS
        figures = f"{filling * 1000:.2f}", f"{each * 1000:.2f}", f"{1 / each:,.0f}"
        table.add_row(f"{workers} workers", *figures)
    return table
