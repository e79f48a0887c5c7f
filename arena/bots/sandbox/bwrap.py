"""The bubblewrap command line that runs a bot in the sandbox."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.sandbox import mounts, seccomp
from arena.bots.sandbox.cgroups import BotCgroup
from arena.bots.sandbox.limits import MIB, ResourceLimits, rlimits

BOT_FOLDER = Path("/bot")
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
"""What of /etc programs need to start."""

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 (its own)
    "TMPDIR": "/tmp",  # noqa: S108 (as above)
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
}
SHM_MIB = 8
"""MiB of /dev/shm."""

FIRST_BOT_UID, BOT_UID_COUNT = 61_000, 4_000
"""Users that nobody is, of whom each bot becomes one where we are root."""


@dataclass(frozen=True)
class SandboxSupport:
    """What walls can be made of here."""

    bubblewrap: str
    """The program."""
    architecture: str
    is_root: bool
    """Whether we are root, and bots become users that nobody is."""
    setpriv: str = "/usr/bin/setpriv"
    counts_memory: bool = False
    """Whether cgroups count memory and processes."""
    isolates_futexes: bool = False
    """Whether processes cannot wake each other by futexes."""
    links: tuple[tuple[str, str], ...] = ()
    """Links at the top of the file system, such as /bin to usr/bin."""
    program_folders: tuple[str, ...] = ("/usr",)
    """Folders of programs that all may read."""
    etc_paths: tuple[str, ...] = ()
    """Further folders of /etc, such as Java's."""


@dataclass(frozen=True)
class BwrapCommand:
    """A program inside walls, as the warden starts it."""

    argv: list[str]
    """Bubblewrap and what it is told, but for descriptors."""
    program: list[str]
    """What it runs inside."""
    seccomp_filter: bytes
    rlimits: dict[int, int]
    source: Path | None = None
    """What is copied into the sandbox for this process alone."""
    target: str = str(BOT_FOLDER)
    """Where it is there."""

    def reaper_request(self, groups: list[BotCgroup], env: dict[str, str]) -> dict[str, Any]:
        """How a guard is asked for it, in control groups and with an environment for bubblewrap."""
        return {
            "launch": self.argv,
            "env": env,
            "cwd": "/",
            "walls": {
                "program": self.program,
                "filter": base64.b64encode(self.seccomp_filter).decode(),
                "rlimits": self.rlimits,
                "groups": [{"path": group.path, "limits": group.limits} for group in groups],
                "mounts": {
                    "home": str(self.source) if self.source else None,
                    "target": self.target,
                    "devices": [f"/dev/{name}" for name in DEVICES],
                },
            },
        }


@dataclass(frozen=True)
class SandboxedProgram:
    """A program that is to be walled in."""

    argv: tuple[str, ...]
    path: Path
    """Its folder, or the one file that it is."""
    extra_paths: tuple[str, ...] = ()
    """What it may read besides, at the same place as outside."""
    copy_size: int = 0
    """Bytes that a copy of its home takes."""

    def path_inside(self, argument: str) -> str:
        """A word of its command line as it is inside."""
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
    """The walls around a program; as root it becomes this user.

    `copy_of` names the copy of a path that is mounted instead of it.
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
    """Turns root without capabilities into a user that nobody is."""
    who = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    return [support.setpriv, *who, "--inh-caps=-all", "--bounding-set=-all", "--"]


def isolation_options(support: SandboxSupport, *, has_network: bool = False) -> list[str]:
    """Namespaces of its own, no rights, and nothing of our environment."""
    found = ["--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    found += [] if has_network else ["--unshare-net"]
    found += ["--unshare-cgroup-try", "--hostname", "bot", "--cap-drop", "ALL"]
    if support.is_root:
        for needed in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            found += ["--cap-add", needed]
    else:
        found += ["--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"]
    found += ["--die-with-parent", "--new-session", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        found += ["--setenv", name, value]
    return found


def system_mounts(support: SandboxSupport, mount_source: Callable[[str], str] = str) -> list[str]:
    """The programs and the devices of the machine, read-only."""
    found: list[str] = []
    for folder in support.program_folders:
        found += ["--ro-bind", mount_source(folder), folder]
    for path, target in support.links:
        found += ["--symlink", target, path]
    devices = [f"/dev/{name}" for name in DEVICES]
    found += ["--proc", "/proc", *folder_options("/etc/passwd", *devices, *support.etc_paths)]
    for path in support.etc_paths:
        found += ["--ro-bind-try", mount_source(path), path]
    for path in devices:
        # Shared memory of /dev/zero is hidden as soon as it is unmapped; /dev/full has none.
        hides = path == "/dev/zero" and not support.counts_memory
        found += ["--dev-bind", "/dev/full" if hides else path, path]
    found += ["--symlink", "/proc/self/fd", "/dev/fd"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        found += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return found


def private_mounts(
    program: SandboxedProgram, limits: ResourceLimits, mount_source: Callable[[str], str]
) -> list[str]:
    """What is its own: its folder, which it cannot change, and a little room for files."""
    found: list[str] = []
    for path, size in (("/dev/shm", SHM_MIB), ("/tmp", limits.tmp)):  # noqa: S108 (inside)
        found += ["--perms", "1777", "--size", str(size * MIB), "--tmpfs", path]
    found += folder_options(*program.extra_paths)
    for path in program.extra_paths:
        found += ["--ro-bind", mount_source(path), path]
    # The bot's own files are copied there before it runs.
    room = program.copy_size + mounts.SPARE
    found += ["--perms", "0755", "--size", str(room), "--tmpfs", str(BOT_FOLDER)]
    # A bot that can write to /proc makes itself a worse choice of the memory killer.
    return [*found, "--chdir", str(BOT_FOLDER), "--remount-ro", "/proc", "--remount-ro", "/"]


def folder_options(*paths: str) -> list[str]:
    """The folders that these paths lie in, which bubblewrap would let nobody else read."""
    found: list[str] = []
    for parent in sorted({parent for path in paths for parent in Path(path).parents}):
        found += ["--perms", "0755", "--dir", str(parent)] if parent != Path("/") else []
    return found
