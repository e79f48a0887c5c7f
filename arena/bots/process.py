"""A running bot: its streams, its clock, its end."""

import fcntl
import os
from contextlib import suppress
from time import clock_gettime_ns

from arena.bots.bot import Bot
from arena.bots.freezer import Freezer
from arena.bots.guard import children
from arena.bots.launcher import Launcher, ending
from arena.bots.usage import TICK, Usage, clock_of, entries, metered, sockets, usage
from arena.errors import HarnessFailure

READ = 65_536
"""Bytes taken at a time; a larger buffer costs more than it saves."""

PIPE = 1 << 18
"""Bytes that fit into the pipe to a bot, so that many questions go out in one write."""

ROUNDING = 4 * TICK
"""What the time of processes that have ended may lose, since it is told in ticks."""

MOMENT = 0.25
"""Seconds to learn how a process ended whose output did."""

WHILE = 5.0
"""The same inside walls, where output ends only when all is over."""


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
            self.pid, self.guard, group = launcher.launch(bot, theirs)
        except OSError as error:
            close(ours)
            raise HarnessFailure(f"{bot.name} cannot be started: {error.strerror}") from error
        except HarnessFailure as error:
            said = (read(ours[2]) or b"").decode(errors="backslashreplace").strip()
            close(ours)
            if not said:
                raise
            raise HarnessFailure(f"{error} ({said.splitlines()[-1]})") from error
        except BaseException:
            close(ours)
            raise
        finally:
            close(theirs)
        self.stdin, self.stdout, self.stderr = ours
        self.group = group
        """The folder of its control group, if it has one that counts its CPU time."""
        self.freezer = Freezer(self.guard, group)
        sandbox = launcher.sandbox.within(bot.memory)
        self.walls = sandbox.machine is not None
        self.limits = sandbox.limits
        self.memory = sandbox.limits.memory << 20 if self.walls else bot.memory
        """Bytes it may hold, if that is limited."""
        self.weighed = self.memory is not None and sandbox.cgroups is None
        """Whether its memory is looked at here, since no control group does."""
        self.inits: list[int] = []
        """The first process inside walls, once it was looked for."""
        self.clock = clock_of(self.pid)
        self.setup = self.setup_time()
        """Nanoseconds of its control group that bubblewrap has spent, and not the bot."""
        self.spent = 0
        self.below = Usage(0, 0)
        self.lost = 0
        """Nanoseconds of processes that are gone and that nobody has waited for."""
        self.unsent = b""
        self.deaf = False
        """Whether nobody reads what is written to it."""

    def write(self, data: bytes) -> bool:
        """Send what the pipe takes and keep the rest; whether all is sent."""
        data = self.unsent + data if self.unsent else data
        try:
            sent = os.write(self.stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.deaf = True
            sent = len(data)
        self.unsent = data[sent:]
        return not self.unsent

    def cpu(self) -> int:
        """Nanoseconds of CPU time so far; of what it has started, as far as last looked at."""
        try:  # noqa: SIM105 (suppress would take as long as the clock)
            self.spent = clock_gettime_ns(self.clock)
        except OSError:
            pass  # it is gone
        return self.spent + self.below.cpu

    def setup_time(self) -> int:
        """What its control group has counted so far beyond the bot's own process."""
        together = metered(self.group) if self.group else None
        try:
            return max(0, (together or 0) - clock_gettime_ns(self.clock))
        except OSError:
            return 0  # it is gone already

    def look(self) -> Usage:
        """Look at what it has started; what was counted once is never taken back."""
        if self.group and (together := metered(self.group)) is not None:
            self.cpu()
            self.below = Usage(max(self.below.cpu, together - self.setup - self.spent), 0)
            return self.below
        found = usage(self.pid, self.guard, memory=self.weighed)
        seen, known = found.cpu + self.lost, self.below.cpu
        if seen + ROUNDING < known:  # some ended that nobody waited for
            self.lost += known - seen
        self.below = Usage(max(seen, known), found.memory + self.hidden())
        return self.below

    def hidden(self) -> int:
        """The memory inside walls that no process shows, where it matters: that of sockets."""
        if not (self.weighed and self.walls):
            return 0
        inits = self.inits = self.inits or [
            init for outer in children(self.guard) for init in children(outer)
        ]
        return sum(map(sockets, inits))

    def excess(self) -> str:
        """What it has more of than it is allowed, as last looked at; nothing if all is well."""
        if self.weighed and self.memory and self.below.memory > self.memory:
            held, allowed = self.below.memory >> 20, self.memory >> 20
            return f"it holds {held} MiB, {allowed} MiB are allowed"
        if self.walls and (made := entries(self.pid)) > self.limits.entries:
            return f"it has made {made} files and folders, {self.limits.entries} are allowed"
        return ""

    def end(self, grace: float) -> None:
        """Close its stdin and let it end by itself; if it does not in this time, it is made to."""
        self.hang_up()
        self.launcher.end(self.pid, grace)

    def hang_up(self) -> None:
        """Close its stdin, and let it take note of that."""
        self.freezer.go_on()
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def close(self) -> None:
        """Let go of its streams."""
        self.hang_up()
        self.freezer.close()
        os.close(self.stdout)
        os.close(self.stderr)

    def how_it_ended(self, seconds: float | None = None) -> str:
        """How a process ended whose output has; it may take a moment to learn it."""
        moment = WHILE if self.walls else MOMENT
        if self.launcher.wait([self.pid], moment if seconds is None else seconds):
            return ending(self.launcher.gone[self.pid])
        return "it closed its stdout and went on running"

    def killed(self) -> bool:
        """Whether it was killed and has no part in it: see `excuse`."""
        return bool(self.excuse)

    @property
    def excuse(self) -> str:
        """Why its end is not its doing, as the rest of a sentence; nothing if it may be."""
        ended = self.launcher.gone.get(self.pid)
        return ended.excuse if ended else ""

    @property
    def starved(self) -> bool:
        """Whether it is gone, and the kernel killed in it at the limit of its own memory."""
        ended = self.launcher.gone.get(self.pid)
        return ended is not None and ended.starved


def close(streams: list[int]) -> None:
    """Let go of streams."""
    for stream in streams:
        os.close(stream)


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
