"""The walls: from a bot, its limits and the machine to what bubblewrap is told."""

import resource
from dataclasses import dataclass
from pathlib import Path

from arena.bots.sandbox import seccomp
from arena.bots.sandbox.level import MIB, Limits

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

FILE = 16
"""MiB of the longest file that a bot may write."""

ROOM = 4
"""How much more than its memory a process may ask for: much of that is never used."""

CPU = 24 * 3600
"""Seconds of CPU time after which the kernel ends a process, whatever the referee thinks."""

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


@dataclass(frozen=True)
class Inmate:
    """A program that is to be walled in."""

    argv: tuple[str, ...]
    home: Path
    """Its folder, or the one file that it is."""
    seen: tuple[str, ...] = ()
    """What it may read besides, at the same place as outside."""

    def inside(self, argument: str) -> str:
        """A word of its command line as it is inside."""
        folder = self.home if self.home.is_dir() else self.home.parent
        if Path(argument).is_relative_to(folder):
            return str(HOME / Path(argument).relative_to(folder))
        return argument


def around(inmate: Inmate, limits: Limits, machine: Machine, user: int) -> Walls:
    """The walls around a program; as root it becomes this user."""
    program_inside = [inmate.inside(argument) for argument in inmate.argv]
    if machine.root:
        program_inside = [*become(machine, user), *program_inside]
    return Walls(
        [machine.bubblewrap, *separate(machine), *system(machine), *own(inmate, limits)],
        program_inside,
        seccomp.program(machine.architecture, counted=machine.counted),
        rlimits(limits),
    )


def become(machine: Machine, user: int) -> list[str]:
    """Turns root without capabilities into a user that nobody is."""
    who = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return [machine.setpriv, *who, "--inh-caps=-all", "--bounding-set=-all", "--"]


def separate(machine: Machine) -> list[str]:
    """Namespaces of its own, no rights, and nothing of our environment."""
    found = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
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


def system(machine: Machine) -> list[str]:
    """The programs and the devices of the machine, read-only."""
    found = [word for folder in machine.folders for word in ("--ro-bind", folder, folder)]
    for path, target in machine.links:
        found += ["--symlink", target, path]
    found += ["--perms", "0755", "--dir", "/etc", "--proc", "/proc", "--perms", "0755"]
    found += ["--dir", "/dev"]
    for path in machine.settings:
        found += ["--ro-bind-try", path, path]
    for device in DEVICES:
        found += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    found += ["--symlink", "/proc/self/fd", "/dev/fd"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        found += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return found


def own(inmate: Inmate, limits: Limits) -> list[str]:
    """What is its own: its folder, which it cannot change, and a little room for files."""
    found: list[str] = []
    for path, size in (("/dev/shm", SHARED), ("/tmp", limits.tmp)):  # noqa: S108 (inside)
        found += ["--perms", "1777", "--size", str(size * MIB), "--tmpfs", path]
    homes = [(path, path) for path in inmate.seen]
    homes += [(str(inmate.home), inmate.inside(str(inmate.home)))]
    parents = {parent for _, path in homes for parent in Path(path).parents}
    for parent in sorted(parents - {Path("/")}):
        found += ["--perms", "0755", "--dir", str(parent)]
    for outside, inside in homes:
        found += ["--ro-bind", outside, inside]
    return [*found, "--chdir", str(HOME), "--remount-ro", "/"]


def rlimits(limits: Limits) -> dict[int, int]:
    """What the kernel allows each of its processes."""
    return {
        resource.RLIMIT_NPROC: limits.processes,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_FSIZE: FILE * MIB,
        resource.RLIMIT_DATA: ROOM * limits.memory * MIB,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 64 << 10,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_RTPRIO: 0,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_CPU: CPU,
    }
