"""The log of a run: one file for all processes, warnings on the screen, a pipe for each worker."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty

from arena.bots.sandbox.sandbox import Sandbox
from arena.errors import ArenaError
from arena.sanitize import cut_middle, escape_unprintable

LOG_FILE_NAME = "log.txt"
MAX_LINE_LENGTH = 2000
"""Characters of a line."""

TRACEBACK_START = "\nTraceback (most recent call last):"


class OneLineFormatter(logging.Formatter):
    """Formats a record as one line; a traceback follows on indented lines, which no record has."""

    converter = staticmethod(time.gmtime)
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback if there is one."""
        message, start, rest = super().format(record).partition(TRACEBACK_START)
        trace = (start + rest).splitlines()[1:]
        return "\n".join(
            [
                cut_middle(escape_unprintable(message), MAX_LINE_LENGTH),
                *(f"    {escape_unprintable(line)}" for line in trace),
            ]
        )


class LogFileHandler(logging.FileHandler):
    """Writes records to a file; records that do not fit on the disk are lost."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Do nothing: the run itself soon reports that the disk is full."""


@contextmanager
def log_to_file(path: Path, screen_handler: logging.Handler | None = None) -> Iterator[None]:
    """Append log records to a file, and pass warnings to the screen as well."""
    try:
        file = LogFileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {error.strerror}") from error
    file.setFormatter(OneLineFormatter("%(asctime)s %(levelname)s %(processName)s: %(message)s"))
    handlers: list[logging.Handler] = [file]
    if screen_handler:
        screen_handler.setLevel(logging.WARNING)
        handlers.append(screen_handler)
    logger = logging.getLogger("arena")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    for handler in handlers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            with suppress(OSError):  # records that do not fit on the disk are lost
                handler.close()
        logger.propagate = True


class LogPipe:
    """One end of a queue of log records over a pipe, with the methods that log handlers use.

    Queues of `multiprocessing` have semaphores, which stay in /dev/shm when a whole group of
    processes is killed. A pipe has one reader and one writer, and needs none.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.lock = threading.Lock()

    def put_nowait(self, record: logging.LogRecord) -> None:
        """Send a record; nothing happens if the other end is gone."""
        with self.lock, suppress(OSError):
            self.connection.send(record)

    def get(self, timeout: float) -> logging.LogRecord:
        """Receive a record within so many seconds."""
        if not self.connection.poll(timeout):
            raise Empty
        record: logging.LogRecord = self.connection.recv()
        return record

    def qsize(self) -> int:
        """1 if a record can be received, else 0."""
        return int(self.connection.poll())

    def close(self) -> None:
        """Close this end of the pipe."""
        self.connection.close()

    def join_thread(self) -> None:
        """Do nothing: there is no sending thread to wait for."""


def sandbox_text(sandbox: Sandbox) -> str:
    """A sandbox and what enforces its limits, in one line for the log."""
    if not sandbox.support:
        return str(sandbox.level)
    limits, groups = sandbox.limits, sandbox.cgroups
    by = f"cgroups, version {groups.version}" if groups else "rlimits of each process only"
    enforced = f"{limits.memory} MiB and {limits.processes} processes for a bot, held by {by}"
    waiting = "stopped" if sandbox.stops_idle_bots else "charged"
    system = "the host's" if sandbox.mount_source is str else "in memory"
    return (
        f"{sandbox.level}: {enforced}; who waits is {waiting}; the system that bots see is {system}"
    )
