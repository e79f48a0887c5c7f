"""The reaper: the parent process of one bot, which kills everything the bot leaves behind.

It is a subreaper: the kernel makes it the parent of orphans, so that all processes of a bot are
below its reaper, however they detach themselves. When the bot has ended, the reaper kills the rest.
A bot in the sandbox is started by bubblewrap; its limits are set before it runs its first
instruction.
"""

import base64
import ctypes
import fcntl
import json
import os
import resource
import signal
import struct
import time
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from arena.bots.sandbox import extra_mounts

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
SIGNAL_STATUS = 128
"""Bubblewrap's exit status is this plus the signal that ended the program inside."""

PIDFD_GET_INFO, PIDFD_INFO_EXIT = 0xC040FF0B, 1 << 3
"""The request for how the process of a pidfd ended, which Linux 6.15 and later answer."""

EXIT_CODE_OFFSET = 60
"""Where the wait status is in that answer, which has 64 bytes."""

MACHINE_MEMORY, EXTERNAL_KILL = "machine", "outside"
"""Why a bot ended without a fault of its own: too little memory on the machine, or a kill."""

EXTERNAL_CAUSES = {
    MACHINE_MEMORY: "was killed because the machine ran out of memory: "
    "use fewer workers or a lower 'memory'",
    EXTERNAL_KILL: "was killed with its sandbox or its reaper, which the referee did not do",
}
"""Ends that are not the bot's fault, as the rest of a sentence."""

MEMORY_SLACK = 2 << 20
"""A control group that has come this close to its limit, in bytes, has run into it."""

IGNORED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that may reach the supervisor and do not concern it."""

RESET_SIGNALS = (*IGNORED_SIGNALS, signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that are set back to their defaults for the bot; Python ignores some of them."""

prctl = ctypes.CDLL(None, use_errno=True).prctl


def child_pids(pid: int) -> list[int]:
    """The running children of a process."""
    found: list[int] = []
    with suppress(OSError):  # it has just ended
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 (pathlib takes long to load)
            with open(f"/proc/{pid}/task/{task}/children", "rb") as listed:  # noqa: PTH123 (as above)
                found += map(int, listed.read().split())
    return found


def process_tree(pids: list[int]) -> list[int]:
    """These processes and all their descendants."""
    found: list[int] = []
    while pids:
        found += pids
        pids = [child for pid in pids for child in child_pids(pid)]
    return found


def send_signal(pids: list[int], signum: signal.Signals) -> None:
    """Send a signal to all these processes."""
    for pid in pids:
        with suppress(OSError):  # it has just ended
            os.kill(pid, signum)


