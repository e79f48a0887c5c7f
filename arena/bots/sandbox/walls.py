"""The walls: from a bot, its limits and the machine to what bubblewrap is told."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.sandbox import mounts, seccomp
from arena.bots.sandbox.cgroups import Group
from arena.bots.sandbox.level import MIB, Limits, rlimits

HOME = Path("/bot")
"""Where a bot finds its own folder."""

DEVICES = ("null", "zero", "full", "random", "urandom")
SETTINGS = (
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
SHARED = 8
"""MiB of /dev/shm."""

FIRST_USER, USERS = 61_000, 4_000
"""Users that nobody is, of whom each bot becomes one where we are root."""


@dataclass(frozen=True)
class Machine:
    """What walls can be made of here."""

    bubblewrap: str
    """The program."""
    architecture: str
    root: bool
    """Whether we are root, and bots become users that nobody is."""
    setpriv: str = "/usr/bin/setpriv"
    counted: bool = False
    """Whether cgroups count memory and processes."""
    apart: bool = False
    """Whether processes cannot wake each other by futexes."""
    links: tuple[tuple[str, str], ...] = ()
    """Links at the top of the file system, such as /bin to usr/bin."""
    folders: tuple[str, ...] = ("/usr",)
    """Folders of programs that all may read."""
    settings: tuple[str, ...] = ()
    """Further folders of /etc, such as Java's."""


@dataclass(frozen=True)
class Walls:
    """A program inside walls, as the warden starts it."""

    argv: list[str]
    """Bubblewrap and what it is told, but for descriptors."""
    program: list[str]
    """What it runs inside."""
    filter: bytes
    rlimits: dict[int, int]
    home: Path | None = None
    """What is copied into the sandbox for this process alone."""
    target: str = str(HOME)
    """Where it is there."""

    def request(self, groups: list[Group], env: dict[str, str]) -> dict[str, Any]:
        """How a guard is asked for it, in control groups and with an environment for bubblewrap."""
        return {
            "launch": self.argv,
            "env": env,
            "cwd": "/",
            "walls": {
                "program": self.program,
                "filter": base64.b64encode(self.filter).decode(),
                "rlimits": self.rlimits,
                "groups": [{"path": group.path, "limits": group.limits} for group in groups],
                "mounts": {
                    "home": str(self.home) if self.home else None,
                    "target": self.target,
                    "devices": [f"/dev/{name}" for name in DEVICES],
                },
            },
        }


@dataclass(frozen=True)
class Inmate:
    """A program that is to be walled in."""

    argv: tuple[str, ...]
    home: Path
    """Its folder, or the one file that it is."""
    seen: tuple[str, ...] = ()
    """What it may read besides, at the same place as outside."""
    size: int = 0
    """Bytes that a copy of its home takes."""

    def inside(self, argument: str) -> str:
        """A word of its command line as it is inside."""
        folder = self.home if self.home.is_dir() else self.home.parent
        if Path(argument).is_relative_to(folder):
            return str(HOME / Path(argument).relative_to(folder))
        return argument


def around(
    inmate: Inmate,
    limits: Limits,
    machine: Machine,
    user: int,
    copy_of: Callable[[str], str] = str,
) -> Walls:
    """The walls around a program; as root it becomes this user.

    `copy_of` names the copy of a path that is mounted instead of it.
    """
    program_inside = [inmate.inside(argument) for argument in inmate.argv]
    if machine.root:
        program_inside = [*become(machine, user), *program_inside]
    return Walls(
        [
            machine.bubblewrap,
            *separate(machine),
            *system(machine, copy_of),
            *own(inmate, limits, copy_of),
        ],
        program_inside,
        seccomp.program(machine.architecture, counted=machine.counted, apart=machine.apart),
        rlimits(limits),
        inmate.home.resolve(),
        inmate.inside(str(inmate.home)),
    )


def become(machine: Machine, user: int) -> list[str]:
    """Turns root without capabilities into a user that nobody is."""
    who = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return [machine.setpriv, *who, "--inh-caps=-all", "--bounding-set=-all", "--"]


def separate(machine: Machine, *, network: bool = False) -> list[str]:
    """Namespaces of its own, no rights, and nothing of our environment."""
    found = ["--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    found += [] if network else ["--unshare-net"]
    found += ["--unshare-cgroup-try", "--hostname", "bot", "--cap-drop", "ALL"]
    if machine.root:
        for needed in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            found += ["--cap-add", needed]
    else:
        found += ["--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"]
    found += ["--die-with-parent", "--new-session", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        found += ["--setenv", name, value]
    return found


def system(machine: Machine, copy_of: Callable[[str], str] = str) -> list[str]:
    """The programs and the devices of the machine, read-only."""
    found: list[str] = []
    for folder in machine.folders:
        found += ["--ro-bind", copy_of(folder), folder]
    for path, target in machine.links:
        found += ["--symlink", target, path]
    devices = [f"/dev/{name}" for name in DEVICES]
    found += ["--proc", "/proc", *folders("/etc/passwd", *devices, *machine.settings)]
    for path in machine.settings:
        found += ["--ro-bind-try", copy_of(path), path]
    for path in devices:
        # Shared memory of /dev/zero is hidden as soon as it is unmapped; /dev/full has none.
        hides = path == "/dev/zero" and not machine.counted
        found += ["--dev-bind", "/dev/full" if hides else path, path]
    found += ["--symlink", "/proc/self/fd", "/dev/fd"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        found += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return found


def own(inmate: Inmate, limits: Limits, copy_of: Callable[[str], str]) -> list[str]:
    """What is its own: its folder, which it cannot change, and a little room for files."""
    found: list[str] = []
    for path, size in (("/dev/shm", SHARED), ("/tmp", limits.tmp)):  # noqa: S108 (inside)
        found += ["--perms", "1777", "--size", str(size * MIB), "--tmpfs", path]
    found += folders(*inmate.seen)
    for path in inmate.seen:
        found += ["--ro-bind", copy_of(path), path]
    # The bot's own files are copied there before it runs.
    room = inmate.size + mounts.SPARE
    found += ["--perms", "0755", "--size", str(room), "--tmpfs", str(HOME)]
    # A bot that can write to /proc makes itself a worse choice of the memory killer.
    return [*found, "--chdir", str(HOME), "--remount-ro", "/proc", "--remount-ro", "/"]


def folders(*paths: str) -> list[str]:
    """The folders that these paths lie in, which bubblewrap would let nobody else read."""
    found: list[str] = []
    for parent in sorted({parent for path in paths for parent in Path(path).parents}):
        found += ["--perms", "0755", "--dir", str(parent)] if parent != Path("/") else []
    return found
