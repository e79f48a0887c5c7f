"""Start and end the bots of a referee through its supervisor process."""

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
from typing import Any, NamedTuple, Self

from arena.bots.bootstrap import python_argv
from arena.bots.bot import Bot
from arena.bots.reaper import EXTERNAL_CAUSES, SIGNAL_STATUS
from arena.bots.sandbox.bwrap import FIRST_BOT_UID
from arena.bots.sandbox.sandbox import NO_SANDBOX, Sandbox
from arena.bots.sandbox.users import BotUser
from arena.errors import BadBot, HarnessFailure

RECEIVE_SIZE = 1 << 16
START_TIMEOUT = 30.0
"""Seconds in which the supervisor has to start a program; it usually takes a millisecond."""

MARK_VARIABLE = "STICHKAMPF_REFEREE"
"""The environment variable of the supervisor, its reapers, and bots without a sandbox."""

SUPERVISOR_CODE = "from arena.bots.supervisor import main; main()"

EXIT_TIMEOUT = 10.0
"""Seconds after which what was killed has to be gone."""


class LaunchedBot(NamedTuple):
    """A bot that was started."""

    pid: int
    reaper_pid: int
    """The process id of its reaper."""
    cgroup: str | None
    """The folder of the control group that freezes it and counts its CPU time, if any."""


class BotExit(NamedTuple):
    """How a bot ended; none of its processes is left."""

    status: int
    """The wait status, as `os.wait` returns it."""
    leftover_count: int
    """How many processes it left behind."""
    is_exact: bool
    """Whether the status is the bot's own, not an exit status that bubblewrap made from it."""
    out_of_memory: bool
    """Whether the kernel killed one of its processes at its own memory limit."""
    cause: str
    """`MACHINE_MEMORY` or `EXTERNAL_KILL` if neither the bot nor the referee ended it, else ""."""

    @property
    def external_cause(self) -> str:
        """Why the bot is not at fault, as the rest of a sentence; empty if it may be."""
        return EXTERNAL_CAUSES.get(self.cause, "")


