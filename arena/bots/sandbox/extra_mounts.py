"""Mounts that bubblewrap cannot make: a copy of the bot's files, and a constant /proc.

A process joins the sandbox's mount namespace after bubblewrap has set it up and before the bot
runs its first instruction. It is a child of a reaper and imports nothing else of the program.

- The bot's files are copied to a file system in memory that belongs to this process alone. Bots
  that shared the files on the disk could leave information in them: which of their pages are in the
  page cache, which are locked and when they were read outlasts the process that did it.
- Files of /proc that count what the whole machine does (load, memory, interrupts, open files) are
  covered with constants: a bot could signal to another by making them rise and fall.
- Devices become read-only, so that no bot can set the times of their files. They can still be
  written to.
"""

import ctypes
import errno
import fcntl
import os
import stat
import time
from contextlib import suppress
from typing import Any

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
NS_GET_USERNS = 0xB701
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND = 1, 2, 4, 32, 4096
PAGE = 4096
SPARE_BYTES = 1 << 20
"""Bytes of a private file system beyond what is copied to it."""

BOT_FOLDER = "/bot"
"""Where the bot's folder is inside."""

SETUP_TIMEOUT = 20.0
"""Seconds that bubblewrap may take to set up; it usually takes some milliseconds."""

POLL_INTERVAL = 0.0002
"""Seconds between two checks whether it has finished."""

FOLDER_MODE = 0o755
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
"""Opens a folder, and fails for a link."""
COUNTERS = (
    "buddyinfo",
    "diskstats",
    "interrupts",
    "key-users",
    "keys",
    "locks",
    "schedstat",
    "softirqs",
    "swaps",
    "vmstat",
    "zoneinfo",
)
"""Files of /proc that become empty."""

COUNTER_FOLDERS = ("pressure", "sys/fs")
"""Folders of /proc that become empty."""

CONSTANT_PATH = "/tmp/constant"  # noqa: S108 (inside, before the bot runs)
"""The temporary path of a file or folder that is bound to other paths."""

libc = ctypes.CDLL(None, use_errno=True)


