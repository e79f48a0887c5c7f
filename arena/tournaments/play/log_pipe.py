"""A queue of log records over a pipe, from one worker to the process that started it.

Queues of `multiprocessing` have semaphores, which stay in /dev/shm when a whole group of processes
is killed. A pipe has one reader and one writer, and needs none.
"""

import logging
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import Empty


class LogPipe:
    """One end of the queue, with the methods that handlers of logs use."""

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
        """Let go of the pipe."""
        self.connection.close()

    def join_thread(self) -> None:
        """Do nothing: there is no sending thread to wait for."""
