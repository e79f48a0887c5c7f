"""The lines to all bots of a table: one poll for everything they write, one write for each."""

import select
import time
from collections.abc import Collection, Iterator

from arena.bots.launcher import LAST, Launcher
from arena.errors import HarnessFailure
from arena.match.patience import TICK
from arena.match.player import Player

MILLI = 1_000_000


class Switchboard:
    """Connects the referee with running bots."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.stops = launcher.sandbox.stopped
        """Whether bots that nobody asks anything are stopped."""
        self.poll = select.poll()
        self.talking: dict[int, Player] = {}
        self.logging: dict[int, Player] = {}
        self.writing: dict[int, Player] = {}
        """Bots whose pipe had no room for all there was to send."""
        self.leaving: list[int] = []
        """Processes that were told to end."""

    def connect(self, player: Player) -> None:
        """Start a bot and listen to it."""
        process = player.launch(time.monotonic_ns())
        self.talking[process.stdout] = player
        self.logging[process.stderr] = player
        self.poll.register(process.stdout, select.POLLIN)
        self.poll.register(process.stderr, select.POLLIN)
        player.greet()

    def disconnect(self, player: Player) -> None:
        """End a bot's process at once, if it has one."""
        process = player.process
        if process is None:
            return
        del self.talking[process.stdout]
        self.poll.unregister(process.stdout)
        self.stop_logging(process.stderr)
        self.stop_writing(process.stdin)
        self.leaving.append(process.pid)
        process.end(grace=0)
        process.close()
        player.process = None
        player.out.clear()

    def send(self, players: Collection[Player]) -> None:
        """Send to each bot all there is for it, and stop those that have nothing to do."""
        for player in players:
            if player.out and player.process and player.ready:
                if self.stops and player.fresh:
                    player.process.freezer.go_on()
                player.flush(time.monotonic_ns())
                if player.process.unsent:
                    self.writing[player.process.stdin] = player
                    self.poll.register(player.process.stdin, select.POLLOUT)

        if self.stops:
            for player in players:
                if player.process and player.ready and not player.open:
                    player.process.freezer.stop()

    def wait(self) -> Iterator[Player]:
        """The bots that have written something, as soon as there is one, or after a tick none."""
        for stream, _ in self.poll.poll(TICK // MILLI):
            if talker := self.talking.get(stream):
                yield talker
            elif logger := self.logging.get(stream):
                self.log(logger)
            elif writer := self.writing.get(stream):
                self.send_rest(writer)

    def log(self, player: Player) -> None:
        """Take what a bot wrote to stderr; where it has closed that, listen no more."""
        if player.process and player.listen() == b"":
            self.stop_logging(player.process.stderr)

    def stop_logging(self, stderr: int) -> None:
        """Listen no more to a bot's stderr."""
        if self.logging.pop(stderr, None):
            self.poll.unregister(stderr)

    def send_rest(self, player: Player) -> None:
        """Send more of what a pipe had no room for."""
        if player.process and player.process.write(b""):
            self.stop_writing(player.process.stdin)

    def stop_writing(self, stdin: int) -> None:
        """Wait no more for room in a pipe."""
        if self.writing.pop(stdin, None):
            self.poll.unregister(stdin)

    def close(self, grace: float) -> None:
        """End all bots, by themselves if they do so in time."""
        processes = [player.process for player in self.talking.values() if player.process]
        try:
            for process in processes:
                process.end(grace)
                self.leaving.append(process.pid)
            if not self.launcher.wait(self.leaving, 2 * grace + LAST):
                raise HarnessFailure("a bot cannot be killed; is the machine out of order?")
        finally:
            for process in processes:
                process.close()
            for player in self.talking.values():
                player.process = None
            for streams in (self.talking, self.logging, self.writing):
                streams.clear()
            self.poll = select.poll()
            self.leaving = []
