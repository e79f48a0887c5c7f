"""Send to all running bots and wait for their output with a single poll."""

import select
import time
from collections.abc import Collection, Iterator

from arena.bots.launcher import EXIT_TIMEOUT, Launcher
from arena.errors import HarnessFailure
from arena.referee.connection import STARTING, Connection
from arena.referee.fair_clock import CHECK_INTERVAL_NS

CHECK_INTERVAL_MS = CHECK_INTERVAL_NS // 1_000_000


class Poller:
    """The pipes to all running bots of one table."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.stops_idle_bots = launcher.sandbox.stops_idle_bots
        """Whether bots without a question are stopped."""
        self.poll = select.poll()
        self.by_stdout: dict[int, Connection] = {}
        self.by_stderr: dict[int, Connection] = {}
        self.by_stdin: dict[int, Connection] = {}
        """Bots whose pipe had no room for all there was to send."""
        self.ending_pids: list[int] = []
        """Processes that were told to end."""

    def connect(self, connection: Connection) -> None:
        """Start a bot and listen to it."""
        process = connection.launch(time.monotonic_ns())
        self.by_stdout[process.stdout] = connection
        self.by_stderr[process.stderr] = connection
        self.poll.register(process.stdout, select.POLLIN)
        self.poll.register(process.stderr, select.POLLIN)
        connection.send_hello()

    def disconnect(self, connection: Connection) -> None:
        """End a bot's process at once, if it has one."""
        process = connection.process
        if process is None:
            return
        del self.by_stdout[process.stdout]
        self.poll.unregister(process.stdout)
        self.unwatch_stderr(process.stderr)
        self.unwatch_stdin(process.stdin)
        self.ending_pids.append(process.pid)
        process.end(grace=0)
        connection.close_process()

    def send(self, connections: Collection[Connection]) -> None:
        """Send to each bot all there is for it, and stop those that have nothing to do."""
        for connection in connections:
            # All messages but 'hello' wait until the bot is ready.
            if connection.outbox and connection.process and connection.state is not STARTING:
                connection.flush(time.monotonic_ns())
                process = connection.process
                if process and process.unsent:
                    self.by_stdin[process.stdin] = connection
                    self.poll.register(process.stdin, select.POLLOUT)
        if self.stops_idle_bots:
            for connection in connections:
                connection.freeze_if_idle()

    def wait(self) -> Iterator[Connection]:
        """The bots that have written something, as soon as there is one; none after a tick."""
        for stream, _ in self.poll.poll(CHECK_INTERVAL_MS):
            if connection := self.by_stdout.get(stream):
                yield connection
            elif connection := self.by_stderr.get(stream):
                self.read_stderr(connection)
            elif connection := self.by_stdin.get(stream):
                self.send_rest(connection)

    def read_stderr(self, connection: Connection) -> None:
        """Read what a bot wrote to stderr; stop listening if it has closed it."""
        process = connection.process
        if process and connection.read_stderr() == b"":
            self.unwatch_stderr(process.stderr)

    def unwatch_stderr(self, stderr: int) -> None:
        """Listen no more to a bot's stderr."""
        if self.by_stderr.pop(stderr, None):
            self.poll.unregister(stderr)

    def send_rest(self, connection: Connection) -> None:
        """Send more of what a pipe had no room for."""
        process = connection.process
        if process and process.write(b""):
            self.unwatch_stdin(process.stdin)

    def unwatch_stdin(self, stdin: int) -> None:
        """Wait no more for room in a pipe."""
        if self.by_stdin.pop(stdin, None):
            self.poll.unregister(stdin)

    def close(self, grace: float) -> None:
        """End all bots, by themselves if they do so in time."""
        connections = list(self.by_stdout.values())
        try:
            for connection in connections:
                if process := connection.process:
                    process.end(grace)
                    self.ending_pids.append(process.pid)
            if not self.launcher.wait_for_exit(self.ending_pids, 2 * grace + EXIT_TIMEOUT):
                raise HarnessFailure("a bot cannot be killed; is the machine out of order?")
        finally:
            for connection in connections:
                connection.close_process()
            for streams in (self.by_stdout, self.by_stderr, self.by_stdin):
                streams.clear()
            self.poll = select.poll()
            self.ending_pids = []
