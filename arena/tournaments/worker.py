"""A worker: a process that plays chunks on a core of its own, and ends with who started it."""

import logging
import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from logging.handlers import QueueHandler
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, Self, cast

from arena.bots.affinity import pin
from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.errors import ArenaError, Killed
from arena.match.record import Stopped
from arena.match.terms import Terms
from arena.tournaments.backend import Broken, Done, Failed, News, Task, Ticked
from arena.tournaments.log_pipe import LogPipe
from arena.tournaments.work import play

LOG = logging.getLogger(__name__)

OFTEN = 0.5
"""Seconds between two messages about how far a chunk is, while games end."""
SELDOM = 5.0
"""Seconds between two messages while none does, but the referee goes on."""


@dataclass(frozen=True)
class Setup:
    """What a worker is told once."""

    core: int
    bots: Sequence[Bot]
    terms: Terms


def work(pipe: Connection, setup: Setup, logs: Connection) -> None:
    """Play the tasks that come through the pipe until it is closed."""
    begin()
    ours = logging.getLogger("arena")
    ours.setLevel(logging.INFO)
    ours.addHandler(QueueHandler(cast("Any", LogPipe(logs))))
    pin(setup.core)
    with ExitStack() as stack:
        launcher = stack.enter_context(Launcher(setup.terms.sandbox))
        while True:
            try:
                task: Task = pipe.recv()
            except EOFError:
                return
            with Pulse(pipe, task.number, launcher) as pulse:
                news = perform(task, setup, launcher, pulse)
            if isinstance(news, Failed):
                stack.close()  # nobody knows in what state the warden is
                launcher = stack.enter_context(Launcher(setup.terms.sandbox))
            pipe.send(news)


def begin() -> None:
    """Let only the process that started this one decide when it ends."""
    deaf()
    threading.Thread(target=end_with_parent, daemon=True).start()


def deaf() -> None:
    """Hear nothing of what a person or the system says to stop."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def end_with_parent() -> None:
    """Wait until the process that started this one is gone, then end at once."""
    parent = parent_process()
    if parent:
        wait([parent.sentinel])
    os._exit(1)


class Outlet(Protocol):
    """What news can be sent through."""

    def send(self, news: News, /) -> None:
        """Send some."""


class Pulse:
    """Reports now and then how far a task is, as long as its referee goes on."""

    def __init__(self, pipe: Outlet, number: int, launcher: Launcher) -> None:
        self.pipe = pipe
        self.number = number
        self.launcher = launcher
        self.games = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.beat, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def tick(self) -> None:
        """One more game is over."""
        self.games += 1

    def beat(self) -> None:
        """Report until the task is over; a worker that is stopped or hangs falls silent."""
        games, turns, silent = 0, -1, 0.0
        with suppress(OSError):  # nobody listens any more, and this process is about to end
            while not self.over.wait(OFTEN):
                silent += OFTEN
                goes_on = silent >= SELDOM and self.launcher.turns != turns
                if self.games != games or goes_on:
                    games, turns, silent = self.games, self.launcher.turns, 0.0
                    self.pipe.send(Ticked(self.number, games))


def perform(task: Task, setup: Setup, launcher: Launcher, pulse: Pulse) -> News:
    """Play a task."""
    terms = replace(setup.terms, excuse=True, paying=task.paying)
    begun = time.monotonic()
    try:
        blocks = play(task.chunk, setup.bots, launcher, terms, pulse.tick)
        took = time.monotonic() - begun
        what = f"{len(blocks)} blocks of {task.chunk.cell}"
        LOG.info("chunk %d: %s, %d games in %.1f s", task.number, what, pulse.games, took)
        return Done(task.number, blocks, took)
    except Killed as killed:
        return Failed(task.number, str(killed), killed.bot)
    except Stopped as stopped:
        return Broken(task.number, stopped.fault, stopped.record)
    except ArenaError as error:
        return Failed(task.number, str(error))
    except Exception as error:  # a mistake of ours in one chunk is not to end the whole run
        LOG.exception("chunk %d cannot be played", task.number)
        return Failed(task.number, f"{type(error).__name__}: {error}")
