"""The warden: a small process, ancestor of all bots of a referee, that lets none outlive it.

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

from arena.bots.guard import (
    OUTSIDE,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG,
    SPARED,
    below,
    children,
    die_with_parent,
    dissolve,
    guard,
    kill_rest,
    prctl,
    send,
)

RECEIVED = 1 << 16
STREAMS = 3
NEVER = float("inf")
TICK = 20
"""Milliseconds between looks at what should be gone."""


class Bot:
    """A bot's guard and main process, and what is to happen to it when."""

    def __init__(self, pid: int, report: int, groups: list[dict[str, Any]]) -> None:
        self.pid = pid
        self.report = report
        self.groups = groups
        self.grace = 0.0
        self.term_at = self.kill_at = NEVER


class Warden:
    """Holds the bots of one referee."""

    def __init__(self, referee: socket.socket) -> None:
        self.referee = referee
        self.bots: dict[int, Bot] = {}
        """By their guards."""
        self.ungrouped: list[Bot] = []
        """Bots whose guards were killed, and whose control groups may still be there."""
        self.heard = b""
        self.held: list[int] = []
        self.parent = os.getppid()

    def run(self) -> None:
        """Do what the referee says until it is gone."""
        waiting = select.poll()
        waiting.register(self.referee, select.POLLIN)
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        waiting.register(reader, select.POLLIN)
        while True:
            leaving = any(bot.kill_at < NEVER for bot in self.bots.values())
            ready = [number for number, _ in waiting.poll(TICK if leaving else None)]
            if reader in ready:
                os.read(reader, RECEIVED)
            if self.referee.fileno() in ready and not self.listen():
                return
            if os.getppid() != self.parent:
                return  # somebody else holds the other end of the socket
            self.reap()
            self.hurry()

    def listen(self) -> bool:
        """Take the referee's requests; False once it is gone."""
        try:
            data, streams, _, _ = socket.recv_fds(self.referee, RECEIVED, STREAMS)
        except OSError:
            return False
        for stream in streams:
            os.set_inheritable(stream, False)  # noqa: FBT003 (it has no other form)
        self.held += streams
        *lines, self.heard = (self.heard + data).split(b"\n")
        for request in map(json.loads, lines):
            if "launch" in request:
                streams, self.held = self.held[:STREAMS], self.held[STREAMS:]
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
            guard(request, streams, told)
        os.close(told)
        line = b""
        while not line.endswith(b"\n") and (more := os.read(report, 1)):
            line += more
        answer = json.loads(line or b'{"refused": "its guard was killed"}')
        if "pid" in answer:
            groups = request.get("walls", {}).get("groups", [])
            self.bots[pid] = Bot(answer["pid"], report, groups)
            answer["guard"] = pid
        else:
            os.waitpid(pid, 0)
            os.close(report)
        self.say(answer)

    def end(self, pid: int, grace: float) -> None:
        """Let a bot end by itself for this long."""
        now = time.monotonic()
        for bot in self.bots.values():
            if bot.pid == pid:
                bot.grace, bot.term_at, bot.kill_at = grace, now + grace, now + 2 * grace

    def say(self, answer: dict[str, Any]) -> None:
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
                    with os.fdopen(bot.report, "rb") as report:
                        line = report.read()
                    ended = json.loads(line) if line else self.abandoned(bot)
                    self.say({"gone": bot.pid, **ended})

    def abandoned(self, bot: Bot) -> dict[str, Any]:
        """What to say of a bot whose guard was killed: so is all that was below it."""
        strays = [pid for pid in children(os.getpid()) if pid not in self.bots]
        send(below(strays), signal.SIGKILL)
        self.ungrouped.append(bot)
        end = {"status": int(signal.SIGKILL), "sure": True, "cause": OUTSIDE}
        return {**end, "left": len(strays), "starved": False}

    def clear_up(self) -> None:
        """Remove the control groups of bots that had no guard in the end."""
        for bot in [*self.ungrouped, *self.bots.values()]:
            dissolve(bot.groups)

    def hurry(self) -> None:
        """End what is due."""
        now = time.monotonic()
        for pid, bot in self.bots.items():
            if bot.grace and bot.term_at <= now:
                send(below([bot.pid]), signal.SIGTERM)
                bot.term_at, bot.kill_at = NEVER, now + bot.grace  # a busy machine may be late
            elif bot.kill_at <= now:
                send(below(children(pid)), signal.SIGKILL)


def main() -> None:
    """Hold the bots of the referee at the other end of the socket given by its number."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)
    for spared in SPARED:
        signal.signal(spared, signal.SIG_IGN)
    for awaited in (signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(awaited, lambda *_: None)
    os.set_inheritable(int(sys.argv[1]), False)  # noqa: FBT003 (it has no other form)
    with socket.socket(fileno=int(sys.argv[1])) as referee:
        warden = Warden(referee)
        try:
            warden.run()
        finally:
            kill_rest()
            warden.clear_up()
