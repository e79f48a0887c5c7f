"""A running bot: its pipes, captured stderr, CPU and memory use, freezing and exit."""

import fcntl
import os
from contextlib import suppress
from signal import SIGCONT, SIGSTOP
from time import clock_gettime_ns

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher, describe_exit
from arena.bots.reaper import child_pids, process_tree, send_signal
from arena.bots.resource_usage import (
    NS_PER_TICK,
    ProcessUsage,
    cgroup_cpu,
    count_entries,
    cpu_clock_id,
    max_socket_memory,
    tree_usage,
)
from arena.errors import HarnessFailure

READ_SIZE = 65_536
"""Bytes read at a time; a larger buffer costs more than it saves."""

PIPE_SIZE = 1 << 18
"""Bytes that fit into the pipe to a bot, so that many questions go out in one write."""

CPU_ROUNDING = 4 * NS_PER_TICK
"""Nanoseconds that processes may seem to lose when they end, since the kernel reports ticks."""

EXIT_WAIT = 0.25
"""Seconds to wait for the exit report of a bot whose stdout has ended."""

SANDBOX_EXIT_WAIT = 5.0
"""The same in the sandbox, where stdout ends only when all processes have ended."""

KEPT_STDERR_BYTES = 16_384
"""Bytes kept of the beginning of what is written to stderr in a game, and as many of its end."""

CUT_MARK = b"\n[... %d bytes ...]\n"
FREEZE, THAW = b"1", b"0"


