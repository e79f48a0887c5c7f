"""The guard: the parent of one bot, from its launch until nothing of it is left.

It is a subreaper: the kernel hands it whatever the bot has started and disowned, so that all of
a bot's processes are below its guard, however they detach themselves. When the bot has ended the
guard kills the rest. A bot inside walls is started by bubblewrap, and its numbers and limits are
set before it runs its first instruction.
"""

import base64
import ctypes
import json
import os
import resource
import signal
import time
from contextlib import suppress
from typing import Any, NoReturn

from arena.bots.sandbox import mounts

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
SIGNALLED = 128
"""Bubblewrap's exit status is this and the signal that ended the program inside."""

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


def start(request: dict[str, Any], streams: list[int], passed: list[int]) -> int:
    """Start a program in a session of its own, which gets these streams; it dies with us."""
    argv, env = request["launch"], request["env"]
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
            for number in passed:
                os.set_inheritable(number, True)  # noqa: FBT003 (it has no other form)
            os.chdir(request["cwd"])
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
    walls = request.get("walls")
    groups = walls["groups"] if walls else []
    try:
        started, bot = (walled_in if walls else unwalled)(request, streams)
    except OSError as error:
        kill_rest()
        dissolve(groups)
        tell(report, {"refused": str(error)})
        os._exit(0)
    tell(report, {"pid": bot})
    for stream in streams:
        os.close(stream)
    ended = status = 0
    while ended != started:
        ended, status = os.wait()
    if walls and os.WIFEXITED(status) and os.WEXITSTATUS(status) > SIGNALLED:
        status = os.WEXITSTATUS(status) - SIGNALLED
    rest = kill_rest()
    # Inside walls the kernel has ended what was there; what is seen are bubblewrap's own.
    left = 0 if walls else len(rest)
    tell(report, {"status": status, "left": left, "starved": dissolve(groups)})
    os._exit(0)


def unwalled(request: dict[str, Any], streams: list[int]) -> tuple[int, int]:
    """Start a program as it is; it is what was started."""
    pid = start(request, streams, [])
    return pid, pid


def walled_in(request: dict[str, Any], streams: list[int]) -> tuple[int, int]:
    """Start a program inside walls; the numbers of bubblewrap and of the program."""
    walls = request["walls"]
    bubblewrap, *options = request["launch"]
    told, filtered = os.memfd_create("options"), os.memfd_create("filter")
    (informed, info), (block, unblock) = os.pipe(), os.pipe()
    options += ["--seccomp", str(filtered), "--json-status-fd", str(info), "--block-fd", str(block)]
    for number, content in (
        (told, b"".join(option.encode() + b"\0" for option in options)),
        (filtered, base64.b64decode(walls["filter"])),
    ):
        os.write(number, content)
        os.lseek(number, 0, os.SEEK_SET)
    argv = [bubblewrap, "--args", str(told), "--", *walls["program"]]
    passed = [told, filtered, info, block]
    outer = start({**request, "launch": argv}, streams, passed)
    for number in passed:
        os.close(number)
    init = inner_init(informed)
    for kind, wanted in walls["rlimits"].items():
        _, hard = resource.prlimit(init, int(kind))
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.prlimit(init, int(kind), (most, most))
    put(f"/proc/{init}/oom_score_adj", "1000")
    for group in walls["groups"]:
        os.mkdir(group["path"])  # noqa: PTH102 (pathlib takes long to load)
        for file, value in group["limits"]:
            put(f"{group['path']}/{file}", value)
        put(f"{group['path']}/cgroup.procs", str(init))
    mounts.complete(init, walls["mounts"])
    os.write(unblock, b"\n")
    os.close(unblock)
    while not (inside := children(init)):
        if os.waitid(os.P_PID, outer, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if b"exit-code" not in os.read(informed, 4096):  # said only of a program that ran
                raise OSError("the sandbox cannot be set up")
            inside = [init]  # it has come and gone, like the program
            break
        time.sleep(0.0002)
    return outer, inside[0]  # bubblewrap writes to `informed` once more, so it stays open


def put(path: str, value: str) -> None:
    """Write into a file of the kernel's, if there is such a one."""
    with suppress(FileNotFoundError), open(path, "w") as file:  # noqa: PTH123 (as above)
        file.write(value)


def dissolve(groups: list[dict[str, Any]]) -> bool:
    """Remove control groups; whether the kernel had to kill in them for lack of memory."""
    found = False
    for group in groups:
        for file in ("memory.oom_control", "memory.events"):
            with suppress(OSError), open(f"{group['path']}/{file}") as counted:  # noqa: PTH123 (as above)
                found |= any(
                    line.startswith("oom_kill ") and line.split()[1] != "0" for line in counted
                )
        with suppress(OSError):
            os.rmdir(group["path"])  # noqa: PTH106 (pathlib takes long to load)
    return found


def inner_init(informed: int) -> int:
    """The number of the first process inside, as bubblewrap tells it."""
    said = b""
    while b"\n" not in said:
        if not (more := os.read(informed, 4096)):
            raise OSError("the sandbox cannot be set up")
        said += more
    return int(json.loads(said)["child-pid"])


def tell(report: int, what: dict[str, Any]) -> None:
    """A line to the warden."""
    os.write(report, json.dumps(what).encode() + b"\n")
