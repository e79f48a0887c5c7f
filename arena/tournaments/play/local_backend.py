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
from typing import Self

from multiprocessing_logging import MultiProcessingHandler

from arena.bots.bot import Bot
from arena.referee.config import RefereeConfig
from arena.tournaments.play.backend import BackendEvent, ChunkTask, GamesFinished, TaskFailure
from arena.tournaments.play.logging_setup import LogPipe
from arena.tournaments.play.signals import STOP_SIGNALS
from arena.tournaments.play.worker import WorkerSetup, run_worker

SPAWN_CONTEXT = get_context("spawn")
"""A fork would copy the threads' locks of a process that shows progress and writes a log."""

MAX_SILENCE = 90.0
"""Seconds without a message after which a worker counts as hanging: while its referee works, it
sends some."""

SHUTDOWN_SECONDS = 30.0
"""Seconds that a worker has to end its bots and itself."""


def count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def exit_text(code: int) -> str:
    """How a process ended, in words, from its exit code."""
    return f"exit status {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


@contextmanager
def block_stop_signals() -> Iterator[None]:
    """Let processes that are started in here inherit blocked stop signals."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        ensure_running()  # starting Python's resource tracker unblocks some of them
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_process(process: BaseProcess) -> None:
    """Start a process that gets no Ctrl-C, not even while it is starting."""
    with block_stop_signals():
        process.start()


class LogRelay(logging.Handler):
    """Passes log records of a worker to the handlers of this process."""

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a record as if it had been logged in this process."""
        logging.getLogger(record.name).handle(record)


@dataclass
class LocalWorker:
    """A worker process and the task that it plays."""

    process: BaseProcess
    pipe: Connection
    log: MultiProcessingHandler
    task: ChunkTask | None = None
    last_heard: float = 0.0
    """When it last sent a message or was given a task."""


class LocalBackend:
    """Plays chunks on cores of this machine."""

    def __init__(self, cores: int, bots: Sequence[Bot], config: RefereeConfig) -> None:
        self.cores = cores
        self.bots = bots
        self.config = config
        self.workers: dict[int, LocalWorker] = {}
        """The workers that were started so far, by core."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start_worker(self, core: int) -> LocalWorker:
        """Start a worker process for a core."""
        # Each has a log pipe of its own: a worker that dies while it writes leaves it unusable.
        log = MultiProcessingHandler(f"log of worker {core}", LogRelay())
        log_reader, log_writer = SPAWN_CONTEXT.Pipe(duplex=False)
        log.queue = LogPipe(log_reader)
        pipe, worker_end = SPAWN_CONTEXT.Pipe()
        setup = WorkerSetup(core, self.bots, self.config)
        process = SPAWN_CONTEXT.Process(
            target=run_worker,
            args=(worker_end, setup, log_writer),
            name=f"worker {core}",
            daemon=True,
        )
        start_process(process)
        worker_end.close()
        log_writer.close()
        return LocalWorker(process, pipe, log)

    def free_slots(self) -> int:
        """How many cores have no task."""
        return self.cores - sum(worker.task is not None for worker in self.workers.values())

    def submit(self, task: ChunkTask) -> None:
        """Give a task to a worker that has none."""
        busy = {core for core, worker in self.workers.items() if worker.task}
        core = next(core for core in range(self.cores) if core not in busy)
        if core not in self.workers:
            self.workers[core] = self.start_worker(core)
        worker = self.workers[core]
        worker.task = task
        worker.last_heard = time.monotonic()
        with suppress(OSError):  # it is dead, which the next wait() finds
            worker.pipe.send(task)

    def cancel_waiting(self) -> Iterable[int]:
        """No task: a worker begins a task at once."""
        return ()

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        """Messages of workers, as soon as there are some, and workers that died or hang."""
        ready = wait([worker.pipe for worker in self.workers.values()], seconds)
        return [
            event
            for core, worker in list(self.workers.items())
            for event in (
                self.read_event(core, worker)
                if worker.pipe in ready
                else self.end_if_silent(core, worker)
            )
        ]

    def read_event(self, core: int, worker: LocalWorker) -> Iterator[BackendEvent]:
        """Receive a message of a worker; remove it if it is dead."""
        try:
            event: BackendEvent = worker.pipe.recv()
        except (EOFError, OSError):
            del self.workers[core]
            self.end_worker(worker)
            text = f"{worker.process.name} died ({exit_text(worker.process.exitcode or 0)})"
            if worker.task:
                yield TaskFailure(worker.task.number, text)
            return
        worker.last_heard = time.monotonic()
        if not isinstance(event, GamesFinished):
            worker.task = None
        yield event

    def end_if_silent(self, core: int, worker: LocalWorker) -> Iterator[BackendEvent]:
        """End a worker that has sent nothing for too long: it is stopped, or hangs."""
        if worker.task and time.monotonic() - worker.last_heard > MAX_SILENCE:
            del self.workers[core]
            self.end_worker(worker)
            text = f"{worker.process.name} sent nothing for {MAX_SILENCE:.0f} s and was ended"
            yield TaskFailure(worker.task.number, text)

    def end_worker(self, worker: LocalWorker) -> None:
        """Kill a worker if it is alive, and close its pipes; its log records are kept."""
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        worker.log.close()

    def close(self) -> None:
        """End all workers and their bots, also those that have a task."""
        for worker in self.workers.values():
            if worker.task is None:
                worker.pipe.close()  # which lets it end on its own
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        for worker in self.workers.values():
            if worker.task is None:
                worker.process.join(max(0.0, deadline - time.monotonic()))
            self.end_worker(worker)
