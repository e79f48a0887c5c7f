"""A sandbox: how strongly, with what limits, and on what machine bots are walled in."""

import os
import secrets
import subprocess
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from msgspec import structs

from arena.bots.sandbox import cgroups
from arena.bots.sandbox.cgroups import Cgroups, Group
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.machine import NoWalls, machine
from arena.bots.sandbox.sight import seen
from arena.bots.sandbox.walls import FIRST_USER, USERS, Inmate, Machine, Walls, around
from arena.errors import BadBot, HarnessFailure

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

    @property
    def asked(self) -> "Sandbox":
        """The same, only asked for: whoever plays elsewhere makes their own walls."""
        return wanted(self.level, self.limits, stopped=self.stopped)

    @property
    def options(self) -> list[str]:
        """What asks for the same walls on a command line, where the best there is are others."""
        usual = self.level is Level.STANDARD or self.missing
        return [] if usual else ["--sandbox", self.level]

    def around(self, argv: tuple[str, ...], home: Path) -> Walls | None:
        """The walls around a program that is all of a folder or a file, if there are any."""
        if self.machine is None:
            if self.level is not Level.NONE:
                raise HarnessFailure(f"the sandbox '{self.level}' was asked for, but not made here")
            return None
        if self.machine.root:
            readable(home)
        inmate = Inmate(argv, home, seen(argv, self.machine.folders, home))
        user = FIRST_USER + secrets.randbelow(USERS)
        return around(inmate, self.limits, self.machine, user)

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


def wanted(level: Level, limits: Limits, *, stopped: bool = False) -> Sandbox:
    """Walls that are asked for, and not made yet."""
    return Sandbox(level, limits, stopped=stopped or level is Level.STRICT)


def chosen(level: Level | None, limits: Limits, *, stopped: bool = False) -> Sandbox:
    """The sandbox that was asked for, never a weaker one; if none was, the best there is."""
    if level is Level.NONE:
        return wanted(level, limits, stopped=stopped)
    try:
        return closed(level or Level.STANDARD, limits, stopped=stopped)
    except NoWalls as why:
        if level:
            raise
        return Sandbox(limits=limits, missing=str(why), stopped=stopped)


def closed(level: Level, limits: Limits, *, stopped: bool = False) -> Sandbox:
    """A sandbox with walls, tried out."""
    here, counting = tried(), counted()
    if level is Level.STRICT and not counting:
        raise NoWalls(
            "the sandbox 'strict' needs cgroups that may be written to: run it as root, or by "
            "'systemd-run --user --scope -p Delegate=yes arena ...'; 'arena doctor' says more"
        )
    here = replace(here, counted=counting is not None)
    return replace(wanted(level, limits, stopped=stopped), machine=here, cgroups=counting)


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
    walls = around(Inmate(("/usr/bin/true",), Path("/usr/bin/true")), Limits(), here, FIRST_USER)
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
