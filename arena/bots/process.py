"""A running bot: its streams, its clock, its end."""

import fcntl
import os
from contextlib import suppress
from time import clock_gettime_ns

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher, ending
from arena.bots.usage import Usage, clock_of, usage
from arena.bots.warden import MARK

READ = 65_536
"""Bytes taken at a time; a larger buffer costs more than it saves."""

PIPE = 1 << 18
"""Bytes that fit into the pipe to a bot, so that many questions go out in one write."""


class Process:
    """A bot's process, from its launch to its end; reading and writing never wait."""

    def __init__(self, bot: Bot, launcher: Launcher) -> None:
        self.bot = bot
        self.launcher = launcher
        theirs: list[int] = []
        ours: list[int] = []
        try:
            for outward in (True, False, False):
                reader, writer = os.pipe2(os.O_CLOEXEC)
                theirs.append(reader if outward else writer)
                ours.append(writer if outward else reader)
                os.set_blocking(ours[-1], False)
            widen(ours[0])
            self.mark = launcher.mark()
            env = {**bot.environment(), MARK: self.mark}
            self.pid = launcher.launch(list(bot.argv), env, bot.folder, theirs)
        except BaseException:
            for stream in ours:
                os.close(stream)
            raise
        finally:
            for stream in theirs:
                os.close(stream)
        self.stdin, self.stdout, self.stderr = ours
        self.clock = clock_of(self.pid)
        self.spent = 0
        self.below = Usage(0, 0)
        self.unsent = b""

    def write(self, data: bytes) -> bool:
        """Send what the pipe takes and keep the rest; whether all is sent."""
        data = self.unsent + data if self.unsent else data
        try:
            sent = os.write(self.stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = len(data)  # nobody reads any more, which its stdout will tell
        self.unsent = data[sent:]
        return not self.unsent

    def cpu(self) -> int:
        """Nanoseconds of CPU time so far; of what it has started, as far as last looked at."""
        try:  # noqa: SIM105 (suppress would take as long as the clock)
            self.spent = clock_gettime_ns(self.clock)
        except OSError:
            pass  # it is gone
        return self.spent + self.below.cpu

    def look(self) -> Usage:
        """Look at what it has started; what was counted once is never taken back."""
        self.launcher.listen()
        disowned = self.launcher.spent.get(self.pid, 0)
        found = usage(self.pid, self.mark, self.launcher.process.pid)
        self.below = Usage(max(found.cpu + disowned, self.below.cpu), found.memory)
        return self.below

    def end(self, grace: float) -> None:
        """Close its stdin and let it end by itself; if it does not in this time, it is made to."""
        self.hang_up()
        self.launcher.end(self.pid, grace)

    def hang_up(self) -> None:
        """Close its stdin."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def close(self) -> None:
        """Let go of its streams."""
        self.hang_up()
        os.close(self.stdout)
        os.close(self.stderr)

    def how_it_ended(self, seconds: float) -> str | None:
        """How it ended, or None if it has not within so many seconds."""
        if self.launcher.wait([self.pid], seconds):
            return ending(self.launcher.gone[self.pid])
        return None


def read(stream: int) -> bytes | None:
    """What there is to read: nothing at the end, None if there is nothing yet."""
    try:
        return os.read(stream, READ)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def widen(pipe: int) -> None:
    """Make room in a pipe, where the kernel lets us."""
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