class Freezer:
    """Stops and continues a bot: by its control group where there is one, else by signals."""

    def __init__(self, reaper_pid: int, cgroup: str | None) -> None:
        self.reaper_pid = reaper_pid
        self.freeze_file = -1
        """The open file that stops and continues the group."""
        self.stopped_pids: list[int] = []
        """The processes that were stopped by signals."""
        self.is_frozen = False
        if cgroup:
            with suppress(OSError):  # a kernel before 5.2
                self.freeze_file = os.open(f"{cgroup}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)

    def freeze(self) -> None:
        """Stop all processes of the bot."""
        self.is_frozen = True
        if self.freeze_file >= 0:
            self.write_state(FREEZE)
            return
        while new := set(process_tree(child_pids(self.reaper_pid))) - set(self.stopped_pids):
            send_signal(
                list(new), SIGSTOP
            )  # what they started just before is found in the next round
            self.stopped_pids += new

    def thaw(self) -> None:
        """Continue the bot."""
        if not self.is_frozen:
            return
        self.is_frozen = False
        if self.freeze_file >= 0:
            self.write_state(THAW)
        send_signal(self.stopped_pids, SIGCONT)
        self.stopped_pids = []

    def write_state(self, value: bytes) -> None:
        """Stop or continue the group, which may be gone."""
        with suppress(OSError):
            os.pwrite(self.freeze_file, value, 0)

    def close(self) -> None:
        """Continue the bot and close the group's file."""
        self.thaw()
        if self.freeze_file >= 0:
            os.close(self.freeze_file)
            self.freeze_file = -1


class BotProcess:
    """A bot's process, from its launch to its end; its pipes never block."""

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
            enlarge_pipe(ours[0])
            self.pid, self.reaper_pid, self.cgroup = launcher.launch(bot, theirs)
        except OSError as error:
            close_all(ours)
            raise HarnessFailure(f"{bot.name} cannot be started: {error.strerror}") from error
        except HarnessFailure as error:
            printed = (read_available(ours[2]) or b"").decode(errors="backslashreplace").strip()
            close_all(ours)
            if not printed:
                raise
            raise HarnessFailure(f"{error} ({printed.splitlines()[-1]})") from error
        except BaseException:
            close_all(ours)
            raise
        finally:
            close_all(theirs)
        self.stdin, self.stdout, self.stderr = ours
        self.freezer = Freezer(self.reaper_pid, self.cgroup)
        sandbox = launcher.sandbox.with_memory(bot.memory)
        self.is_sandboxed = sandbox.support is not None
        self.limits = sandbox.limits
        self.memory_limit = sandbox.limits.memory << 20 if self.is_sandboxed else bot.memory
        """Bytes it may hold, if that is limited."""
        self.measures_memory = self.memory_limit is not None and sandbox.cgroups is None
        """Whether its memory is measured here, since no control group limits it."""
        self.init_pids: list[int] = []
        """The init process of its sandbox, once it was looked for."""
        self.cpu_clock = cpu_clock_id(self.pid)
        self.setup_cpu = self.measure_setup()
        """Nanoseconds counted by its control group that bubblewrap used, not the bot."""
        self.own_cpu = 0
        self.children_usage = ProcessUsage(0, 0)
        self.lost_cpu = 0
        """Nanoseconds of processes that have ended without being waited for."""
        self.unsent = b""
        self.is_stdin_broken = False
        """Whether the bot has closed its end."""

    def write(self, data: bytes) -> bool:
        """Write what the pipe takes and keep the rest; return whether everything is written."""
        data = self.unsent + data if self.unsent else data
        try:
            sent = os.write(self.stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.is_stdin_broken = True
            sent = len(data)
        self.unsent = data[sent:]
        return not self.unsent

    def cpu_time(self) -> int:
        """Nanoseconds of CPU time so far; those of its children as of the last `update_usage`."""
        try:  # noqa: SIM105 (suppress would take as long as the clock)
            self.own_cpu = clock_gettime_ns(self.cpu_clock)
        except OSError:
            pass  # it is gone
        return self.own_cpu + self.children_usage.cpu

    def measure_setup(self) -> int:
        """What its control group has counted so far beyond the bot's main process."""
        total = cgroup_cpu(self.cgroup) if self.cgroup else None
        try:
            return max(0, (total or 0) - clock_gettime_ns(self.cpu_clock))
        except OSError:
            return 0  # it is gone already

    def update_usage(self) -> ProcessUsage:
        """Measure its children; time that was counted once is never taken back."""
        if self.cgroup and (total := cgroup_cpu(self.cgroup)) is not None:
            self.cpu_time()
            self.children_usage = ProcessUsage(
                max(self.children_usage.cpu, total - self.setup_cpu - self.own_cpu), 0
            )
            return self.children_usage
        found = tree_usage(self.pid, self.reaper_pid, memory=self.measures_memory)
        seen, known = found.cpu + self.lost_cpu, self.children_usage.cpu
        if seen + CPU_ROUNDING < known:  # some ended without being waited for
            self.lost_cpu += known - seen
        self.children_usage = ProcessUsage(max(seen, known), found.memory + self.hidden_memory())
        return self.children_usage

    def hidden_memory(self) -> int:
        """The memory of its sockets in the sandbox, which no process shows; 0 if not measured."""
        if not (self.measures_memory and self.is_sandboxed):
            return 0
        inits = self.init_pids = self.init_pids or [
            init for outer in child_pids(self.reaper_pid) for init in child_pids(outer)
        ]
        return sum(map(max_socket_memory, inits))

    def limit_violation(self) -> str:
        """Describe which limit it exceeded at the last `update_usage`; empty if none."""
        if (
            self.measures_memory
            and self.memory_limit
            and self.children_usage.memory > self.memory_limit
        ):
            held, allowed = self.children_usage.memory >> 20, self.memory_limit >> 20
            return f"it holds {held} MiB, {allowed} MiB are allowed"
        if self.is_sandboxed and (entries := count_entries(self.pid)) > self.limits.entries:
            return f"it has made {entries} files and folders, {self.limits.entries} are allowed"
        return ""

    def end(self, grace: float) -> None:
        """Close its stdin; if it does not end within this time, the supervisor ends it."""
        self.close_stdin()
        self.launcher.end(self.pid, grace)

    def close_stdin(self) -> None:
        """Close its stdin, and continue it so that it notices."""
        self.freezer.thaw()
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def close(self) -> None:
        """Close its streams."""
        self.close_stdin()
        self.freezer.close()
        os.close(self.stdout)
        os.close(self.stderr)

    def exit_reason(self, seconds: float | None = None) -> str:
        """Describe how a process ended whose stdout has ended; waits a moment for the report."""
        moment = SANDBOX_EXIT_WAIT if self.is_sandboxed else EXIT_WAIT
        if self.launcher.wait_for_exit([self.pid], moment if seconds is None else seconds):
            return describe_exit(self.launcher.exits[self.pid])
        return "it closed its stdout and went on running"

    def was_killed(self) -> bool:
        """Whether it was killed without a fault of its own, see `external_cause`."""
        return bool(self.external_cause)

    @property
    def external_cause(self) -> str:
        """Why its end is not the bot's fault, as the rest of a sentence; empty if it may be."""
        found = self.launcher.exits.get(self.pid)
        return found.external_cause if found else ""

    @property
    def is_out_of_memory(self) -> bool:
        """Whether it has ended and the kernel killed at its own memory limit."""
        found = self.launcher.exits.get(self.pid)
        return found is not None and found.out_of_memory


def close_all(streams: list[int]) -> None:
    """Close streams."""
    for stream in streams:
        os.close(stream)


def read_available(stream: int) -> bytes | None:
    """Read what has arrived: empty at the end of the stream, None if there is nothing yet."""
    try:
        return os.read(stream, READ_SIZE)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def enlarge_pipe(pipe: int) -> None:
    """Enlarge the buffer of a pipe, where the kernel allows it."""
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE)


class CapturedStderr(Struct):
    """What a bot wrote to stderr in one game: its first and its last 16 KiB."""

    first: bytes = b""
    last: bytes = b""
    left_out: int = 0

    def add(self, data: bytes) -> None:
        """Append data; what is too much is cut out of the middle."""
        room = KEPT_STDERR_BYTES - len(self.first)
        self.first += data[:room]
        self.last += data[room:]
        if (extra := len(self.last) - KEPT_STDERR_BYTES) > 0:
            self.left_out += extra
            self.last = self.last[extra:]

    def text(self) -> str:
        """All that is kept, with a mark where something was cut."""
        cut = CUT_MARK % self.left_out if self.left_out else b""
        return (self.first + cut + self.last).decode(errors="replace")

    def tail(self, size: int) -> str:
        """The last bytes, as text."""
        return (self.first + self.last)[-size:].decode(errors="replace")
