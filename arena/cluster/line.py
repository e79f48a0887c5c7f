"""The line to a scheduler: what is heard through it, and how it is made again when it breaks."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final

from arena.cluster.engine import Engine, NoScheduler
from arena.cluster.events import Event, Heard, Lost
from arena.tournaments.address import Address

AGAIN: Final = 1.0
"""Seconds between two attempts to reach a scheduler that is gone."""
CROWDED: Final = 10_000
"""Events that wait to be taken; above that, what workers say meanwhile is left out."""


@dataclass(frozen=True)
class Back:
    """The scheduler answers again."""

    engine: Engine


class Line:
    """A line that lasts, though connections break."""

    def __init__(self, at: Address) -> None:
        self.at = at
        self.engine: Engine | None = None
        """The connection; None while the scheduler is gone."""
        self.generation = 0
        """How often it has broken; what an earlier connection says is not heard."""
        self.inbox: SimpleQueue[tuple[int, Event | Back]] = SimpleQueue()
        self.closed = threading.Event()

    def open(self) -> None:
        """Reach the scheduler, at once or not at all."""
        self.engine = Engine(self.at, self.post())

    def post(self) -> Callable[[Event | Back], None]:
        """What a connection of this generation tells us by."""
        generation = self.generation

        def put(event: Event | Back) -> None:
            if not isinstance(event, Heard) or self.inbox.qsize() < CROWDED:
                self.inbox.put((generation, event))

        return put

    def events(self, seconds: float) -> Iterator[Event | Back]:
        """What was heard, after at most so many seconds."""
        try:
            generation, event = self.inbox.get(block=seconds > 0, timeout=seconds)
            while True:
                if generation == self.generation:
                    if isinstance(event, Lost):
                        self.lose()
                    elif isinstance(event, Back):
                        self.engine = event.engine
                    yield event
                generation, event = self.inbox.get_nowait()
        except Empty:
            return

    def lose(self) -> None:
        """Let go of a connection that is broken, and begin to look for another."""
        self.generation += 1
        broken, self.engine = self.engine, None
        if broken:
            broken.abandon()
        threading.Thread(target=self.reach, args=(self.post(),), daemon=True).start()

    def reach(self, post: Callable[[Event | Back], None]) -> None:
        """Try to reach the scheduler until it answers."""
        while not self.closed.wait(AGAIN):
            try:
                engine = Engine(self.at, post)
            except NoScheduler:
                continue
            if self.closed.is_set():
                engine.close()
            else:
                post(Back(engine))
            return

    def close(self) -> None:
        """Let go of everything."""
        self.closed.set()
        if self.engine:
            self.engine.close()
