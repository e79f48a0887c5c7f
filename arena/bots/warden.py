"""The warden: a small process, ancestor of all bots of a referee, that lets none outlive it.

It is run as a script of its own, without the rest of the program, and talks to the referee over a
socket in JSON lines. For each bot it has a guard, a copy of itself that is the bot's parent. A
guard is a subreaper: the kernel hands it whatever the bot has started and disowned, so that all
of a bot's processes are below its guard, however they detach themselves. When the bot has ended
the guard kills the rest. When the referee is gone, however it went, the socket ends, and so do all
processes below the warden.

    {"launch": ARGV, "env": {...}, "cwd": PATH}  with the three standard streams as descriptors
        → {"pid": N, "guard": N} or {"refused": "why"}
    {"end": PID, "grace": SECONDS}   TERM after that time, and KILL after as much again
        → {"gone": PID, "status": N, "left": N} once nothing of that bot is left, also if it ended
          by itself; `left` is how many processes it left behind
"""

import ctypes
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
RECEIVED = 1 << 16
STREAMS = 3
NEVER = float("inf")
TICK = 20
"""Milliseconds between looks at what should be gone."""

SPARED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that may reach the warden and do not concern it."""

CHANGED = (*SPARED, signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that a program would not find as it expects them, some because Python ignores them."""

prctl = ctypes.CDLL(None, use_errno=True).prctl


def children(pid: int) -> list[int]:
    """The processes that this one has started and that are still there."""
    found: list[int] = []
    with suppress(OSError):  # it has just ended
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 (pathlib takes long to load)
            with open(f"/proc/{pid}/task/{task}/children", "rb") as listed:  # noqa: PTH123 (as above)
                found += map(int, listed.read().split())
    return found


def below(pids: list[int]) -> list[int]:
    """These processes and all they have started."""
    found: list[int] = []
    while pids:
        found += pids
        pids = [child for pid in pids for child in children(pid)]
    return found


def send(pids: list[int], what: signal.Signals) -> None:
    """A signal to all these processes."""
    for pid in pids:
        with suppress(OSError):  # it has just ended
            os.kill(pid, what)


def kill_rest() -> set[int]:
    """Kill everything below this process until nothing is left; what there was."""
    killed: set[int] = set()
    with suppress(ChildProcessError):
        while True:
            rest = below(children(os.getpid()))
            killed.update(rest)
            send(rest, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
    return killed


def die_with_parent(parent: int, how: signal.Signals) -> None:
    """Have the kernel tell this process when its parent is gone."""
    prctl(PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:
        os._exit(127)  # it was gone before that took effect


def start(argv: list[str], env: dict[str, str], cwd: str, streams: list[int]) -> int:
    """Start a program in a session of its own; it dies with this process."""
    failed, told = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            die_with_parent(parent, signal.SIGKILL)
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            for changed in CHANGED:
                signal.signal(changed, signal.SIG_DFL)
            os.chdir(cwd)
            os.execve(argv[0], argv, env)  # noqa: S606 (no shell is what is wanted)
        except BaseException as error:  # whatever it is, this copy must not run on
            os.write(told, str(error).encode())
        os._exit(127)
    os.close(told)
    with os.fdopen(failed, "rb") as pipe:
        why = pipe.read()
    if why:
        os.waitpid(pid, 0)
        raise OSError(why.decode(errors="replace"))
    return pid


def guard(request: dict[str, Any], streams: list[int], report: int) -> NoReturn:
    """Be the parent of a bot until nothing of it is left; report its number, later how it ended."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.set_wakeup_fd(-1)
    try:
        bot = start(request["launch"], request["env"], request["cwd"], streams)
    except OSError as error:
        tell(report, {"refused": str(error)})
        os._exit(0)
    tell(report, {"pid": bot})
    for stream in streams:
        os.close(stream)
    ended = status = 0
    while ended != bot:
        ended, status = os.wait()
    tell(report, {"status": status, "left": len(kill_rest())})
    os._exit(0)


def tell(report: int, what: dict[str, Any]) -> None:
    """A line to the warden."""
    os.write(report, json.dumps(what).encode() + b"\n")


class Bot:
    """A bot's guard and main process, and what is to happen to it when."""

    def __init__(self, pid: int, report: int) -> None:
        self.pid = pid
        self.report = report
        self.term_at = self.kill_at = NEVER


class Warden:
    """Holds the bots of one referee."""

    def __init__(self, referee: socket.socket) -> None:
        self.referee = referee
        self.bots: dict[int, Bot] = {}
        """By their guards."""
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
            self.bots[pid] = Bot(answer["pid"], report)
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
                bot.term_at, bot.kill_at = now + grace, now + 2 * grace

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
                    self.say({"gone": bot.pid, **(json.loads(line) if line else self.abandoned())})

    def abandoned(self) -> dict[str, Any]:
        """What to say of a bot whose guard was killed: so is all that was below it."""
        strays = [pid for pid in children(os.getpid()) if pid not in self.bots]
        send(below(strays), signal.SIGKILL)
        return {"status": int(signal.SIGKILL), "left": len(strays)}

    def hurry(self) -> None:
        """End what is due."""
        now = time.monotonic()
        for pid, bot in self.bots.items():
            if bot.kill_at <= now:
                send(below(children(pid)), signal.SIGKILL)
            elif bot.term_at <= now:
                send(below(children(pid)), signal.SIGTERM)
                bot.term_at = NEVER


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
        try:
            Warden(referee).run()
        finally:
            kill_rest()


if __name__ == "__main__":
    main()
