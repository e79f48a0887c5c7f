"""What it takes a coordinator to find a worker for each task, by how many workers there are."""

import time
from collections.abc import Iterator
from itertools import count
from math import inf
from pathlib import Path
from typing import cast

import msgspec
from rich.table import Table

from arena.cluster.cluster import Cluster
from arena.cluster.engine import Engine
from arena.cluster.envoys import Envoy
from arena.cluster.events import Returned
from arena.cluster.messages import Entry, Facts, Needs, Order, Played
from arena.cluster.roster import Worker
from arena.match.terms import Terms
from arena.ratings.cell import Cell
from arena.tournaments.address import Address
from arena.tournaments.backend import Task
from arena.tournaments.block import Chunk
from tests.bench.sheet import sheet

TASKS = 300
WORKERS = (4, 50, 200, 500)
NOTHING = msgspec.msgpack.encode([])


class Nowhere:
    """An engine that carries nothing."""

    def submit(self, order: Order, address: str) -> None:
        """Leave it."""

    def drop(self, number: int, attempt: int) -> None:
        """Leave it."""


def full(workers: int, numbers: Iterator[int]) -> Cluster:
    """A coordinator whose workers have all that they take."""
    cluster = Cluster(Address("tcp://nowhere:1"), Terms(), silence=inf)
    cluster.line.engine = cast("Engine", Nowhere())
    cluster.needs = Needs((), "none")
    names = ("amber", "brass", "coral", "denim")
    cluster.ledger.envoys = [Envoy(Entry(name, name), "", Path(), (), ()) for name in names]
    for number in range(workers):
        one = Worker(f"tcp://{number}", str(number), 1, Facts("", {}, ""), has=set(names))
        cluster.roster.workers[one.address] = one
    cluster.roster.learn(1.0)
    give(cluster, numbers)
    return cluster


def give(cluster: Cluster, numbers: Iterator[int]) -> None:
    """Give it as much as it takes."""
    while cluster.room():
        cluster.give(Task(next(numbers), Chunk(Cell("sticheln", 4), (0, 1, 2, 3), ())))


def placing() -> Table:
    """Milliseconds of CPU time a task, with nothing but the coordinator's own lists."""
    table = sheet("placing tasks of 1 s", "ms a task, first", "ms a task, then", "tasks/s at most")
    for workers in WORKERS:
        numbers = count(1)
        begun = time.thread_time()
        cluster = full(workers, numbers)
        filling = (time.thread_time() - begun) / len(cluster.ledger.given)
        begun = time.thread_time()
        for _ in range(TASKS):
            number, given = next(iter(cluster.ledger.given.items()))
            cluster.line.inbox.put((0, Returned(number, given.attempt, Played(NOTHING, 1.0))))
            cluster.wait(0.0)
            give(cluster, numbers)
        each = (time.thread_time() - begun) / TASKS
        figures = f"{filling * 1000:.2f}", f"{each * 1000:.2f}", f"{1 / each:,.0f}"
        table.add_row(f"{workers} workers", *figures)
    return table
