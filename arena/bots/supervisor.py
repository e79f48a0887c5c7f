"""The supervisor: a process above all bots of a referee, none of which outlives it.

It runs without the rest of the program, and talks to the referee over a socket in JSON lines. For
each bot it has a guard, a copy of itself that is the bot's parent. When the referee is gone,
however it went, the socket ends, and so do all processes below the warden.

    {"launch": ARGV, "env": {...}, "cwd": PATH}  with the three standard streams as descriptors
        → {"pid": N, "guard": N} or {"refused": "why"}
      with {"walls": {"program": ARGV, "filter": BASE64, "rlimits": {...}}} the first ARGV is
      bubblewrap's, and the program is what it runs inside
    {"end": PID, "grace": SECONDS}   TERM after that time, and KILL after as much again
        → {"gone": PID, "status": N, ...} once nothing of that bot is left, also if it ended by
          itself; the rest is explained in `launcher.Ended`
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
    children,
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
"""Milliseconds between looks at what should be gone."""


class SupervisedBot:
    """A bot's guard and main process, and what is to happen to it when."""

    def __init__(self, pid: int, report_fd: int, groups: list[dict[str, Any]]) -> None:
        self.pid = pid
        self.report_fd = report_fd
        self.groups = groups
        self.grace = 0.0
        self.term_at = self.kill_at = NEVER


class Supervisor:
    """Holds the bots of one referee."""

    def __init__(self, referee: socket.socket) -> None:
        self.referee = referee
        self.bots: dict[int, SupervisedBot] = {}
        """By their guards."""
        self.orphaned_bots: list[SupervisedBot] = []
        """Bots whose guards were killed, and whose control groups may still be there."""
        self.buffer = b""
        self.received_fds: list[int] = []
        self.parent_pid = os.getppid()

    def run(self) -> None:
        """Do what the referee says until it is gone."""
        waiting = select.poll()
        waiting.register(self.referee, select.POLLIN)
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        waiting.register(reader, select.POLLIN)
        while True:
            leaving = any(bot.kill_at < NEVER for bot in self.bots.values())
            ready = [number for number, _ in waiting.poll(POLL_MILLISECONDS if leaving else None)]
            if reader in ready:
                os.read(reader, RECEIVE_SIZE)
            if self.referee.fileno() in ready and not self.handle_requests():
                return
            if os.getppid() != self.parent_pid:
                return  # somebody else holds the other end of the socket
            self.reap()
            self.kill_overdue()

    def handle_requests(self) -> bool:
        """Take the referee's requests; False once it is gone."""
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
        """Start a guard, and through it a bot."""
        report, told = os.pipe()
        warden = os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with_parent(warden, signal.SIGKILL)
            self.referee.close()
            run_reaper(request, streams, told)
        os.close(told)
        line = b""
        while not line.endswith(b"\n") and (more := os.read(report, 1)):
            line += more
        answer = json.loads(line or b'{"refused": "its guard was killed"}')
        if "pid" in answer:
            groups = request.get("walls", {}).get("groups", [])
            self.bots[pid] = SupervisedBot(answer["pid"], report, groups)
            answer["guard"] = pid
        else:
            os.waitpid(pid, 0)
            os.close(report)
        self.send_answer(answer)

    def end(self, pid: int, grace: float) -> None:
        """Let a bot end by itself for this long."""
        now = time.monotonic()
        for bot in self.bots.values():
            if bot.pid == pid:
                bot.grace, bot.term_at, bot.kill_at = grace, now + grace, now + 2 * grace

    def send_answer(self, answer: dict[str, Any]) -> None:
        """Tell the referee; that it does not listen any more shows in `listen`."""
        with suppress(OSError):
            self.referee.sendall(json.dumps(answer).encode() + b"\n")

    def reap(self) -> None:
        """Take note of guards that have ended, and of what they report."""
        with suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if bot := self.bots.pop(pid, None):
                    with os.fdopen(bot.report_fd, "rb") as report:
                        line = report.read()
                    ended = json.loads(line) if line else self.orphan_report(bot)
                    self.send_answer({"gone": bot.pid, **ended})

    def orphan_report(self, bot: SupervisedBot) -> dict[str, Any]:
        """What to say of a bot whose guard was killed: so is all that was below it."""
        strays = [pid for pid in children(os.getpid()) if pid not in self.bots]
        send_signal(process_tree(strays), signal.SIGKILL)
        self.orphaned_bots.append(bot)
        end = {"status": int(signal.SIGKILL), "sure": True, "cause": EXTERNAL_KILL}
        return {**end, "left": len(strays), "starved": False}

    def remove_orphan_cgroups(self) -> None:
        """Remove the control groups of bots that had no guard in the end."""
        for bot in [*self.orphaned_bots, *self.bots.values()]:
            remove_cgroups(bot.groups)

    def kill_overdue(self) -> None:
        """End what is due."""
        now = time.monotonic()
        for pid, bot in self.bots.items():
            if bot.grace and bot.term_at <= now:
                send_signal(process_tree([bot.pid]), signal.SIGTERM)
                bot.term_at, bot.kill_at = NEVER, now + bot.grace  # a busy machine may be late
            elif bot.kill_at <= now:
                send_signal(process_tree(children(pid)), signal.SIGKILL)


def main() -> None:
    """Hold the bots of the referee at the other end of the socket given by its number."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)
    for spared in IGNORED_SIGNALS:
        signal.signal(spared, signal.SIG_IGN)
    for awaited in (signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(awaited, lambda *_: None)
    os.set_inheritable(int(sys.argv[1]), False)  # noqa: FBT003 (it has no other form)
    with socket.socket(fileno=int(sys.argv[1])) as referee:
        warden = Supervisor(referee)
        try:
            warden.run()
        finally:
            kill_descendants()
            warden.remove_orphan_cgroups()
