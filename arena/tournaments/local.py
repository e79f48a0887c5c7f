"""The local backend: a worker for each core, replaced when it dies."""

import logging
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running
from types import TracebackType
from typing import Self

from multiprocessing_logging import MultiProcessingHandler

from arena.bots.bot import Bot
from arena.match.terms import Terms
from arena.tournaments.backend import Failed, News, Task, Ticked
from arena.tournaments.halt import ASKING
from arena.tournaments.log_pipe import LogPipe
from arena.tournaments.worker import Setup, work

SPAWN = get_context("spawn")
"""A fork would copy the threads' locks of a process that shows progress and writes a log."""

SILENCE = 90.0
"""Seconds without a word after which a worker is taken to hang: a referee that goes on says so."""

PATIENCE = 30.0
"""Seconds a worker has to end its bots and itself."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def ending(code: int) -> str:
    """How a process ended, in words, from what it is waited for with."""
    return f"exit status {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


@contextmanager
def unheard() -> Iterator[None]:
    """What is started in here hears nothing of Ctrl-C or a hangup, from its first moment on."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)
    try:
        ensure_running()  # Python's own tracker, whose start lets some of them through again
        signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(process: BaseProcess) -> None:
    """Start a process that hears nothing of Ctrl-C, from its first moment on."""
    with unheard():
        process.start()


class Relay(logging.Handler):
    """Hands what a worker has logged to the handlers of this process."""

    def emit(self, record: logging.LogRecord) -> None:
        """Treat it as if it had been logged in this process."""
        logging.getLogger(record.name).handle(record)


@dataclass
class Worker:
    """A worker as its backend sees it."""

    process: BaseProcess
    pipe: Connection
    log: MultiProcessingHandler
    task: Task | None = None
    heard: float = 0.0
    """When it last said something, or was given something to do."""


class Local:
    """Plays chunks on the cores of this machine."""

    def __init__(self, count: int, bots: Sequence[Bot], terms: Terms) -> None:
        self.count = count
        self.bots = bots
        self.terms = terms
        self.workers: dict[int, Worker] = {}
        """Those that were needed so far, by core."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self, core: int) -> Worker:
        """A new worker."""
        # Each has a log of its own: one that dies while it writes leaves it unusable.
        log = MultiProcessingHandler(f"log of worker {core}", Relay())
        logged, logs = SPAWN.Pipe(duplex=False)
        log.queue = LogPipe(logged)
        ours, theirs = SPAWN.Pipe()
        setup = Setup(core, self.bots, self.terms)
        process = SPAWN.Process(
            target=work, args=(theirs, setup, logs), name=f"worker {core}", daemon=True
        )
        start(process)
        theirs.close()
        logs.close()
        return Worker(process, ours, log)

    def room(self) -> int:
        """How many cores have nothing to do."""
        return self.count - sum(worker.task is not None for worker in self.workers.values())

    def give(self, task: Task) -> None:
        """Let a worker that has nothing to do play a task."""
        busy = {core for core, worker in self.workers.items() if worker.task}
        core = next(core for core in range(self.count) if core not in busy)
        if core not in self.workers:
            self.workers[core] = self.start(core)
        worker = self.workers[core]
        worker.task = task
        worker.heard = time.monotonic()
        with suppress(OSError):  # it is dead, which the next wait finds out
            worker.pipe.send(task)

    def recall(self) -> Iterable[int]:
        """Nothing: what is given is begun."""
        return ()

    def wait(self, seconds: float) -> Iterable[News]:
        """What the workers have to say."""
        ready = wait([worker.pipe for worker in self.workers.values()], seconds)
        return [
            news
            for core, worker in list(self.workers.items())
            for news in (
                self.hear(core, worker) if worker.pipe in ready else self.miss(core, worker)
            )
        ]

    def hear(self, core: int, worker: Worker) -> Iterator[News]:
        """What a worker says; one that is dead is replaced."""
        try:
            news: News = worker.pipe.recv()
        except (EOFError, OSError):
            del self.workers[core]
            self.bury(worker)
            how = f"{worker.process.name} died ({ending(worker.process.exitcode or 0)})"
            if worker.task:
                yield Failed(worker.task.number, how)
            return
        worker.heard = time.monotonic()
        if not isinstance(news, Ticked):
            worker.task = None
        yield news

    def miss(self, core: int, worker: Worker) -> Iterator[News]:
        """End a worker that has said nothing for too long: it is stopped, or hangs."""
        if worker.task and time.monotonic() - worker.heard > SILENCE:
            del self.workers[core]
            self.bury(worker)
            how = f"{worker.process.name} said nothing for {SILENCE:.0f} s and was ended"
            yield Failed(worker.task.number, how)

    def bury(self, worker: Worker) -> None:
        """Let go of a worker that is dead or is to die now; what it has logged is kept."""
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        worker.log.close()

    def close(self) -> None:
        """End all workers and their bots, whatever they are doing."""
        for worker in self.workers.values():
            if worker.task is None:
                worker.pipe.close()  # it ends in order
        until = time.monotonic() + PATIENCE
        for worker in self.workers.values():
            if worker.task is None:
                worker.process.join(max(0.0, until - time.monotonic()))
            self.bury(worker)
