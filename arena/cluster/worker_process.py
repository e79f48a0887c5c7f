"""Child process of a worker that plays chunks on a CPU core of its own."""

import fcntl
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
from typing import IO

from arena.bots.bootstrap import IMPORT_PATH, IMPORT_PATH_CODE, pin_to_core
from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.cluster.messages import LogMessage
from arena.referee.config import RefereeConfig
from arena.tournaments.play.backend import BackendEvent, ChunkTask, GamesFinished, TaskFailure
from arena.tournaments.play.local import MAX_SILENCE, exit_text
from arena.tournaments.play.worker import (
    ProgressReporter,
    WorkerSetup,
    ignore_stop_signals,
    play_task,
)

CHILD_PROGRAM = "from arena.cluster.worker_process import main; main()"

POLL_INTERVAL = 0.5
"""Seconds between two looks at whether a chunk is still wanted."""


@dataclass(frozen=True)
class PlayRequest:
    """A chunk to be played, by whom, and on which terms."""

    task: ChunkTask
    bots: Sequence[Bot]
    config: RefereeConfig


ProgressCallback = Callable[[GamesFinished | LogMessage], None]
IsWanted = Callable[[], bool]


class WorkerProcess:
    """A player as its worker sees it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.process = subprocess.Popen(  # noqa: S603 (it is our own)
                [
                    sys.executable,
                    "-P",
                    "-c",
                    IMPORT_PATH_CODE + CHILD_PROGRAM,
                    str(theirs.fileno()),
                    IMPORT_PATH,
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            self.pipe = Connection(ours.detach())

    def play(
        self, request: PlayRequest, on_progress: ProgressCallback, is_wanted: IsWanted
    ) -> BackendEvent:
        """Play a chunk to its end, unless nobody wants it any more or the process hangs."""
        number, heard = request.task.number, time.monotonic()
        try:
            self.pipe.send(request)
            while True:
                if self.pipe.poll(POLL_INTERVAL):
                    news: BackendEvent | LogMessage = self.pipe.recv()
                    heard = time.monotonic()
                    if not isinstance(news, GamesFinished | LogMessage):
                        return news
                    on_progress(news)
                elif time.monotonic() - heard > MAX_SILENCE:
                    self.close()
                    return TaskFailure(number, f"a player said nothing for {MAX_SILENCE:.0f} s")
                if not is_wanted():
                    self.close()
                    return TaskFailure(number, "nobody wants it any more")
        except (EOFError, OSError):
            self.close()
            return TaskFailure(number, f"a player died ({exit_text(self.process.returncode)})")

    @property
    def is_alive(self) -> bool:
        """Whether it can play again."""
        return not self.pipe.closed and self.process.poll() is None

    def close(self) -> None:
        """End it, and with it all bots that it has launched."""
        self.pipe.close()
        self.process.kill()
        self.process.wait()


def main() -> None:
    """Play what comes through the socket whose number is the argument."""
    line = int(sys.argv[1])
    ignore_stop_signals()
    threading.Thread(target=exit_with_parent, args=(line,), daemon=True).start()
    voice = SharedPipe(Connection(line))
    ours = logging.getLogger("arena")
    ours.setLevel(logging.INFO)
    ours.addHandler(LogSender(voice))
    with ExitStack() as stack:
        claim_core(stack)
        serve(voice, stack.enter_context(ExitStack()))


def exit_with_parent(descriptor: int) -> None:
    """Wait until the other end of a socket is closed, then end at once."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLRDHUP)
    waiting.poll()
    os._exit(1)


def claim_core(stack: ExitStack) -> None:
    """Keep to a core that no other player of this machine has, if there is one."""
    for number, core in enumerate(sorted(os.sched_getaffinity(0))):
        try:
            held = stack.enter_context(open_core_lock(core))
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another player has it, or somebody has put something else there
            continue
        pin_to_core(number)
        return


def open_core_lock(core: int) -> IO[str]:
    """The file that whoever plays on a core has locked."""
    file = Path(gettempdir(), f"stichkampf-{os.geteuid()}-core-{core}")
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(file, flags, 0o600), "w")


class SharedPipe:
    """A way to the worker that more than one thread may use."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.lock = threading.Lock()

    def send(self, news: BackendEvent | LogMessage) -> None:
        """Say something."""
        with self.lock:
            self.connection.send(news)


class LogSender(logging.Handler):
    """Tells the worker what is logged here."""

    def __init__(self, pipe: SharedPipe) -> None:
        super().__init__()
        self.pipe = pipe
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Tell it."""
        said = LogMessage(record.name, record.levelno, self.format(record), record.created)
        self.pipe.send(said)


def serve(pipe: SharedPipe, stack: ExitStack) -> None:
    """Play chunks until nobody sends any; one launcher serves as long as walls stay the same."""
    launcher: Launcher | None = None
    while True:
        try:
            piece: PlayRequest = pipe.connection.recv()
        except EOFError:
            return
        if launcher is None or launcher.sandbox != piece.config.sandbox:
            stack.close()
            launcher = stack.enter_context(Launcher(piece.config.sandbox))
        with ProgressReporter(pipe, piece.task.number, launcher) as pulse:
            news = play_task(piece.task, WorkerSetup(0, piece.bots, piece.config), launcher, pulse)
        if isinstance(news, TaskFailure):
            stack.close()  # nobody knows in what state the warden is
            launcher = None
        pipe.send(news)
