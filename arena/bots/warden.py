"""The warden: a small process, parent of all bots of a referee, that lets none outlive it.

It is run as a script of its own, without the rest of the program, and talks to the referee over a
socket in JSON lines. Whatever a bot starts stays below the warden, however it detaches itself,
because the kernel hands orphans to their nearest subreaper. When the referee is gone, however it
went, the socket ends, and so do all processes below the warden.

    {"launch": ARGV, "env": {...}, "cwd": PATH}  with the three standard streams as descriptors;
                                                 its processes are known by `MARK` in `env`
        → {"pid": N} or {"refused": "why"}
        → {"spent": PID, "cpu": SECONDS} when processes have ended that the bot had disowned
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
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
RECEIVED = 1 << 16
STREAMS = 3
NEVER = float("inf")
MARK = "STICHKAMPF_PROCESS"
TICK = 20
"""Milliseconds between looks at what should be gone."""

SPARED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that may reach the warden and do not concern it."""

CHANGED = (*SPARED, signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that a program would not find as it expects them, some because Python ignores them."""

prctl = ctypes.CDLL(None, use_errno=True).prctl


class Bot:
    """A bot's main process, and what is to happen to it when."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.status: int | None = None
        self.left: set[int] = set()
        """What was still there when it had ended."""
        self.spent = 0.0
        """Seconds of CPU time of processes it had disowned and that have ended."""
        self.term_at = self.kill_at = NEVER


def launch(argv: list[str], env: dict[str, str], cwd: str, streams: list[int]) -> int:
    """Start a program in a session of its own; it dies with the warden."""
    failed, told = os.pipe()
    warden = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != warden:
                os._exit(127)  # it died before that took effect
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            for changed in CHANGED:
                signal.signal(changed, signal.SIG_DFL)
            os.chdir(cwd)
            os.execve(argv[0], argv, env)  # noqa: S606 (no shell is what is wanted)
        except BaseException as error:  # noqa: BLE001, RUF100 (whatever it is, do not run on)
            os.write(told, str(error).encode())
        os._exit(127)
    os.close(told)
    with os.fdopen(failed, "rb") as pipe:
        why = pipe.read()
    if why:
        os.waitpid(pid, 0)
        raise OSError(why.decode(errors="replace"))
    return pid


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


def session(pid: int) -> int:
    """The session of a process; 0 if it is gone."""
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def belongs(pid: int, bot: int, mark: str) -> bool:
    """Whether a process is a bot's: by its session or, if it has left that, by its environment."""
    if session(pid) == bot:
        return True
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:  # noqa: PTH123 (as above)
            return f"{MARK}={mark}".encode() in environ.read().split(b"\0")
    except OSError:
        return False


def send(pids: list[int], what: signal.Signals) -> None:
    """A signal to all these processes."""
    for pid in pids:
        with suppress(OSError):  # it has just ended
            os.kill(pid, what)


class Warden:
    """Holds the bots of one referee."""

    def __init__(self, referee: socket.socket) -> None:
        self.referee = referee
        self.bots: dict[int, Bot] = {}
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
            ready = [number for number, _ in waiting.poll(TICK if self.leaving() else None)]
            if reader in ready:
                os.read(reader, RECEIVED)
            if self.referee.fileno() in ready and not self.listen():
                return
            if os.getppid() != self.parent:
                return  # somebody else holds the other end of the socket
            self.reap()
            self.tidy()

    def leaving(self) -> bool:
        """Whether there is anything to look after by the clock."""
        return any(bot.status is not None or bot.kill_at < NEVER for bot in self.bots.values())

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
        for line in lines:
            self.serve(json.loads(line))
        return bool(data)

    def serve(self, request: dict[str, Any]) -> None:
        """Do one thing."""
        if "launch" in request:
            streams, self.held = self.held[:STREAMS], self.held[STREAMS:]
            try:
                pid = launch(request["launch"], request["env"], request["cwd"], streams)
                self.bots[pid] = Bot(request["env"][MARK])
                self.say({"pid": pid})
            except OSError as error:
                self.say({"refused": str(error)})
            for stream in streams:
                os.close(stream)
        elif bot := self.bots.get(request["end"]):
            now = time.monotonic()
            bot.term_at, bot.kill_at = now + request["grace"], now + 2 * request["grace"]

    def say(self, answer: dict[str, Any]) -> None:
        """Tell the referee; that it does not listen any more shows in `listen`."""
        with suppress(OSError):
            self.referee.sendall(json.dumps(answer).encode() + b"\n")

    def reap(self) -> None:
        """Take note of everything that has ended, so that no zombie is left."""
        with suppress(ChildProcessError):
            while True:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None:
                    return
                owner = session(ended.si_pid)
                pid, status, used = os.wait4(ended.si_pid, 0)
                if pid in self.bots:
                    self.bots[pid].status = status
                elif bot := self.bots.get(owner):
                    bot.spent += used.ru_utime + used.ru_stime
                    self.say({"spent": owner, "cpu": bot.spent})

    def tidy(self) -> None:
        """End what is due, and report what is gone."""
        now = time.monotonic()
        for pid, bot in self.bots.items():
            if bot.status is None and bot.kill_at <= now:
                send(below([pid]), signal.SIGKILL)
            elif bot.status is None and bot.term_at <= now:
                send(below([pid]), signal.SIGTERM)
                bot.term_at = NEVER
        ended = [pid for pid, bot in self.bots.items() if bot.status is not None]
        if not ended:
            return
        live = [(pid, bot.mark) for pid, bot in self.bots.items() if bot.status is None]
        strays = [
            pid
            for pid in children(os.getpid())
            if pid not in self.bots and not any(belongs(pid, *owner) for owner in live)
        ]
        if strays:
            remaining = below(strays)
            send(remaining, signal.SIGKILL)
            for pid in ended:
                self.bots[pid].left.update(remaining)
            return
        for pid in ended:
            bot = self.bots.pop(pid)
            self.say({"gone": pid, "status": bot.status, "left": len(bot.left)})

    def end_all(self) -> None:
        """Kill until nothing is left."""
        with suppress(ChildProcessError):
            while True:
                send(below(children(os.getpid())), signal.SIGKILL)
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.001)


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
            warden.end_all()


if __name__ == "__main__":
    main()