class Launcher:
    """Starts and ends the bots of one referee; closing it ends all that still run."""

    def __init__(self, sandbox: Sandbox = NO_SANDBOX) -> None:
        self.sandbox = sandbox
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 (it is our own script)
                python_argv(SUPERVISOR_CODE, str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={},
            )
        self.token = secrets.token_hex(8)
        self.launch_count = 0
        """How many bots were started."""
        self.listen_count = 0
        """How often it has listened: a referee that is not stuck does so many times a second."""
        self.buffer = b""
        self.last_answer: dict[str, Any] | None = None
        self.exits: dict[int, BotExit] = {}
        """How each bot ended, by process id."""
        self.users: dict[int, BotUser] = {}
        """The users of running bots, where we are root."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def launch(self, bot: Bot, streams: Iterable[int]) -> LaunchedBot:
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
        if launched.pid in self.exits:  # its exit was reported together with its start
            self.release_user(launched.pid)
        return launched

    def launch_as(self, bot: Bot, streams: Iterable[int], user: BotUser | None) -> LaunchedBot:
        """Start a bot as this user."""
        request = json.dumps(self.launch_request(bot, user)).encode() + b"\n"
        try:
            sent = socket.send_fds(self.socket, [request], list(streams))
            self.socket.sendall(request[sent:])
        except OSError as error:
            raise self.lost_error() from error
        self.last_answer = None
        until = time.monotonic() + START_TIMEOUT
        while self.last_answer is None:
            self.listen(until - time.monotonic())
            if time.monotonic() > until:
                raise self.lost_error()
        if "error" in self.last_answer:
            why = self.last_answer["error"]
            if self.sandbox.support:
                raise HarnessFailure(f"{bot.name} cannot be started: {why}")
            raise BadBot(f"{bot.argv[0]} cannot be started: {why}")
        group = self.sandbox.cgroup_folder(self.cgroup_name)
        return LaunchedBot(int(self.last_answer["pid"]), int(self.last_answer["reaper_pid"]), group)

    @property
    def cgroup_name(self) -> str:
        """The name of the control groups of the bot that was started last."""
        return f"{os.getpid()}-{self.token}-{self.launch_count}"

    def launch_request(self, bot: Bot, user: BotUser | None) -> dict[str, Any]:
        """Return the request to start a bot, in the sandbox if there is one."""
        mark = {MARK_VARIABLE: self.token}
        self.launch_count += 1
        sandbox = self.sandbox.with_memory(bot.memory)
        # Bubblewrap would report this too, but as a failure of the sandbox.
        if sandbox.support and not bot.path.exists():
            raise BadBot(f"{bot.argv[0]} cannot be started: {bot.path} is gone")
        command = sandbox.wrap(bot.argv, bot.path, user.uid if user else FIRST_BOT_UID)
        if command is None:
            env = {**bot.environment(), **mark}
            return {"launch": bot.argv, "env": env, "cwd": str(bot.folder)}
        return command.reaper_request(sandbox.bot_cgroups(self.cgroup_name), mark)

    def end(self, pid: int, grace: float) -> None:
        """Wait this long for a bot to end, then send TERM, and after as long again KILL."""
        try:
            self.socket.sendall(json.dumps({"end": pid, "grace": grace}).encode() + b"\n")
        except OSError as error:
            raise self.lost_error() from error

    def listen(self, seconds: float = 0) -> None:
        """Read what the supervisor reports; if there is nothing yet, wait this long for it."""
        self.listen_count += 1
        waiting = select.poll()
        waiting.register(self.socket, select.POLLIN)
        if not waiting.poll(max(0.0, seconds) * 1000):
            return
        try:
            data = self.socket.recv(RECEIVE_SIZE)
        except OSError as error:
            raise self.lost_error() from error
        if not data:
            raise self.lost_error()
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for answer in map(json.loads, lines):
            if "exited" in answer:
                pid = answer.pop("exited")
                self.exits[pid] = BotExit(**answer)
                self.release_user(pid)
            else:
                self.exits.pop(answer.get("pid"), None)  # an earlier process with the same id
                self.last_answer = answer

    def wait_for_exit(self, pids: Iterable[int], seconds: float) -> bool:
        """Wait until these bots are gone; whether they are within so many seconds."""
        until = time.monotonic() + seconds
        missing = [pid for pid in pids if pid not in self.exits]
        while missing:
            left = until - time.monotonic()
            if left <= 0:
                return False
            self.listen(left)
            missing = [pid for pid in missing if pid not in self.exits]
        return True

    def lost_error(self) -> HarnessFailure:
        """The error for a supervisor that does not answer."""
        return HarnessFailure("the supervisor process of the bots is gone; run it again")

    def close(self) -> None:
        """End every bot that still runs."""
        self.socket.close()
        try:
            self.process.wait(EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.returncode:
            self.kill_leftovers()
        for pid in list(self.users):
            self.release_user(pid)

    def release_user(self, pid: int) -> None:
        """Release the user id of a bot that is gone."""
        if user := self.users.pop(pid, None):
            user.close()

    def kill_leftovers(self) -> None:
        """Kill what a supervisor that was killed has left behind."""
        mark = f"{MARK_VARIABLE}={self.token}".encode()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):  # it is gone, or not ours
                    if mark in (entry / "environ").read_bytes():
                        os.kill(int(entry.name), signal.SIGKILL)
        if self.sandbox.cgroups:
            self.sandbox.cgroups.remove_stale_groups()


def describe_exit(ended: BotExit) -> str:
    """Describe how a process ended."""
    if os.WIFSIGNALED(ended.status):
        return f"killed by {signal_name(os.WTERMSIG(ended.status))}"
    status = os.WEXITSTATUS(ended.status)
    text = f"exit status {status}"
    number = status - SIGNAL_STATUS
    if not ended.is_exact and number in signal.valid_signals():
        text += f", which is also what a program has that is killed by {signal_name(number)}"
    return text


def signal_name(number: int) -> str:
    """The name of a signal, or its number if it has none."""
    return signal.Signals(number).name if number in set(signal.Signals) else str(number)
