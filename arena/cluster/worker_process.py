"""Child process of a worker that plays chunks on a CPU core of its own."""

import logging
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import gettempdir

from arena.bots.bootstrap import pin_to_core, python_argv
from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.cluster.messages import LogMessage
from arena.file_lock import FileLock
from arena.referee.config import RefereeConfig
from arena.tournaments.play.backend import BackendEvent, ChunkTask, GamesFinished, TaskFailure
from arena.tournaments.play.local_backend import MAX_SILENCE, exit_text
from arena.tournaments.play.worker import (
    ProgressReporter,
    WorkerSetup,
    ignore_stop_signals,
    play_task,
)

CHILD_PROGRAM = "from arena.cluster.worker_process import main; main()"

POLL_INTERVAL = 0.5
"""Seconds between two checks whether a chunk is still wanted."""


@dataclass(frozen=True)
class PlayRequest:
    """A chunk to be played, with its bots and settings."""

    task: ChunkTask
    bots: Sequence[Bot]
    config: RefereeConfig


ProgressCallback = Callable[[GamesFinished | LogMessage], None]
IsWanted = Callable[[], bool]


class WorkerProcess:
    """A child process that plays chunks, as its worker sees it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.process = subprocess.Popen(  # noqa: S603 (our own program)
                python_argv(CHILD_PROGRAM, str(theirs.fileno()), options=["-P"]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            self.pipe = Connection(ours.detach())

    def play(
        self, request: PlayRequest, on_progress: ProgressCallback, is_wanted: IsWanted
    ) -> BackendEvent:
        """Play a chunk to its end, unless it is no longer wanted or the process hangs."""
        number, last_heard = request.task.number, time.monotonic()
        try:
            self.pipe.send(request)
            while True:
                if self.pipe.poll(POLL_INTERVAL):
                    news: BackendEvent | LogMessage = self.pipe.recv()
                    last_heard = time.monotonic()
                    if not isinstance(news, GamesFinished | LogMessage):
                        return news
                    on_progress(news)
                elif time.monotonic() - last_heard > MAX_SILENCE:
                    self.close()
                    return TaskFailure(
                        number, f"a worker process sent nothing for {MAX_SILENCE:.0f} s"
                    )
                if not is_wanted():
                    self.close()
                    return TaskFailure(number, "it is no longer wanted")
        except (EOFError, OSError):
            self.close()
            return TaskFailure(
                number, f"a worker process died ({exit_text(self.process.returncode)})"
            )

    @property
    def is_alive(self) -> bool:
        """Whether it can play again."""
        return not self.pipe.closed and self.process.poll() is None

    def close(self) -> None:
        """End the process, and with it all bots that it has launched."""
        self.pipe.close()
        self.process.kill()
        self.process.wait()


def main() -> None:
    """Play the chunks that come through the socket whose descriptor is the argument."""
    descriptor = int(sys.argv[1])
    ignore_stop_signals()
    threading.Thread(target=exit_with_parent, args=(descriptor,), daemon=True).start()
    pipe = SharedPipe(Connection(descriptor))
    ours = logging.getLogger("arena")
    ours.setLevel(logging.INFO)
    ours.addHandler(LogSender(pipe))
    with ExitStack() as stack:
        claim_core(stack)
        serve(pipe, stack.enter_context(ExitStack()))


def exit_with_parent(descriptor: int) -> None:
    """Wait until the other end of a socket is closed, then end at once."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLRDHUP)
    waiting.poll()
    os._exit(1)


def claim_core(stack: ExitStack) -> None:
    """Pin this process to a core that no other worker process has, if there is one."""
    for number, core in enumerate(sorted(os.sched_getaffinity(0))):
        try:
            stack.enter_context(FileLock(core_lock_file(core), create_mode=0o600))
        except OSError:  # another process has it, or the file cannot be opened
            continue
        pin_to_core(number)
        return


def core_lock_file(core: int) -> Path:
    """The file that is locked by the process that plays on this core."""
    return Path(gettempdir(), f"stichkampf-{os.geteuid()}-core-{core}")


class SharedPipe:
    """The pipe to the worker, which several threads may use."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.lock = threading.Lock()

    def send(self, news: BackendEvent | LogMessage) -> None:
        """Send an event or a log line."""
        with self.lock:
            self.connection.send(news)


class LogSender(logging.Handler):
    """Sends what is logged here to the worker."""

    def __init__(self, pipe: SharedPipe) -> None:
        super().__init__()
        self.pipe = pipe
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Send a log record."""
        message = LogMessage(record.name, record.levelno, self.format(record), record.created)
        self.pipe.send(message)


def serve(pipe: SharedPipe, stack: ExitStack) -> None:
    """Play chunks until the pipe closes, with one launcher as long as the sandbox is the same."""
    launcher: Launcher | None = None
    while True:
        try:
            request: PlayRequest = pipe.connection.recv()
        except EOFError:
            return
        if launcher is None or launcher.sandbox != request.config.sandbox:
            stack.close()
            launcher = stack.enter_context(Launcher(request.config.sandbox))
        with ProgressReporter(pipe, request.task.number, launcher) as reporter:
            news = play_task(
                request.task, WorkerSetup(0, request.bots, request.config), launcher, reporter
            )
        if isinstance(news, TaskFailure):
            stack.close()  # the state of the supervisor is unknown
            launcher = None
        pipe.send(news)
