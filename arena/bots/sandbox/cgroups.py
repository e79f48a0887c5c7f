"""Control groups that limit and count the memory, processes and CPU time of a bot."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.bots.sandbox.limits import MIB, ResourceLimits

CGROUP_ROOT = Path("/sys/fs/cgroup")
NAME_PREFIX = "stichkampf"
"""What our groups' names begin with."""

MAIN_GROUP = f"{NAME_PREFIX}.main"
"""The group that we move into where only groups without processes may have groups below."""

V1_LIMIT_FILES = {
    "memory": ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
    "pids": ("pids.max",),
}
"""The controllers of the first version that we use, and where their limits are set."""

EXTRA_PROCESSES = 1
"""Processes of ours in a bot's group: bubblewrap's first, which waits outside of the sandbox."""

HYBRID_FOLDER = "unified"
"""Where the second version stands beside the first: it limits nothing, but stops and counts."""


@dataclass(frozen=True)
class BotCgroup:
    """A folder of one bot's, and what is to be written into its files."""

    path: str
    limits: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Cgroups:
    """Where groups for bots can be made."""

    version: int
    memory: str | None = None
    pids: str | None = None
    unified: str | None = None
    """Of the second version, to stop bots: what the first has frozen cannot be killed."""

    @property
    def has_controllers(self) -> bool:
        """Whether memory and processes are both counted."""
        return self.memory is not None and self.pids is not None

    def bot_cgroups(self, name: str, limits: ResourceLimits) -> list[BotCgroup]:
        """The groups for one bot."""
        most, processes = str(limits.memory * MIB), str(limits.processes + EXTRA_PROCESSES)
        if self.version == 2:
            wanted = [("memory.max", most), ("memory.swap.max", "0"), ("memory.oom.group", "1")]
            wanted += [("pids.max", processes)]
            return (
                [BotCgroup(f"{self.memory}/{NAME_PREFIX}-{name}", tuple(wanted))]
                if self.memory
                else []
            )
        values = {"memory": most, "pids": processes}
        return [
            BotCgroup(f"{base}/{NAME_PREFIX}-{name}", tuple((file, values[kind]) for file in files))
            for kind, files in (*V1_LIMIT_FILES.items(), ("unified", ()))
            if (base := getattr(self, kind))
        ]

    def cgroup_folder(self, name: str) -> str | None:
        """The folder of one bot by which it is stopped and its CPU time is counted."""
        return f"{self.unified}/{NAME_PREFIX}-{name}" if self.unified else None

    def remove_stale_groups(self) -> None:
        """Remove groups of ours that a referee has left behind which was killed."""
        for folder in {self.memory, self.pids, self.unified} - {None}:
            for group in Path(str(folder)).glob(f"{NAME_PREFIX}-*-*"):
                owner = group.name.split("-")[1]
                if owner == str(os.getpid()) or not Path("/proc", owner).exists():
                    with suppress(OSError):  # it is not empty, or somebody else was faster
                        group.rmdir()


def find_cgroups(text: str, mounts: Path = CGROUP_ROOT) -> Cgroups | None:
    """The groups below our own, by what /proc/self/cgroup says; None if we may not make any."""
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
    """Our group in a hierarchy, if groups can be made below it."""
    folder = mount / path.lstrip("/")
    return str(folder) if can_create_groups(folder) else None


def can_create_groups(folder: Path) -> bool:
    """Whether a group can be made here: tried out."""
    trial = (
        folder / f"{NAME_PREFIX}-{os.getpid()}-trial"
    )  # as a bot's, so that nobody else clears it up
    try:
        trial.mkdir(exist_ok=True)
        trial.rmdir()
    except FileNotFoundError:
        return folder.is_dir()  # somebody has cleared it up, who does not see our processes
    except OSError:
        return False
    return True


def find_v2_cgroups(mounts: Path, path: str) -> Cgroups | None:
    """Our group of the second version, with its controllers handed down."""
    folder = mounts / path.lstrip("/")
    folder = folder.parent if folder.name == MAIN_GROUP else folder
    if not can_create_groups(folder) or not enable_controllers(folder):
        return None
    return Cgroups(2, str(folder), str(folder), str(folder))


def enable_controllers(folder: Path) -> bool:
    """Let groups below this one have limits, which may take moving its processes down."""
    control = folder / "cgroup.subtree_control"
    try:
        if {"memory", "pids"} <= set(control.read_text().split()):
            return True
        with suppress(OSError):  # at the top, or with no processes in it, this is all
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
