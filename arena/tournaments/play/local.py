"""The local backend: one worker process per core, replaced when it dies or hangs."""

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
from arena.referee.config import RefereeConfig
from arena.tournaments.play.backend import BackendEvent, ChunkTask, GamesFinished, TaskFailure
from arena.tournaments.play.log_pipe import LogPipe
from arena.tournaments.play.signals import STOP_SIGNALS
from arena.tournaments.play.worker import WorkerSetup, run_worker

SPAWN_CONTEXT = get_context("spawn")
"""A fork would copy the threads' locks of a process that shows progress and writes a log."""

MAX_SILENCE = 90.0
"""Seconds without a word after which a worker is taken to hang: a referee that goes on says so."""

SHUTDOWN_SECONDS = 30.0
"""Seconds a worker has to end its bots and itself."""


def count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def exit_text(code: int) -> str:
    """How a process ended, in words, from what it is waited for with."""
    return f"exit status {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


@contextmanager
def block_stop_signals() -> Iterator[None]:
    """What is started in here hears nothing of Ctrl-C or a hangup, from its first moment on."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        ensure_running()  # Python's own tracker, whose start lets some of them through again
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_process(process: BaseProcess) -> None:
    """Start a process that hears nothing of Ctrl-C, from its first moment on."""
    with block_stop_signals():
        process.start()


class LogRelay(logging.Handler):
    """Hands what a worker has logged to the handlers of this process."""

    def emit(self, record: logging.LogRecord) -> None:
        """Treat it as if it had been logged in this process."""
        logging.getLogger(record.name).handle(record)


@dataclass
class LocalWorker:
    """A worker as its backend sees it."""

    process: BaseProcess
    pipe: Connection
    log: MultiProcessingHandler
    task: ChunkTask | None = None
    last_heard: float = 0.0
    """When it last said something, or was given something to do."""


class LocalBackend:
    """Plays chunks on the cores of this machine."""

    def __init__(self, worker_count: int, bots: Sequence[Bot], terms: RefereeConfig) -> None:
        self.worker_count = worker_count
        self.bots = bots
        self.terms = terms
        self.workers: dict[int, LocalWorker] = {}
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

    def start_worker(self, core: int) -> LocalWorker:
        """A new worker."""
        # Each has a log of its own: one that dies while it writes leaves it unusable.
        log = MultiProcessingHandler(f"log of worker {core}", LogRelay())
        logged, logs = SPAWN_CONTEXT.Pipe(duplex=False)
        log.queue = LogPipe(logged)
        ours, theirs = SPAWN_CONTEXT.Pipe()
        setup = WorkerSetup(core, self.bots, self.terms)
        process = SPAWN_CONTEXT.Process(
            target=run_worker, args=(theirs, setup, logs), name=f"worker {core}", daemon=True
        )
        start_process(process)
        theirs.close()
        logs.close()
        return LocalWorker(process, ours, log)

    def free_slots(self) -> int:
        """How many cores have nothing to do."""
        return self.worker_count - sum(worker.task is not None for worker in self.workers.values())

    def submit(self, task: ChunkTask) -> None:
        """Let a worker that has nothing to do play a task."""
        busy = {core for core, worker in self.workers.items() if worker.task}
        core = next(core for core in range(self.worker_count) if core not in busy)
        if core not in self.workers:
            self.workers[core] = self.start_worker(core)
        worker = self.workers[core]
        worker.task = task
        worker.last_heard = time.monotonic()
        with suppress(OSError):  # it is dead, which the next wait finds out
            worker.pipe.send(task)

    def cancel_waiting(self) -> Iterable[int]:
        """Nothing: what is given is begun."""
        return ()

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        """What the workers have to say."""
        ready = wait([worker.pipe for worker in self.workers.values()], seconds)
        return [
            news
            for core, worker in list(self.workers.items())
            for news in (
                self.read_event(core, worker)
                if worker.pipe in ready
                else self.end_if_silent(core, worker)
            )
        ]

    def read_event(self, core: int, worker: LocalWorker) -> Iterator[BackendEvent]:
        """What a worker says; one that is dead is replaced."""
        try:
            news: BackendEvent = worker.pipe.recv()
        except (EOFError, OSError):
            del self.workers[core]
            self.end_worker(worker)
            how = f"{worker.process.name} died ({exit_text(worker.process.exitcode or 0)})"
            if worker.task:
                yield TaskFailure(worker.task.number, how)
            return
        worker.last_heard = time.monotonic()
        if not isinstance(news, GamesFinished):
            worker.task = None
        yield news

    def end_if_silent(self, core: int, worker: LocalWorker) -> Iterator[BackendEvent]:
        """End a worker that has said nothing for too long: it is stopped, or hangs."""
        if worker.task and time.monotonic() - worker.last_heard > MAX_SILENCE:
            del self.workers[core]
            self.end_worker(worker)
            how = f"{worker.process.name} said nothing for {MAX_SILENCE:.0f} s and was ended"
            yield TaskFailure(worker.task.number, how)

    def end_worker(self, worker: LocalWorker) -> None:
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
        until = time.monotonic() + SHUTDOWN_SECONDS
        for worker in self.workers.values():
            if worker.task is None:
                worker.process.join(max(0.0, until - time.monotonic()))
            self.end_worker(worker)
