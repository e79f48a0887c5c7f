"""Starts and ends bots through the warden, a process that keeps them from outliving the referee."""

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from arena.bots.bare import python
from arena.bots.bot import Bot
from arena.bots.sandbox.sandbox import OPEN, Sandbox
from arena.errors import BadBot, HarnessFailure

RECEIVED = 1 << 16
ANSWER = 30.0
"""Seconds the warden has to start a program, which takes it a millisecond."""

MARK = "STICHKAMPF_REFEREE"
"""The variable that all processes of a referee's bots have in their environment."""

WARDEN = "from arena.bots.warden import main; main()"

LAST = 10.0
"""Seconds after which what was killed has to be gone."""


class Launched(NamedTuple):
    """A bot that was started."""

    pid: int
    guard: int
    """The number of its guard."""
    group: str | None
    """The folder of the control group by which it is stopped and its time is counted, if any."""


class Launcher:
    """One referee's way to its bots; close it, and none is left."""

    def __init__(self, sandbox: Sandbox = OPEN) -> None:
        self.sandbox = sandbox
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 (it is our own script)
                python(WARDEN, str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={},
            )
        self.name = secrets.token_hex(8)
        self.number = 0
        """How many bots were started."""
        self.heard = b""
        self.launched: dict[str, Any] | None = None
        self.gone: dict[int, int] = {}
        """How each bot ended, as the kernel puts it, for those that have."""
        self.left: dict[int, int] = {}
        """How many processes each of them left behind."""
        self.starved: set[int] = set()
        """Those of which the kernel had to kill something for lack of memory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def launch(self, bot: Bot, streams: Iterable[int]) -> Launched:
        """Start a bot with these standard streams."""
        request = json.dumps(self.request(bot)).encode() + b"\n"
        try:
            sent = socket.send_fds(self.socket, [request], list(streams))
            self.socket.sendall(request[sent:])
        except OSError as error:
            raise self.lost() from error
        self.launched = None
        until = time.monotonic() + ANSWER
        while self.launched is None:
            self.listen(until - time.monotonic())
            if time.monotonic() > until:
                raise self.lost()
        if "refused" in self.launched:
            why = self.launched["refused"]
            if self.sandbox.machine:
                raise HarnessFailure(f"{bot.name} cannot be started: {why}")
            raise BadBot(f"{bot.argv[0]} cannot be started: {why}")
        group = self.sandbox.group(self.groups)
        return Launched(int(self.launched["pid"]), int(self.launched["guard"]), group)

    @property
    def groups(self) -> str:
        """What the control groups of the bot that was started last are called."""
        return f"{os.getpid()}-{self.name}-{self.number}"

    def request(self, bot: Bot) -> dict[str, Any]:
        """What the warden is to start, inside walls if there are any."""
        mark = {MARK: self.name}
        self.number += 1
        sandbox = self.sandbox.within(bot.memory)
        if sandbox.machine and not bot.home.exists():  # bubblewrap would say so, as if it were ours
            raise BadBot(f"{bot.argv[0]} cannot be started: {bot.home} is gone")
        walls = sandbox.around(bot.argv, bot.home)
        if walls is None:
            env = {**bot.environment(), **mark}
            return {"launch": bot.argv, "env": env, "cwd": str(bot.folder)}
        return walls.request(sandbox.groups(self.groups), mark)

    def end(self, pid: int, grace: float) -> None:
        """Let a bot end by itself for this long, then with TERM, then with KILL of all it is."""
        try:
            self.socket.sendall(json.dumps({"end": pid, "grace": grace}).encode() + b"\n")
        except OSError as error:
            raise self.lost() from error

    def listen(self, seconds: float = 0) -> None:
        """Hear what the warden has to say, waiting so long if there is nothing yet."""
        waiting = select.poll()
        waiting.register(self.socket, select.POLLIN)
        if not waiting.poll(max(0.0, seconds) * 1000):
            return
        try:
            data = self.socket.recv(RECEIVED)
        except OSError as error:
            raise self.lost() from error
        if not data:
            raise self.lost()
        *lines, self.heard = (self.heard + data).split(b"\n")
        for answer in map(json.loads, lines):
            if "gone" in answer:
                self.gone[answer["gone"]] = answer["status"]
                self.left[answer["gone"]] = answer["left"]
                if answer["starved"]:
                    self.starved.add(answer["gone"])
            else:
                self.gone.pop(answer.get("pid"), None)  # an earlier one with the same number
                self.starved.discard(answer.get("pid", 0))
                self.launched = answer

    def wait(self, pids: Iterable[int], seconds: float) -> bool:
        """Whether all of these are gone within so many seconds."""
        until = time.monotonic() + seconds
        missing = [pid for pid in pids if pid not in self.gone]
        while missing:
            left = until - time.monotonic()
            if left <= 0:
                return False
            self.listen(left)
            missing = [pid for pid in missing if pid not in self.gone]
        return True

    def lost(self) -> HarnessFailure:
        """What to say when the warden does not answer."""
        return HarnessFailure("the process that watches over the bots is gone; run it again")

    def close(self) -> None:
        """End every bot that is still there."""
        self.socket.close()
        try:
            self.process.wait(LAST)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.returncode:
            self.sweep()

    def sweep(self) -> None:
        """Kill whatever a warden that did not end in order has left behind."""
        mark = f"{MARK}={self.name}".encode()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):  # it is gone, or not ours
                    if mark in (entry / "environ").read_bytes():
                        os.kill(int(entry.name), signal.SIGKILL)
        if self.sandbox.cgroups:
            self.sandbox.cgroups.clear_up()


def ending(status: int) -> str:
    """How a process ended, in words."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        known = number in set(signal.Signals)
        return f"killed by {signal.Signals(number).name if known else number}"
    return f"exit status {os.WEXITSTATUS(status)}"
