"""Send to all running bots and wait for their output with a single poll."""

import select
import time
from collections.abc import Collection, Iterator

from arena.bots.launcher import EXIT_TIMEOUT, Launcher
from arena.errors import HarnessFailure
from arena.referee.connection import Connection
from arena.referee.fair_clock import TICK

NS_PER_MS = 1_000_000


class Poller:
    """Connects the referee with running bots."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.stops_idle_bots = launcher.sandbox.stops_idle_bots
        """Whether bots that nobody asks anything are stopped."""
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
        process.close()
        connection.process = None
        connection.outbox.clear()

    def send(self, connections: Collection[Connection]) -> None:
        """Send to each bot all there is for it, and stop those that have nothing to do."""
        for player in connections:
            if player.outbox and player.process and player.ready:
                if self.stops_idle_bots and player.unsent_questions:
                    player.process.freezer.thaw()
                player.flush(time.monotonic_ns())
                if player.process.unsent:
                    self.by_stdin[player.process.stdin] = player
                    self.poll.register(player.process.stdin, select.POLLOUT)

        if self.stops_idle_bots:
            for player in connections:
                if player.process and player.ready and not player.open_questions:
                    player.process.freezer.freeze()

    def wait(self) -> Iterator[Connection]:
        """The bots that have written something, as soon as there is one, or after a tick none."""
        for stream, _ in self.poll.poll(TICK // NS_PER_MS):
            if talker := self.by_stdout.get(stream):
                yield talker
            elif logger := self.by_stderr.get(stream):
                self.read_stderr(logger)
            elif writer := self.by_stdin.get(stream):
                self.send_rest(writer)

    def read_stderr(self, connection: Connection) -> None:
        """Take what a bot wrote to stderr; where it has closed that, listen no more."""
        if connection.process and connection.read_stderr() == b"":
            self.unwatch_stderr(connection.process.stderr)

    def unwatch_stderr(self, stderr: int) -> None:
        """Listen no more to a bot's stderr."""
        if self.by_stderr.pop(stderr, None):
            self.poll.unregister(stderr)

    def send_rest(self, connection: Connection) -> None:
        """Send more of what a pipe had no room for."""
        if connection.process and connection.process.write(b""):
            self.unwatch_stdin(connection.process.stdin)

    def unwatch_stdin(self, stdin: int) -> None:
        """Wait no more for room in a pipe."""
        if self.by_stdin.pop(stdin, None):
            self.poll.unregister(stdin)

    def close(self, grace: float) -> None:
        """End all bots, by themselves if they do so in time."""
        processes = [player.process for player in self.by_stdout.values() if player.process]
        try:
            for process in processes:
                process.end(grace)
                self.ending_pids.append(process.pid)
            if not self.launcher.wait_for_exit(self.ending_pids, 2 * grace + EXIT_TIMEOUT):
                raise HarnessFailure("a bot cannot be killed; is the machine out of order?")
        finally:
            for process in processes:
                process.close()
            for player in self.by_stdout.values():
                player.process = None
            for streams in (self.by_stdout, self.by_stderr, self.by_stdin):
                streams.clear()
            self.poll = select.poll()
            self.ending_pids = []