def kill_descendants() -> set[int]:
    """Kill everything below this process until nothing is left; return what was killed."""
    killed: set[int] = set()
    with suppress(ChildProcessError):
        while True:
            rest = process_tree(child_pids(os.getpid()))
            killed.update(rest)
            send_signal(rest, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
    return killed


def die_with_parent(parent: int, signum: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent is gone."""
    prctl(PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:
        os._exit(127)  # it was gone before that took effect


def spawn(request: dict[str, Any], streams: list[int], inherited_fds: list[int]) -> int:
    """Start a program in its own session, with these streams; it dies with this process."""
    argv, env = request["launch"], request["env"]
    error_reader, error_writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            die_with_parent(parent, signal.SIGKILL)
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            for changed in RESET_SIGNALS:
                signal.signal(changed, signal.SIG_DFL)
            for number in inherited_fds:
                os.set_inheritable(number, True)  # noqa: FBT003 (it has no other form)
            os.chdir(request["cwd"])
            for group in request.get("sandbox", {}).get("cgroups", []):
                with open(f"{group['path']}/cgroup.procs", "w") as members:  # noqa: PTH123 (as below)
                    members.write("0")  # a group that is gone is an error: it would not count
            os.execve(argv[0], argv, env)  # noqa: S606 (no shell is what is wanted)
        except BaseException as error:  # on any error the forked copy must not run on
            os.write(error_writer, str(error).encode())
        os._exit(127)
    os.close(error_writer)
    with os.fdopen(error_reader, "rb") as pipe:
        why = pipe.read()
    if why:
        os.waitpid(pid, 0)
        raise OSError(why.decode(errors="replace"))
    return pid


class SpawnedBot(NamedTuple):
    """A bot that was started."""

    child_pid: int
    """The reaper's own child: the bot, or bubblewrap."""
    bot_pid: int
    pidfds: tuple[int, ...] = ()
    """In the sandbox: pidfds of the bot, unless it ended at once, and of its init process."""


def run_reaper(request: dict[str, Any], streams: list[int], report_fd: int) -> NoReturn:
    """Start a bot and report its process id; once nothing of it is left, report how it ended."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.set_wakeup_fd(-1)
    sandbox = request.get("sandbox")
    groups = sandbox["cgroups"] if sandbox else []
    counted = any(file.startswith("memory.") for group in groups for file, _ in group["limits"])
    kills_before = 0 if counted else oom_kills()
    try:
        started = (spawn_sandboxed if sandbox else spawn_unsandboxed)(request, streams)
    except OSError as error:
        kill_descendants()
        remove_cgroups(groups)
        send_report(report_fd, {"error": str(error)})
        os._exit(0)
    send_report(report_fd, {"pid": started.bot_pid})
    for stream in streams:
        os.close(stream)
    ended = status = 0
    while ended != started.child_pid:
        ended, status = os.wait()
    end = exit_report(started, status)
    killed_pids = kill_descendants()
    # In the sandbox the kernel has ended the bot's processes; those left are bubblewrap's.
    end["leftover_count"] = 0 if sandbox else len(killed_pids)
    if counted:
        oom_killed, at_own_limit = check_cgroup_oom(groups)
    else:
        oom_killed, at_own_limit = oom_kills() > kills_before and looks_killed(end), False
    end["out_of_memory"] = oom_killed and at_own_limit
    if oom_killed:
        end["cause"] = "" if at_own_limit else MACHINE_MEMORY
    remove_cgroups(groups)
    send_report(report_fd, end)
    os._exit(0)


def exit_report(started: SpawnedBot, status: int) -> dict[str, Any]:
    """Return how a bot ended whose reaper's child has this status; asks the kernel if it can."""
    killed = {"status": status, "is_exact": True, "cause": EXTERNAL_KILL}
    if not started.pidfds:
        return {**killed, "cause": ""}
    if os.WIFSIGNALED(status):  # bubblewrap itself, which no process inside can signal
        return killed
    *bot, init = started.pidfds
    if read_exit_status(init) == signal.SIGKILL:  # which init ignores if it comes from inside
        return killed
    known = read_exit_status(bot[0]) if bot else None
    is_exact = known is not None or os.WEXITSTATUS(status) <= SIGNAL_STATUS
    return {"status": status if known is None else known, "is_exact": is_exact, "cause": ""}


def read_exit_status(pidfd: int) -> int | None:
    """The wait status of a process that has ended; None if it runs or the kernel cannot tell."""
    answer = bytearray(struct.pack("Q", PIDFD_INFO_EXIT).ljust(EXIT_CODE_OFFSET + 4, b"\0"))
    try:
        fcntl.ioctl(pidfd, PIDFD_GET_INFO, answer)
    except OSError:
        return None
    is_set = struct.unpack_from("Q", answer)[0] & PIDFD_INFO_EXIT
    return int(struct.unpack_from("i", answer, EXIT_CODE_OFFSET)[0]) if is_set else None


def looks_killed(end: dict[str, Any]) -> bool:
    """Whether a bot has ended like one that was killed by SIGKILL."""
    status = end["status"]
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    return not end["is_exact"] and os.WEXITSTATUS(status) == SIGNAL_STATUS + signal.SIGKILL


def spawn_unsandboxed(request: dict[str, Any], streams: list[int]) -> SpawnedBot:
    """Start a program without a sandbox."""
    pid = spawn(request, streams, [])
    return SpawnedBot(pid, pid)


def spawn_sandboxed(request: dict[str, Any], streams: list[int]) -> SpawnedBot:
    """Start a program in the sandbox, by bubblewrap."""
    sandbox = request["sandbox"]
    bubblewrap, *options = request["launch"]
    options_fd, filter_fd = os.memfd_create("options"), os.memfd_create("filter")
    (status, status_writer), (block, unblock) = os.pipe(), os.pipe()
    options += ["--seccomp", str(filter_fd)]
    options += ["--json-status-fd", str(status_writer), "--block-fd", str(block)]
    for number, content in (
        (options_fd, b"".join(option.encode() + b"\0" for option in options)),
        (filter_fd, base64.b64decode(sandbox["filter"])),
    ):
        os.write(number, content)
        os.lseek(number, 0, os.SEEK_SET)
    # Bubblewrap makes a namespace for control groups whose top is the group that it is in. So it
    # joins the bot's group before it starts, and the bot sees nothing but "/".
    for group in sandbox["cgroups"]:
        os.mkdir(group["path"])  # noqa: PTH102 (pathlib takes long to load)
        for file, value in group["limits"]:
            write_kernel_file(f"{group['path']}/{file}", value)
    argv = [bubblewrap, "--args", str(options_fd), "--", *sandbox["program"]]
    passed = [options_fd, filter_fd, status_writer, block]
    outer = spawn({**request, "launch": argv}, streams, passed)
    for number in passed:
        os.close(number)
    init = read_init_pid(status)
    pidfds = [os.pidfd_open(init)]
    for kind, wanted in sandbox["rlimits"].items():
        _, hard = resource.prlimit(init, int(kind))
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.prlimit(init, int(kind), (most, most))
    write_kernel_file(f"/proc/{init}/oom_score_adj", "1000")
    extra_mounts.add_mounts(init, sandbox["mounts"])
    os.write(unblock, b"\n")
    os.close(unblock)
    while not (inside := child_pids(init)):
        if os.waitid(os.P_PID, outer, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if b"exit-code" not in os.read(status, 4096):  # reported only of a program that ran
                raise OSError("the sandbox cannot be set up")
            inside = [init]  # it has ended already, like the program
            break
        time.sleep(0.0002)
    if inside[0] != init:
        with suppress(OSError):  # it has just ended
            pidfds.insert(0, os.pidfd_open(inside[0]))
    # Bubblewrap writes its status once more, so the pipe stays open.
    return SpawnedBot(outer, inside[0], tuple(pidfds))


def write_kernel_file(path: str, value: str) -> None:
    """Write into a file of the kernel, if there is such a file."""
    with suppress(FileNotFoundError), open(path, "w") as file:  # noqa: PTH123 (as above)
        file.write(value)


def check_cgroup_oom(groups: list[dict[str, Any]]) -> tuple[bool, bool]:
    """Whether the kernel killed processes in control groups for lack of memory, and at their limit.

    If not at their own limit, a group above them or the machine was out of memory.
    """
    killed = own = False
    for path in (group["path"] for group in groups):
        for file in ("memory.events.local", "memory.events"):  # the first since Linux 5.2
            if events := read_counters(f"{path}/{file}"):
                killed |= events["oom_kill"] > 0
                own |= events["oom"] > 0
                break
        if control := read_counters(f"{path}/memory.oom_control"):  # the first version's
            killed |= control["oom_kill"] > 0
            most = read_number(f"{path}/memory.max_usage_in_bytes")  # some do not count `failcnt`
            own |= most > read_number(f"{path}/memory.limit_in_bytes") - MEMORY_SLACK
    return killed, own


def oom_kills() -> int:
    """How often the kernel killed for lack of memory in our control group, or on the machine."""
    own = dict(line.split(":", 2)[1:] for line in read_text("/proc/self/cgroup").splitlines())
    old, unified = f"/sys/fs/cgroup/memory{own.get('memory')}", f"/sys/fs/cgroup{own.get('')}"
    for path in (
        f"{old}/memory.oom_control",
        f"{unified}/memory.events.local",
        f"{unified}/memory.events",
        "/proc/vmstat",
    ):
        if (kills := read_counters(path).get("oom_kill")) is not None:
            return kills
    return 0


def read_counters(path: str) -> dict[str, int]:
    """The counters in a file of the kernel, by name; empty if there is no such file."""
    return {name: int(value) for name, value in map(str.split, read_text(path).splitlines())}


def read_number(path: str) -> int:
    """The number in a file of the kernel; 0 if there is no such file."""
    return int(read_text(path) or 0)


def read_text(path: str) -> str:
    """The text of a file of the kernel; empty if there is no such file."""
    with suppress(OSError), open(path) as file:  # noqa: PTH123 (pathlib takes long to load)
        return file.read()
    return ""


def remove_cgroups(groups: list[dict[str, Any]]) -> None:
    """Remove control groups."""
    for group in groups:
        with suppress(OSError):
            os.rmdir(group["path"])  # noqa: PTH106 (pathlib takes long to load)


def read_init_pid(status_fd: int) -> int:
    """The process id of the sandbox's init, which bubblewrap reports."""
    report = b""
    while b"\n" not in report:
        if not (more := os.read(status_fd, 4096)):
            raise OSError("the sandbox cannot be set up")
        report += more
    return int(json.loads(report)["child-pid"])


def send_report(report_fd: int, message: dict[str, Any]) -> None:
    """Send a line to the supervisor, or to whoever started this reaper."""
    os.write(report_fd, json.dumps(message).encode() + b"\n")
