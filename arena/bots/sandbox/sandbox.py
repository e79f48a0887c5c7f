"""A sandbox: how strongly, with what limits, and on what machine bots are walled in."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from msgspec import structs

from arena.bots.sandbox import cgroups, mounts
from arena.bots.sandbox.cgroups import Cgroups, Group
from arena.bots.sandbox.level import MIB, Level, Limits
from arena.bots.sandbox.machine import NoWalls, machine
from arena.bots.sandbox.sight import seen
from arena.bots.sandbox.system_image import NoImage, System, in_memory
from arena.bots.sandbox.users import User, claim_user
from arena.bots.sandbox.walls import FIRST_USER, USERS, Inmate, Machine, Walls, around
from arena.errors import BadBot, HarnessFailure

FILES = 256
"""MiB that the files of a bot may take."""

TRIAL = 20
"""Seconds in which a program that does nothing has to be done inside walls."""


@dataclass(frozen=True)
class Sandbox:
    """Walls for all bots of a referee."""

    level: Level = Level.NONE
    limits: Limits = field(default_factory=Limits)
    machine: Machine | None = None
    cgroups: Cgroups | None = None
    missing: str = ""
    """Why there are no walls though nobody said that there should be none."""
    stopped: bool = False
    """Whether bots that nobody asks anything are stopped."""
    system: System = System.HOST
    """Where the programs and libraries lie that bots see."""

    @property
    def asked(self) -> "Sandbox":
        """The same, only asked for: whoever plays elsewhere makes their own walls."""
        return wanted(self.level, self.limits, stopped=self.stopped, system=self.system)

    @property
    def options(self) -> list[str]:
        """What asks for the same walls on a command line, where the best there is are others."""
        usual = self.level is Level.STANDARD or self.missing
        return [] if usual else ["--sandbox", self.level]

    def claim_user(self) -> User | None:
        """A user id for one bot; None where bots run as we do."""
        return claim_user(FIRST_USER, USERS) if self.machine and self.machine.root else None

    def around(self, argv: tuple[str, ...], home: Path, user: int = FIRST_USER) -> Walls | None:
        """The walls around a program that is all of a folder or a file, if there are any.

        As root the program becomes this user.
        """
        if self.machine is None:
            if self.level is not Level.NONE:
                raise HarnessFailure(f"the sandbox '{self.level}' was asked for, but not made here")
            return None
        if self.machine.root:
            readable(home)
        size = mounts.size_of(str(home))
        if size > FILES * MIB:
            raise BadBot(
                f"{home} holds {size // MIB} MiB of files, of which each of its processes gets a "
                f"copy in memory; {FILES} MiB are allowed: remove what it does not need to play"
            )
        inmate = Inmate(argv, home, seen(argv, self.machine.folders, home), size)
        return around(inmate, self.limits, self.machine, user, self.copy_of)

    @property
    def copy_of(self) -> Callable[[str], str]:
        """Names what is mounted for a path: itself, or its copy in memory."""
        if self.machine is None or self.system is System.HOST:
            return str
        if self.system is System.AUTO and no_image(self.machine):
            return str
        return in_memory

    def groups(self, name: str) -> list[Group]:
        """The control groups for a bot, which bear this name."""
        return self.cgroups.groups(name, self.limits) if self.cgroups else []

    def group(self, name: str) -> str | None:
        """The folder by which a bot is stopped and its time is counted, of groups of this name."""
        return self.cgroups.group(name) if self.cgroups else None

    def within(self, memory: int | None) -> "Sandbox":
        """The same with no more than so many bytes of memory: a bot may ask for less than all."""
        if memory is None or self.limits.memory << 20 <= memory:
            return self
        return replace(self, limits=structs.replace(self.limits, memory=max(1, memory >> 20)))


OPEN = Sandbox()
"""None."""


@cache
def readable(home: Path) -> None:
    """Make sure that a user that nobody is can read all of a bot."""
    for path in [home, *(home.rglob("*") if home.is_dir() else ())]:
        needed = 0o005 if path.is_dir() else 0o004
        if not path.is_symlink() and path.stat().st_mode & needed != needed:
            raise BadBot(f"{path} cannot be read inside the sandbox: run 'chmod -R go+rX {home}'")


@cache
def no_image(machine: Machine) -> str:
    """Why what all bots see cannot be copied into memory; nothing, if it can."""
    try:
        for path in (*machine.folders, *seen((sys.executable,), machine.folders)):
            in_memory(path)
    except NoImage as why:
        return str(why)
    return ""


def wanted(
    level: Level, limits: Limits, *, stopped: bool = False, system: System = System.HOST
) -> Sandbox:
    """Walls that are asked for, and not made yet."""
    return Sandbox(level, limits, stopped=stopped or level is Level.STRICT, system=system)


def chosen(
    level: Level | None, limits: Limits, *, stopped: bool = False, system: System = System.HOST
) -> Sandbox:
    """The sandbox that was asked for, never a weaker one; if none was, the best there is."""
    if level is Level.NONE:
        return wanted(level, limits, stopped=stopped)
    try:
        return closed(level or Level.STANDARD, limits, stopped=stopped, system=system)
    except NoWalls as why:
        if level:
            raise
        return Sandbox(limits=limits, missing=str(why), stopped=stopped)


def closed(
    level: Level, limits: Limits, *, stopped: bool = False, system: System = System.HOST
) -> Sandbox:
    """A sandbox with walls, tried out."""
    here, counting = tried(), counted()
    if level is Level.STRICT and not counting:
        raise NoWalls(
            "the sandbox 'strict' needs cgroups that may be written to: run it as root, or by "
            "'systemd-run --user --scope -p Delegate=yes arena ...'; 'arena doctor' says more"
        )
    here = replace(here, counted=counting is not None, apart=level is Level.STRICT)
    asked = wanted(level, limits, stopped=stopped, system=system)
    return replace(asked, machine=here, cgroups=counting)


@cache
def counted() -> Cgroups | None:
    """The control groups of this machine, if they count what matters."""
    here = cgroups.found(Path("/proc/self/cgroup").read_text())
    if here is None or not here.counts:
        return None
    here.clear_up()
    return here


@cache
def tried() -> Machine:
    """What is here, after a program that does nothing has run inside walls."""
    here = machine()
    walls = around(Inmate(("/usr/bin/true",), Path("/dev/null")), Limits(), here, FIRST_USER)
    try:
        done = subprocess.run(  # noqa: S603 (it is our own)
            # As the first process inside it is waited for, and leaves no zombie to anybody.
            [*walls.argv, "--as-pid-1", "--", *walls.program],
            capture_output=True,
            text=True,
            errors="replace",
            env={},
            timeout=TRIAL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoWalls(f"bubblewrap does not work here: {error}") from error
    if done.returncode:
        raise NoWalls(refusal(done.stderr.strip(), root=os.geteuid() == 0))
    return here


def refusal(said: str, *, root: bool) -> str:
    """What bubblewrap says, and what to do about it."""
    if "unknown option" in said.lower():
        return f"the sandbox needs bubblewrap 0.8 or later ({said})"
    hint = (
        "in a container it needs '--security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --security-opt systempaths=unconfined'"
        if root
        else "run it as root, or allow unprivileged user namespaces; 'arena doctor' says how"
    )
    return f"bubblewrap is not allowed to make namespaces here ({said}): {hint}"
