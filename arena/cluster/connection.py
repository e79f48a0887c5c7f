"""Connection to the scheduler that is opened again when it breaks, and its event queue."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final

from arena.cluster.dask import DaskConnection, NoScheduler
from arena.cluster.messages import ClusterEvent, ProgressReport, SchedulerLost
from arena.tournaments.config.scheduler_address import SchedulerAddress

RECONNECT_INTERVAL: Final = 1.0
"""Seconds between two attempts to reach a scheduler that is gone."""
MAX_QUEUED_EVENTS: Final = 10_000
"""Events that wait to be taken; above that, what workers say meanwhile is left out."""


@dataclass(frozen=True)
class SchedulerBack:
    """The scheduler answers again."""

    dask: DaskConnection


class DurableConnection:
    """A line that lasts, though connections break."""

    def __init__(self, scheduler: SchedulerAddress) -> None:
        self.scheduler = scheduler
        self.dask: DaskConnection | None = None
        """The connection; None while the scheduler is gone."""
        self.generation = 0
        """How often it has broken; what an earlier connection says is not heard."""
        self.inbox: SimpleQueue[tuple[int, ClusterEvent | SchedulerBack]] = SimpleQueue()
        self.closed = threading.Event()

    def open(self) -> None:
        """Reach the scheduler, at once or not at all."""
        self.dask = DaskConnection(self.scheduler, self.event_callback())

    def event_callback(self) -> Callable[[ClusterEvent | SchedulerBack], None]:
        """What a connection of this generation tells us by."""
        generation = self.generation

        def put(event: ClusterEvent | SchedulerBack) -> None:
            if not isinstance(event, ProgressReport) or self.inbox.qsize() < MAX_QUEUED_EVENTS:
                self.inbox.put((generation, event))

        return put

    def events(self, seconds: float) -> Iterator[ClusterEvent | SchedulerBack]:
        """What was heard, after at most so many seconds."""
        try:
            generation, event = self.inbox.get(block=seconds > 0, timeout=seconds)
            while True:
                if generation == self.generation:
                    if isinstance(event, SchedulerLost):
                        self.reconnect()
                    elif isinstance(event, SchedulerBack):
                        self.dask = event.dask
                    yield event
                generation, event = self.inbox.get_nowait()
        except Empty:
            return

    def reconnect(self) -> None:
        """Let go of a connection that is broken, and begin to look for another."""
        self.generation += 1
        broken, self.dask = self.dask, None
        if broken:
            broken.close_in_background()
        threading.Thread(
            target=self.retry_connect, args=(self.event_callback(),), daemon=True
        ).start()

    def retry_connect(self, post: Callable[[ClusterEvent | SchedulerBack], None]) -> None:
        """Try to reach the scheduler until it answers."""
        while not self.closed.wait(RECONNECT_INTERVAL):
            try:
                engine = DaskConnection(self.scheduler, post)
            except NoScheduler:
                continue
            if self.closed.is_set():
                engine.close()
            else:
                post(SchedulerBack(engine))
            return

    def close(self) -> None:
        """Let go of everything."""
        self.closed.set()
        if self.dask:
            self.dask.close()
