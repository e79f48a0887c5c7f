"""The reaper: the parent process of one bot, which kills everything the bot leaves behind.

It is a subreaper: the kernel hands it whatever the bot has started and disowned, so that all of
a bot's processes are below its guard, however they detach themselves. When the bot has ended the
guard kills the rest. A bot inside walls is started by bubblewrap, and its numbers and limits are
set before it runs its first instruction.
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

from arena.bots.sandbox import mounts

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
SIGNAL_STATUS = 128
"""Bubblewrap's exit status is this and the signal that ended the program inside."""

PIDFD_GET_INFO, PIDFD_INFO_EXIT = 0xC040FF0B, 1 << 3
"""Asks a descriptor of a process how it ended, which Linux 6.15 and later answer."""

EXIT_CODE_OFFSET = 60
"""Where the wait status stands in that answer, which has 64 bytes."""

MACHINE_MEMORY, EXTERNAL_KILL = "machine", "outside"
"""What ended a bot, if not the bot: the machine's lack of memory, or a kill of its sandbox."""

EXTERNAL_CAUSES = {
    MACHINE_MEMORY: "was killed because the machine ran out of memory: "
    "use fewer workers or a lower 'memory'",
    EXTERNAL_KILL: "was killed with its sandbox or its guard, which the referee did not do",
}
"""Ends that no bot has brought about, by their cause."""

MEMORY_SLACK = 2 << 20
"""Bytes below its limit up to which a control group may have come that has run into it."""

IGNORED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that may reach the warden and do not concern it."""

RESET_SIGNALS = (*IGNORED_SIGNALS, signal.SIGPIPE, signal.SIGXFSZ)
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


def process_tree(pids: list[int]) -> list[int]:
    """These processes and all they have started."""
    found: list[int] = []
    while pids:
        found += pids
        pids = [child for pid in pids for child in children(pid)]
    return found


def send_signal(pids: list[int], signum: signal.Signals) -> None:
    """A signal to all these processes."""
    for pid in pids:
        with suppress(OSError):  # it has just ended
            os.kill(pid, signum)


def kill_descendants() -> set[int]:
    """Kill everything below this process until nothing is left; what there was."""
    killed: set[int] = set()
    with suppress(ChildProcessError):
        while True:
            rest = process_tree(children(os.getpid()))
            killed.update(rest)
            send_signal(rest, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
    return killed


def die_with_parent(parent: int, signum: signal.Signals) -> None:
    """Have the kernel tell this process when its parent is gone."""
    prctl(PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:
        os._exit(127)  # it was gone before that took effect


def spawn(request: dict[str, Any], streams: list[int], inherited_fds: list[int]) -> int:
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
            for changed in RESET_SIGNALS:
                signal.signal(changed, signal.SIG_DFL)
            for number in inherited_fds:
                os.set_inheritable(number, True)  # noqa: FBT003 (it has no other form)
            os.chdir(request["cwd"])
            for group in request.get("walls", {}).get("groups", []):
                with open(f"{group['path']}/cgroup.procs", "w") as members:  # noqa: PTH123 (as below)
                    members.write("0")  # a group that is gone is an error: it would not count
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


class SpawnedBot(NamedTuple):
    """A bot that was started."""

    child_pid: int
    """The guard's own child: the bot, or bubblewrap."""
    bot_pid: int
    pidfds: tuple[int, ...] = ()
    """Inside walls, descriptors of the bot, unless it was gone at once, and of its init."""


def run_reaper(request: dict[str, Any], streams: list[int], report_fd: int) -> NoReturn:
    """Be the parent of a bot until nothing of it is left; report its number, later how it ended."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.set_wakeup_fd(-1)
    walls = request.get("walls")
    groups = walls["groups"] if walls else []
    counted = any(file.startswith("memory.") for group in groups for file, _ in group["limits"])
    before = 0 if counted else oom_kills()
    try:
        started = (spawn_sandboxed if walls else spawn_plain)(request, streams)
    except OSError as error:
        kill_descendants()
        remove_cgroups(groups)
        send_report(report_fd, {"refused": str(error)})
        os._exit(0)
    send_report(report_fd, {"pid": started.bot_pid})
    for stream in streams:
        os.close(stream)
    ended = status = 0
    while ended != started.child_pid:
        ended, status = os.wait()
    end = exit_report(started, status)
    rest = kill_descendants()
    # Inside walls the kernel has ended what was there; what is seen are bubblewrap's own.
    end["left"] = 0 if walls else len(rest)
    if counted:
        killed, own = check_cgroup_oom(groups)
    else:
        killed, own = oom_kills() > before and looks_killed(end), False
    end["starved"] = killed and own
    if killed:
        end["cause"] = "" if own else MACHINE_MEMORY
    remove_cgroups(groups)
    send_report(report_fd, end)
    os._exit(0)


def exit_report(started: SpawnedBot, status: int) -> dict[str, Any]:
    """How a bot ended whose guard's child has this status: what the kernel says, where it does."""
    outside = {"status": status, "sure": True, "cause": EXTERNAL_KILL}
    if not started.pidfds:
        return {**outside, "cause": ""}
    if os.WIFSIGNALED(status):  # bubblewrap itself, which nobody inside can reach
        return outside
    *bot, init = started.pidfds
    if exit_status(init) == signal.SIGKILL:  # which it ignores if it comes from inside
        return outside
    known = exit_status(bot[0]) if bot else None
    sure = known is not None or os.WEXITSTATUS(status) <= SIGNAL_STATUS
    return {"status": status if known is None else known, "sure": sure, "cause": ""}


