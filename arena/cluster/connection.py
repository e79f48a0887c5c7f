"""A connection to the scheduler that is reopened when it breaks, and its event queue."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final

from arena.cluster.dask import DaskConnection, SchedulerUnavailable
from arena.cluster.messages import ClusterEvent, ProgressReport, SchedulerLost
from arena.tournaments.config.scheduler_address import SchedulerAddress

RECONNECT_INTERVAL: Final = 1.0
"""Seconds between two attempts to reach a scheduler that is gone."""
MAX_QUEUED_EVENTS: Final = 10_000
"""Events in the queue; progress reports beyond that are dropped."""


@dataclass(frozen=True)
class SchedulerReconnected:
    """The scheduler answers again."""

    dask: DaskConnection


class DurableConnection:
    """Connects to the scheduler, and again whenever the connection breaks."""

    def __init__(self, scheduler: SchedulerAddress) -> None:
        self.scheduler = scheduler
        self.dask: DaskConnection | None = None
        """The current connection; None while the scheduler is gone."""
        self.generation = 0
        """How often it has broken; events of earlier connections are ignored."""
        self.inbox: SimpleQueue[tuple[int, ClusterEvent | SchedulerReconnected]] = SimpleQueue()
        self.closed = threading.Event()

    def open(self) -> None:
        """Connect to the scheduler; fails if it does not answer."""
        self.dask = DaskConnection(self.scheduler, self.event_callback())

    def event_callback(self) -> Callable[[ClusterEvent | SchedulerReconnected], None]:
        """The function by which a connection of this generation posts events."""
        generation = self.generation

        def put(event: ClusterEvent | SchedulerReconnected) -> None:
            if not isinstance(event, ProgressReport) or self.inbox.qsize() < MAX_QUEUED_EVENTS:
                self.inbox.put((generation, event))

        return put

    def events(self, seconds: float) -> Iterator[ClusterEvent | SchedulerReconnected]:
        """The events so far; if there are none, wait at most so many seconds for one."""
        try:
            generation, event = self.inbox.get(block=seconds > 0, timeout=seconds)
            while True:
                if generation == self.generation:
                    if isinstance(event, SchedulerLost):
                        self.reconnect()
                    elif isinstance(event, SchedulerReconnected):
                        self.dask = event.dask
                    yield event
                generation, event = self.inbox.get_nowait()
        except Empty:
            return

    def reconnect(self) -> None:
        """Close a broken connection, and start a thread that opens another."""
        self.generation += 1
        broken, self.dask = self.dask, None
        if broken:
            broken.close_in_background()
        threading.Thread(
            target=self.retry_connect, args=(self.event_callback(),), daemon=True
        ).start()

    def retry_connect(self, post: Callable[[ClusterEvent | SchedulerReconnected], None]) -> None:
        """Try to connect to the scheduler until it answers."""
        while not self.closed.wait(RECONNECT_INTERVAL):
            try:
                dask = DaskConnection(self.scheduler, post)
            except SchedulerUnavailable:
                continue
            if self.closed.is_set():
                dask.close()
            else:
                post(SchedulerReconnected(dask))
            return

    def close(self) -> None:
        """Close the connection and stop trying to reconnect."""
        self.closed.set()
        if self.dask:
            self.dask.close()
