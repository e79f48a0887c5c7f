"""Find where control groups can be created, and describe those of a bot: limits and counters."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.bots.sandbox.limits import MIB, ResourceLimits

CGROUP_ROOT = Path("/sys/fs/cgroup")
NAME_PREFIX = "stichkampf"
"""The prefix of the names of our groups."""

MAIN_GROUP = f"{NAME_PREFIX}.main"
"""The group that our processes move to, since with limits only leaf groups may have processes."""

V1_LIMIT_FILES = {
    "memory": ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
    "pids": ("pids.max",),
}
"""The controllers of version 1 that we use, and the files of their limits."""

EXTRA_PROCESSES = 1
"""Our processes in a bot's group: bubblewrap, which waits outside of the sandbox."""

HYBRID_FOLDER = "unified"
"""The mount of version 2 beside version 1: it freezes bots and counts their CPU time only."""


@dataclass(frozen=True)
class BotCgroup:
    """A control group of one bot, and the values of its limit files."""

    path: str
    limits: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Cgroups:
    """The groups below which groups for bots can be created."""

    version: int
    memory: str | None = None
    pids: str | None = None
    unified: str | None = None
    """Of version 2, which freezes bots: processes frozen by version 1 cannot be killed."""

    @property
    def has_controllers(self) -> bool:
        """Whether memory and processes are both counted."""
        return self.memory is not None and self.pids is not None

    def bot_cgroups(self, name: str, limits: ResourceLimits) -> list[BotCgroup]:
        """The control groups of one bot."""
        memory, processes = str(limits.memory * MIB), str(limits.processes + EXTRA_PROCESSES)
        if self.version == 2:
            wanted = [("memory.max", memory), ("memory.swap.max", "0"), ("memory.oom.group", "1")]
            wanted += [("pids.max", processes)]
            return (
                [BotCgroup(f"{self.memory}/{NAME_PREFIX}-{name}", tuple(wanted))]
                if self.memory
                else []
            )
        values = {"memory": memory, "pids": processes}
        return [
            BotCgroup(f"{base}/{NAME_PREFIX}-{name}", tuple((file, values[kind]) for file in files))
            for kind, files in (*V1_LIMIT_FILES.items(), ("unified", ()))
            if (base := getattr(self, kind))
        ]

    def cgroup_folder(self, name: str) -> str | None:
        """The folder of the group that freezes one bot and counts its CPU time."""
        return f"{self.unified}/{NAME_PREFIX}-{name}" if self.unified else None

    def remove_stale_groups(self) -> None:
        """Remove groups that killed referees have left behind."""
        for folder in {self.memory, self.pids, self.unified} - {None}:
            for group in Path(str(folder)).glob(f"{NAME_PREFIX}-*-*"):
                owner = group.name.split("-")[1]
                if owner == str(os.getpid()) or not Path("/proc", owner).exists():
                    with suppress(OSError):  # it is not empty, or another process was faster
                        group.rmdir()


def find_cgroups(text: str, mounts: Path = CGROUP_ROOT) -> Cgroups | None:
    """The groups of this process, from /proc/self/cgroup; None if it cannot add to them."""
    own = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            own[controller] = path
    old = {kind: writable_group(mounts / kind, own[kind]) for kind in V1_LIMIT_FILES if kind in own}
    if any(old.values()):
        return Cgroups(1, **old, unified=writable_group(mounts / HYBRID_FOLDER, own.get("", "")))
    unified = own.get("")
    if unified is not None and (mounts / "cgroup.controllers").is_file():
        return find_v2_cgroups(mounts, unified)
    return None


def writable_group(mount: Path, path: str) -> str | None:
    """Our group in a hierarchy, if groups can be created below it."""
    folder = mount / path.lstrip("/")
    return str(folder) if can_create_groups(folder) else None


def can_create_groups(folder: Path) -> bool:
    """Whether a group can be created here: tries it."""
    # Named like the group of a bot, so that no other process removes it as stale.
    trial = folder / f"{NAME_PREFIX}-{os.getpid()}-trial"
    try:
        trial.mkdir(exist_ok=True)
        trial.rmdir()
    except FileNotFoundError:
        return folder.is_dir()  # removed by a process that does not see ours
    except OSError:
        return False
    return True


def find_v2_cgroups(mounts: Path, path: str) -> Cgroups | None:
    """Our group of version 2, with the controllers enabled for groups below it."""
    folder = mounts / path.lstrip("/")
    folder = folder.parent if folder.name == MAIN_GROUP else folder
    if not can_create_groups(folder) or not enable_controllers(folder):
        return None
    return Cgroups(2, str(folder), str(folder), str(folder))


def enable_controllers(folder: Path) -> bool:
    """Enable limits for groups below this one, which may require moving its processes down."""
    control = folder / "cgroup.subtree_control"
    try:
        if {"memory", "pids"} <= set(control.read_text().split()):
            return True
        with suppress(OSError):  # enough for the root group, or one without processes
            control.write_text("+memory +pids")
            return True
        main = folder / MAIN_GROUP
        main.mkdir(exist_ok=True)
        for pid in (folder / "cgroup.procs").read_text().split():
            with suppress(OSError):  # it has just ended
                (main / "cgroup.procs").write_text(pid)
        control.write_text("+memory +pids")
    except OSError:
        return False
    return True