def exit_status(pidfd: int) -> int | None:
    """The wait status of a process that is gone; None if it is not, or the kernel cannot tell."""
    answer = bytearray(struct.pack("Q", PIDFD_INFO_EXIT).ljust(EXIT_CODE_OFFSET + 4, b"\0"))
    try:
        fcntl.ioctl(pidfd, PIDFD_GET_INFO, answer)
    except OSError:
        return None
    told = struct.unpack_from("Q", answer)[0] & PIDFD_INFO_EXIT
    return int(struct.unpack_from("i", answer, EXIT_CODE_OFFSET)[0]) if told else None


def looks_killed(end: dict[str, Any]) -> bool:
    """Whether a bot has ended as one that was killed by SIGKILL."""
    status = end["status"]
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    return not end["sure"] and os.WEXITSTATUS(status) == SIGNAL_STATUS + signal.SIGKILL


def spawn_plain(request: dict[str, Any], streams: list[int]) -> SpawnedBot:
    """Start a program as it is; it is what was started."""
    pid = spawn(request, streams, [])
    return SpawnedBot(pid, pid)


def spawn_sandboxed(request: dict[str, Any], streams: list[int]) -> SpawnedBot:
    """Start a program inside walls, by bubblewrap."""
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
    # Bubblewrap makes a namespace for control groups whose top is the group it is in: so it has
    # to be in the bot's before it starts, and the bot sees nothing but "/".
    for group in walls["groups"]:
        os.mkdir(group["path"])  # noqa: PTH102 (pathlib takes long to load)
        for file, value in group["limits"]:
            write_kernel_file(f"{group['path']}/{file}", value)
    argv = [bubblewrap, "--args", str(told), "--", *walls["program"]]
    passed = [told, filtered, info, block]
    outer = spawn({**request, "launch": argv}, streams, passed)
    for number in passed:
        os.close(number)
    init = read_init_pid(informed)
    handles = [os.pidfd_open(init)]
    for kind, wanted in walls["rlimits"].items():
        _, hard = resource.prlimit(init, int(kind))
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.prlimit(init, int(kind), (most, most))
    write_kernel_file(f"/proc/{init}/oom_score_adj", "1000")
    mounts.add_mounts(init, walls["mounts"])
    os.write(unblock, b"\n")
    os.close(unblock)
    while not (inside := children(init)):
        if os.waitid(os.P_PID, outer, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if b"exit-code" not in os.read(informed, 4096):  # said only of a program that ran
                raise OSError("the sandbox cannot be set up")
            inside = [init]  # it has come and gone, like the program
            break
        time.sleep(0.0002)
    if inside[0] != init:
        with suppress(OSError):  # it has just ended
            handles.insert(0, os.pidfd_open(inside[0]))
    # Bubblewrap writes to `informed` once more, so it stays open.
    return SpawnedBot(outer, inside[0], tuple(handles))


def write_kernel_file(path: str, value: str) -> None:
    """Write into a file of the kernel's, if there is such a one."""
    with suppress(FileNotFoundError), open(path, "w") as file:  # noqa: PTH123 (as above)
        file.write(value)


def check_cgroup_oom(groups: list[dict[str, Any]]) -> tuple[bool, bool]:
    """Whether the kernel killed in control groups for lack of memory, and at their own limit.

    Else it was a group above them that had no memory left, or the machine.
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
    """What a file of the kernel's counts, by name; nothing, if there is no such file."""
    return {name: int(value) for name, value in map(str.split, read_text(path).splitlines())}


def read_number(path: str) -> int:
    """The number that a file of the kernel's holds; 0, if there is no such file."""
    return int(read_text(path) or 0)


def read_text(path: str) -> str:
    """What a file of the kernel's holds; nothing, if there is no such file."""
    with suppress(OSError), open(path) as file:  # noqa: PTH123 (pathlib takes long to load)
        return file.read()
    return ""


def remove_cgroups(groups: list[dict[str, Any]]) -> None:
    """Remove control groups."""
    for group in groups:
        with suppress(OSError):
            os.rmdir(group["path"])  # noqa: PTH106 (pathlib takes long to load)


def read_init_pid(status_fd: int) -> int:
    """The number of the first process inside, as bubblewrap tells it."""
    said = b""
    while b"\n" not in said:
        if not (more := os.read(status_fd, 4096)):
            raise OSError("the sandbox cannot be set up")
        said += more
    return int(json.loads(said)["child-pid"])


def send_report(report_fd: int, message: dict[str, Any]) -> None:
    """A line to the warden."""
    os.write(report_fd, json.dumps(message).encode() + b"\n")