def copy_size(bot_path: str) -> int:
    """The bytes that a copy of a folder or file takes in memory."""
    total = 0
    pending = [bot_path]
    while pending:
        path = pending.pop()
        found = os.stat(path) if path == bot_path else os.lstat(path)  # noqa: PTH116 (pathlib is slow)
        total += PAGE + -(-found.st_size // PAGE) * PAGE
        if stat.S_ISDIR(found.st_mode):
            with os.scandir(path) as entries:
                pending += [entry.path for entry in entries]
    return total


def add_mounts(init: int, request: dict[str, Any]) -> None:
    """Make the mounts of the sandbox whose init process is given, in a forked child."""
    error_reader, error_writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            mount_all(init, request)
        except BaseException as error:  # on any error the forked copy must not run on
            os.write(error_writer, f"{type(error).__name__}: {error}".encode()[:PAGE])
        os._exit(0)
    os.close(error_writer)
    with os.fdopen(error_reader, "rb") as pipe:
        why = pipe.read()
    _, status = os.waitpid(pid, 0)
    if why or status:
        text = why.decode(errors="replace") or f"wait status {status}"
        raise OSError(f"the sandbox cannot be set up ({text})")


def mount_all(init: int, request: dict[str, Any]) -> None:
    """Join the sandbox and make its mounts."""
    source = os.open(request["source"], os.O_RDONLY) if request["source"] else -1
    constants = {
        "loadavg": b"0.00 0.00 0.00 1/1 1\n",
        "stat": idle_stat(),
        "meminfo": idle_meminfo(),
    }
    wait_for_root(init)
    enter_namespaces(init)
    cover_proc_files(COUNTERS, b"")
    for name, content in constants.items():
        cover_proc_files((name,), content)
    os.mkdir(CONSTANT_PATH)  # noqa: PTH102 (pathlib takes long to load)
    for name in COUNTER_FOLDERS:
        bind_read_only(CONSTANT_PATH, f"/proc/{name}")
    os.rmdir(CONSTANT_PATH)  # noqa: PTH106 (as above)
    for device in request["devices"]:
        remount(device, MS_RDONLY | MS_NOSUID)
    if source >= 0:
        copy_bot(source, request["target"])
        remount(BOT_FOLDER, MS_RDONLY | MS_NOSUID | MS_NODEV)


def wait_for_root(init: int) -> None:
    """Wait until bubblewrap has made its last mount and changed its root to them."""
    deadline = time.monotonic() + SETUP_TIMEOUT
    while time.monotonic() < deadline:
        with open(f"/proc/{init}/mountinfo", "rb") as file:  # noqa: PTH123 (as above)
            points = [line.split()[4] for line in file]
        if points.count(b"/") == 1 and BOT_FOLDER.encode() in points:
            return
        time.sleep(POLL_INTERVAL)
    raise OSError("bubblewrap did not finish its mounts")


def enter_namespaces(init: int) -> None:
    """Join the mount namespace of a process, and the user namespace that owns it."""
    mounts = os.open(f"/proc/{init}/ns/mnt", os.O_RDONLY)
    if os.geteuid() != 0:
        join_namespace(fcntl.ioctl(mounts, NS_GET_USERNS), CLONE_NEWUSER)
    join_namespace(mounts, CLONE_NEWNS)


def join_namespace(namespace: int, kind: int) -> None:
    """Join a namespace."""
    if libc.setns(namespace, kind):
        raise libc_error("setns")


def libc_error(what: str) -> OSError:
    """Return the error of the last call to the C library."""
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


def cover_proc_files(names: tuple[str, ...], content: bytes) -> None:
    """Cover files of /proc with a file of this content."""
    file = os.open(CONSTANT_PATH, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    os.write(file, content)
    os.fchmod(file, 0o444)
    os.close(file)
    for name in names:
        bind_read_only(CONSTANT_PATH, f"/proc/{name}")
    os.unlink(CONSTANT_PATH)  # noqa: PTH108 (as above)


def bind_read_only(source: str, path: str) -> None:
    """Mount a file or a folder at another place, read-only, if there is such a place."""
    if libc.mount(source.encode(), path.encode(), None, ctypes.c_ulong(MS_BIND), None):
        if ctypes.get_errno() == errno.ENOENT:
            return
        raise libc_error(f"mount {path}")
    remount(path, MS_RDONLY | MS_NOSUID | MS_NODEV)


def remount(path: str, flags: int) -> None:
    """Give a mount other flags."""
    flags |= MS_REMOUNT | MS_BIND
    if libc.mount(None, path.encode(), None, ctypes.c_ulong(flags), None):
        raise libc_error(f"remount {path}")


def idle_stat() -> bytes:
    """The file /proc/stat of a machine that has done nothing yet."""
    lines = []
    with open("/proc/stat", "rb") as file:  # noqa: PTH123 (pathlib takes long to load)
        for line in file:
            name, _, rest = line.partition(b" ")
            if name.startswith(b"cpu"):
                lines.append(name + b" 0" * len(rest.split()) + b"\n")
            elif name == b"btime":
                lines.append(line)
    return b"".join([*lines, b"ctxt 0\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n"])


def idle_meminfo() -> bytes:
    """The file /proc/meminfo of a machine that has used nothing yet."""
    total = b"0 kB"
    with open("/proc/meminfo", "rb") as file:  # noqa: PTH123 (as above)
        for line in file:
            if line.startswith(b"MemTotal:"):
                total = line.partition(b":")[2].strip()
    free = (b"MemTotal", b"MemFree", b"MemAvailable")
    used = (b"Buffers", b"Cached", b"SwapTotal", b"SwapFree", b"Shmem")
    lines = [name + b": " + total for name in free] + [name + b": 0 kB" for name in used]
    return b"".join(line + b"\n" for line in lines)


def copy_bot(source: int, target: str) -> None:
    """Copy an open folder or file; links stay links, and times stay what they are."""
    found = os.fstat(source)
    if stat.S_ISDIR(found.st_mode):
        copy_folder(source, target)
        os.chmod(target, FOLDER_MODE)  # noqa: PTH101 (pathlib takes long to load)
    else:
        copy_file(source, target, found)


def copy_folder(source: int, target: str) -> None:
    """Copy what is in an open folder to one that exists."""
    for name in os.listdir(source):
        found = os.stat(name, dir_fd=source, follow_symlinks=False)
        path = f"{target}/{name}"
        if stat.S_ISLNK(found.st_mode):
            os.symlink(os.readlink(name, dir_fd=source), path)  # noqa: PTH211 (as above)
        elif stat.S_ISDIR(found.st_mode):
            os.mkdir(path)  # noqa: PTH102 (as above)
            inner = os.open(name, FOLDER_FLAGS, dir_fd=source)
            copy_folder(inner, path)
            os.close(inner)
            os.chmod(path, FOLDER_MODE)  # noqa: PTH101 (as above)
        elif stat.S_ISREG(found.st_mode):
            inner = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=source)
            copy_file(inner, path, found)
            os.close(inner)


def copy_file(source: int, path: str, found: os.stat_result) -> None:
    """Copy an open file."""
    mode = 0o755 if found.st_mode & stat.S_IXUSR else 0o644
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    done = 0
    while sent := os.sendfile(target, source, done, 1 << 30):
        done += sent
    os.fchmod(target, mode)
    with suppress(OverflowError):  # a time before 1970
        os.utime(target, ns=(found.st_mtime_ns, found.st_mtime_ns))
    os.close(target)
