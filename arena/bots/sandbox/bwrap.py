"""The bubblewrap command line that runs a bot in the sandbox."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.sandbox import extra_mounts, seccomp
from arena.bots.sandbox.cgroups import BotCgroup
from arena.bots.sandbox.limits import MIB, ResourceLimits, rlimits

BOT_FOLDER = Path(extra_mounts.BOT_FOLDER)
"""Where a bot finds its own folder."""

DEVICES = ("null", "zero", "full", "random", "urandom")
ETC_NAMES = (
    "alternatives",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "perl",
    "ssl/certs",
)
"""Files and folders of /etc that programs need to start."""

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 (inside)
    "TMPDIR": "/tmp",  # noqa: S108 (as above)
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
}
SHM_MIB = 8
"""MiB of /dev/shm."""

FIRST_BOT_UID, BOT_UID_COUNT = 61_000, 4_000
"""Unused user ids; when we run as root each bot gets one of its own."""


@dataclass(frozen=True)
class SandboxSupport:
    """What this machine offers for a sandbox."""

    bubblewrap: str
    """The path of the program."""
    architecture: str
    is_root: bool
    """Whether we are root, and bots get user ids of their own."""
    setpriv: str = "/usr/bin/setpriv"
    counts_memory: bool = False
    """Whether cgroups count memory and processes."""
    isolates_futexes: bool = False
    """Whether processes are kept from waking each other by futexes."""
    links: tuple[tuple[str, str], ...] = ()
    """Links at the top of the file system, such as /bin to usr/bin."""
    program_folders: tuple[str, ...] = ("/usr",)
    """Folders of programs that bots see."""
    etc_paths: tuple[str, ...] = ()
    """Paths of /etc that bots see, such as Java's settings."""


@dataclass(frozen=True)
class BwrapCommand:
    """The command that runs a program in the sandbox, as a reaper executes it."""

    argv: list[str]
    """Bubblewrap and its options, except those with descriptors."""
    program: list[str]
    """The command line that it runs inside."""
    seccomp_filter: bytes
    rlimits: dict[int, int]
    source: Path | None = None
    """The folder or file that is copied into the sandbox for this process alone."""
    target: str = str(BOT_FOLDER)
    """The path of the copy inside."""

    def reaper_request(self, groups: list[BotCgroup], env: dict[str, str]) -> dict[str, Any]:
        """The request to a reaper to run it, with control groups and bubblewrap's environment."""
        return {
            "launch": self.argv,
            "env": env,
            "cwd": "/",
            "sandbox": {
                "program": self.program,
                "filter": base64.b64encode(self.seccomp_filter).decode(),
                "rlimits": self.rlimits,
                "cgroups": [{"path": group.path, "limits": group.limits} for group in groups],
                "mounts": {
                    "source": str(self.source) if self.source else None,
                    "target": self.target,
                    "devices": [f"/dev/{name}" for name in DEVICES],
                },
            },
        }


@dataclass(frozen=True)
class SandboxedProgram:
    """A program to be run in the sandbox."""

    argv: tuple[str, ...]
    path: Path
    """Its folder, or its only file."""
    extra_paths: tuple[str, ...] = ()
    """Other paths that it may read, at the same place as outside."""
    copy_size: int = 0
    """Bytes that a copy of `path` takes in memory."""

    def path_inside(self, argument: str) -> str:
        """An argument of its command line as it is inside."""
        folder = self.path if self.path.is_dir() else self.path.parent
        if Path(argument).is_relative_to(folder):
            return str(BOT_FOLDER / Path(argument).relative_to(folder))
        return argument


def bwrap_command(
    program: SandboxedProgram,
    limits: ResourceLimits,
    support: SandboxSupport,
    uid: int,
    mount_source: Callable[[str], str] = str,
) -> BwrapCommand:
    """The command that runs a program in the sandbox; as root the program becomes this user.

    `mount_source` names what is mounted for a path: the path itself or a copy of it.
    """
    program_inside = [program.path_inside(argument) for argument in program.argv]
    if support.is_root:
        program_inside = [*setpriv_argv(support, uid), *program_inside]
    return BwrapCommand(
        [
            support.bubblewrap,
            *isolation_options(support),
            *system_mounts(support, mount_source),
            *private_mounts(program, limits, mount_source),
        ],
        program_inside,
        seccomp.build_filter(
            support.architecture,
            counts_memory=support.counts_memory,
            isolates_futexes=support.isolates_futexes,
        ),
        rlimits(limits),
        program.path.resolve(),
        program.path_inside(str(program.path)),
    )


def setpriv_argv(support: SandboxSupport, uid: int) -> list[str]:
    """The command that turns root into this user, without capabilities."""
    ids = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    return [support.setpriv, *ids, "--inh-caps=-all", "--bounding-set=-all", "--"]


def isolation_options(support: SandboxSupport, *, has_network: bool = False) -> list[str]:
    """Options for own namespaces, no capabilities, and none of our environment."""
    options = ["--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    options += [] if has_network else ["--unshare-net"]
    options += ["--unshare-cgroup-try", "--hostname", "bot", "--cap-drop", "ALL"]
    if support.is_root:
        for needed in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            options += ["--cap-add", needed]
    else:
        options += ["--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"]
    options += ["--die-with-parent", "--new-session", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        options += ["--setenv", name, value]
    return options


def system_mounts(support: SandboxSupport, mount_source: Callable[[str], str] = str) -> list[str]:
    """Options that mount the programs and devices of the machine, read-only."""
    options: list[str] = []
    for folder in support.program_folders:
        options += ["--ro-bind", mount_source(folder), folder]
    for path, target in support.links:
        options += ["--symlink", target, path]
    devices = [f"/dev/{name}" for name in DEVICES]
    options += ["--proc", "/proc", *folder_options("/etc/passwd", *devices, *support.etc_paths)]
    for path in support.etc_paths:
        options += ["--ro-bind-try", mount_source(path), path]
    for path in devices:
        # Shared memory of /dev/zero is hidden as soon as it is unmapped; /dev/full has none.
        hides = path == "/dev/zero" and not support.counts_memory
        options += ["--dev-bind", "/dev/full" if hides else path, path]
    options += ["--symlink", "/proc/self/fd", "/dev/fd"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        options += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return options


def private_mounts(
    program: SandboxedProgram, limits: ResourceLimits, mount_source: Callable[[str], str]
) -> list[str]:
    """Options that mount the bot's folder, which it cannot change, and a little space for files."""
    options: list[str] = []
    for path, size in (("/dev/shm", SHM_MIB), ("/tmp", limits.tmp)):  # noqa: S108 (inside)
        options += ["--perms", "1777", "--size", str(size * MIB), "--tmpfs", path]
    options += folder_options(*program.extra_paths)
    for path in program.extra_paths:
        options += ["--ro-bind", mount_source(path), path]
    # The bot's own files are copied there before it runs.
    room = program.copy_size + extra_mounts.SPARE_BYTES
    options += ["--perms", "0755", "--size", str(room), "--tmpfs", str(BOT_FOLDER)]
    # A bot that can write to /proc keeps the kernel from killing it when memory is short.
    return [*options, "--chdir", str(BOT_FOLDER), "--remount-ro", "/proc", "--remount-ro", "/"]


def folder_options(*paths: str) -> list[str]:
    """Options that create the parents of these paths; bubblewrap would make them unreadable."""
    options: list[str] = []
    for parent in sorted({parent for path in paths for parent in Path(path).parents}):
        options += ["--perms", "0755", "--dir", str(parent)] if parent != Path("/") else []
    return options
