"""The supervisor: the process that starts all bots of a referee; no bot outlives it.

It imports little of the program, and exchanges JSON lines with the referee over a socket. For each
bot it forks a reaper, which is the bot's parent. When the referee is gone, for whatever reason, the
socket closes and the supervisor kills all processes below it.

    {"launch": ARGV, "env": {...}, "cwd": PATH}  with the three standard streams as descriptors
        → {"pid": N, "reaper_pid": N} or {"error": "why"}
      With {"sandbox": {"program": ARGV, "filter": BASE64, "rlimits": {...}, "cgroups": [...],
      "mounts": {...}}} the first ARGV is that of bubblewrap, which runs the program.
    {"end": PID, "grace": SECONDS}   TERM after that time, and KILL after as long again
        → {"exited": PID, "status": N, ...} once no process of that bot is left, also if it ended
          by itself; the other keys are the fields of `launcher.BotExit`
"""

import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from arena.bots.reaper import (
    EXTERNAL_KILL,
    IGNORED_SIGNALS,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG,
    child_pids,
    die_with_parent,
    kill_descendants,
    prctl,
    process_tree,
    remove_cgroups,
    run_reaper,
    send_signal,
)

RECEIVE_SIZE = 1 << 16
STREAM_COUNT = 3
NEVER = float("inf")
POLL_MILLISECONDS = 20
"""Milliseconds between checks while a bot is to end."""


class SupervisedBot:
    """A bot's reaper and main process, and when it gets which signal."""

    def __init__(self, pid: int, report_fd: int, cgroups: list[dict[str, Any]]) -> None:
        self.pid = pid
        self.report_fd = report_fd
        self.cgroups = cgroups
        self.grace = 0.0
        self.term_at = self.kill_at = NEVER


class Supervisor:
    """Starts, ends and reports the bots of one referee."""

    def __init__(self, referee: socket.socket) -> None:
        self.referee = referee
        self.bots: dict[int, SupervisedBot] = {}
        """By the process ids of their reapers."""
        self.orphaned_bots: list[SupervisedBot] = []
        """Bots whose reapers were killed, and whose control groups may still exist."""
        self.buffer = b""
        self.received_fds: list[int] = []
        self.parent_pid = os.getppid()

    def run(self) -> None:
        """Carry out the requests of the referee until it is gone."""
        waiting = select.poll()
        waiting.register(self.referee, select.POLLIN)
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        waiting.register(reader, select.POLLIN)
        while True:
            ending = any(bot.kill_at < NEVER for bot in self.bots.values())
            ready = [number for number, _ in waiting.poll(POLL_MILLISECONDS if ending else None)]
            if reader in ready:
                os.read(reader, RECEIVE_SIZE)
            if self.referee.fileno() in ready and not self.handle_requests():
                return
            if os.getppid() != self.parent_pid:
                return  # the referee is gone, but another process holds its end of the socket
            self.reap()
            self.kill_overdue()

    def handle_requests(self) -> bool:
        """Carry out the requests that have arrived; False once the referee is gone."""
        try:
            data, streams, _, _ = socket.recv_fds(self.referee, RECEIVE_SIZE, STREAM_COUNT)
        except OSError:
            return False
        for stream in streams:
            os.set_inheritable(stream, False)  # noqa: FBT003 (it has no other form)
        self.received_fds += streams
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for request in map(json.loads, lines):
            if "launch" in request:
                streams, self.received_fds = (
                    self.received_fds[:STREAM_COUNT],
                    self.received_fds[STREAM_COUNT:],
                )
                self.launch(request, streams)
                for stream in streams:
                    os.close(stream)
            else:
                self.end(request["end"], request["grace"])
        return bool(data)

    def launch(self, request: dict[str, Any], streams: list[int]) -> None:
        """Fork a reaper, which starts a bot, and report both process ids."""
        report, reaper_end = os.pipe()
        supervisor_pid = os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with_parent(supervisor_pid, signal.SIGKILL)
            self.referee.close()
            run_reaper(request, streams, reaper_end)
        os.close(reaper_end)
        line = b""
        while not line.endswith(b"\n") and (more := os.read(report, 1)):
            line += more
        answer = json.loads(line or b'{"error": "its reaper was killed"}')
        if "pid" in answer:
            cgroups = request.get("sandbox", {}).get("cgroups", [])
            self.bots[pid] = SupervisedBot(answer["pid"], report, cgroups)
            answer["reaper_pid"] = pid
        else:
            os.waitpid(pid, 0)
            os.close(report)
        self.send_answer(answer)

    def end(self, pid: int, grace: float) -> None:
        """Give a bot this long to end by itself."""
        now = time.monotonic()
        for bot in self.bots.values():
            if bot.pid == pid:
                bot.grace, bot.term_at, bot.kill_at = grace, now + grace, now + 2 * grace

    def send_answer(self, answer: dict[str, Any]) -> None:
        """Send a line to the referee; `handle_requests` notices when it is gone."""
        with suppress(OSError):
            self.referee.sendall(json.dumps(answer).encode() + b"\n")

    def reap(self) -> None:
        """Collect reapers that have ended, and forward their reports."""
        with suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if bot := self.bots.pop(pid, None):
                    with os.fdopen(bot.report_fd, "rb") as report:
                        line = report.read()
                    ended = json.loads(line) if line else self.orphan_report(bot)
                    self.send_answer({"exited": bot.pid, **ended})

    def orphan_report(self, bot: SupervisedBot) -> dict[str, Any]:
        """Kill the processes of a bot whose reaper was killed; return the report about it."""
        strays = [pid for pid in child_pids(os.getpid()) if pid not in self.bots]
        send_signal(process_tree(strays), signal.SIGKILL)
        self.orphaned_bots.append(bot)
        return {
            "status": int(signal.SIGKILL),
            "leftover_count": len(strays),
            "is_exact": True,
            "out_of_memory": False,
            "cause": EXTERNAL_KILL,
        }

    def remove_orphan_cgroups(self) -> None:
        """Remove the control groups of bots whose reapers did not."""
        for bot in [*self.orphaned_bots, *self.bots.values()]:
            remove_cgroups(bot.cgroups)

    def kill_overdue(self) -> None:
        """Send TERM or KILL to the bots whose time is up."""
        now = time.monotonic()
        for pid, bot in self.bots.items():
            if bot.grace and bot.term_at <= now:
                send_signal(process_tree([bot.pid]), signal.SIGTERM)
                bot.term_at, bot.kill_at = NEVER, now + bot.grace  # a busy machine may be late
            elif bot.kill_at <= now:
                send_signal(process_tree(child_pids(pid)), signal.SIGKILL)


def main() -> None:
    """Serve the referee at the other end of the socket whose descriptor is the argument."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)
    for ignored in IGNORED_SIGNALS:
        signal.signal(ignored, signal.SIG_IGN)
    for awaited in (signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(awaited, lambda *_: None)
    os.set_inheritable(int(sys.argv[1]), False)  # noqa: FBT003 (it has no other form)
    with socket.socket(fileno=int(sys.argv[1])) as referee:
        supervisor = Supervisor(referee)
        try:
            supervisor.run()
        finally:
            kill_descendants()
            supervisor.remove_orphan_cgroups()
