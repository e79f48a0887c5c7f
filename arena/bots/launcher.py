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
from arena.bots.guard import EXCUSES, SIGNALLED
from arena.bots.sandbox.sandbox import OPEN, Sandbox
from arena.bots.sandbox.users import User
from arena.bots.sandbox.walls import FIRST_USER
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


class Ended(NamedTuple):
    """How a bot ended of which nothing is left."""

    status: int
    """As the kernel puts it, for who waits for it."""
    left: int
    """How many processes it left behind."""
    sure: bool
    """Whether the status is the bot's own, and not bubblewrap's word for it."""
    starved: bool
    """Whether the kernel killed in it because it held more memory than it may."""
    cause: str
    """Who ended it, if not the bot or the referee: `MACHINE`, `OUTSIDE`, or nobody."""

    @property
    def excuse(self) -> str:
        """Why its end is not its doing, as the rest of a sentence; nothing if it may be."""
        return EXCUSES.get(self.cause, "")


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
        self.turns = 0
        """How often it has listened: a referee that goes on does so many times a second."""
        self.heard = b""
        self.launched: dict[str, Any] | None = None
        self.gone: dict[int, Ended] = {}
        """How each bot ended, for those that have."""
        self.users: dict[int, User] = {}
        """The users of bots that are not gone, where we are root."""

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
        """Start a bot with these standard streams, as a user of its own where we are root."""
        user = self.sandbox.claim_user()
        try:
            launched = self.launch_as(bot, streams, user)
        except BaseException:
            if user:
                user.close()
            raise
        if user:
            self.users[launched.pid] = user
        if launched.pid in self.gone:  # it was heard together with its start
            self.release(launched.pid)
        return launched

    def launch_as(self, bot: Bot, streams: Iterable[int], user: User | None) -> Launched:
        """Start a bot as this user."""
        request = json.dumps(self.request(bot, user)).encode() + b"\n"
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

    def request(self, bot: Bot, user: User | None) -> dict[str, Any]:
        """What the warden is to start, inside walls if there are any."""
        mark = {MARK: self.name}
        self.number += 1
        sandbox = self.sandbox.within(bot.memory)
        if sandbox.machine and not bot.home.exists():  # bubblewrap would say so, as if it were ours
            raise BadBot(f"{bot.argv[0]} cannot be started: {bot.home} is gone")
        walls = sandbox.around(bot.argv, bot.home, user.number if user else FIRST_USER)
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
        self.turns += 1
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
                pid = answer.pop("gone")
                self.gone[pid] = Ended(**answer)
                self.release(pid)
            else:
                self.gone.pop(answer.get("pid"), None)  # an earlier one with the same number
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
        for pid in list(self.users):
            self.release(pid)

    def release(self, pid: int) -> None:
        """Let others have the user of a bot that is gone."""
        if user := self.users.pop(pid, None):
            user.close()

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


def ending(ended: Ended) -> str:
    """How a process ended, in words."""
    if os.WIFSIGNALED(ended.status):
        return f"killed by {signal_name(os.WTERMSIG(ended.status))}"
    status = os.WEXITSTATUS(ended.status)
    said = f"exit status {status}"
    number = status - SIGNALLED
    if not ended.sure and number in signal.valid_signals():
        said += f", which is also what a program has that is killed by {signal_name(number)}"
    return said


def signal_name(number: int) -> str:
    """What a signal is called; some have no name."""
    return signal.Signals(number).name if number in set(signal.Signals) else str(number)
