"""Select, create and probe the sandbox that bots run in."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from msgspec import structs

from arena.bots.sandbox import cgroups as sandbox_cgroups
from arena.bots.sandbox import mounts
from arena.bots.sandbox.bwrap import (
    BOT_UID_COUNT,
    FIRST_BOT_UID,
    BwrapCommand,
    SandboxedProgram,
    SandboxSupport,
    bwrap_command,
)
from arena.bots.sandbox.cgroups import BotCgroup, Cgroups
from arena.bots.sandbox.host import SandboxUnavailable, detect_support, required_paths
from arena.bots.sandbox.limits import MIB, ResourceLimits, SandboxLevel
from arena.bots.sandbox.system_image import ImageUnavailable, SystemLocation, memory_copy
from arena.bots.sandbox.users import BotUser, claim_user
from arena.errors import BadBot, HarnessFailure

MAX_FILES_MIB = 256
"""MiB that the files of a bot may take."""

PROBE_TIMEOUT = 20
"""Seconds in which a program that does nothing has to be done inside walls."""


@dataclass(frozen=True)
class Sandbox:
    """Walls for all bots of a referee."""

    level: SandboxLevel = SandboxLevel.NONE
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    support: SandboxSupport | None = None
    cgroups: Cgroups | None = None
    unavailable_reason: str = ""
    """Why there are no walls though nobody said that there should be none."""
    stops_idle_bots: bool = False
    """Whether bots that nobody asks anything are stopped."""
    system: SystemLocation = SystemLocation.HOST
    """Where the programs and libraries lie that bots see."""

    @property
    def request(self) -> "Sandbox":
        """The same, only asked for: whoever plays elsewhere makes their own walls."""
        return requested_sandbox(
            self.level, self.limits, stops_idle_bots=self.stops_idle_bots, system=self.system
        )

    @property
    def options(self) -> list[str]:
        """What asks for the same walls on a command line, where the best there is are others."""
        usual = self.level is SandboxLevel.STANDARD or self.unavailable_reason
        return [] if usual else ["--sandbox", self.level]

    def claim_user(self) -> BotUser | None:
        """A user id for one bot; None where bots run as we do."""
        return (
            claim_user(FIRST_BOT_UID, BOT_UID_COUNT)
            if self.support and self.support.is_root
            else None
        )

    def wrap(
        self, argv: tuple[str, ...], bot_path: Path, uid: int = FIRST_BOT_UID
    ) -> BwrapCommand | None:
        """The walls around a program that is all of a folder or a file, if there are any.

        As root the program becomes this user.
        """
        if self.support is None:
            if self.level is not SandboxLevel.NONE:
                raise HarnessFailure(f"the sandbox '{self.level}' was asked for, but not made here")
            return None
        if self.support.is_root:
            check_readable(bot_path)
        size = mounts.copy_size(str(bot_path))
        if size > MAX_FILES_MIB * MIB:
            raise BadBot(
                f"{bot_path} holds {size // MIB} MiB of files, of which each of its "
                f"processes gets a "
                f"copy in memory; {MAX_FILES_MIB} MiB are allowed: remove what it does not "
                f"need to play"
            )
        inmate = SandboxedProgram(
            argv, bot_path, required_paths(argv, self.support.program_folders, bot_path), size
        )
        return bwrap_command(inmate, self.limits, self.support, uid, self.mount_source)

    @property
    def mount_source(self) -> Callable[[str], str]:
        """Names what is mounted for a path: itself, or its copy in memory."""
        if self.support is None or self.system is SystemLocation.HOST:
            return str
        if self.system is SystemLocation.AUTO and image_problem(self.support):
            return str
        return memory_copy

    def bot_cgroups(self, name: str) -> list[BotCgroup]:
        """The control groups for a bot, which bear this name."""
        return self.cgroups.bot_cgroups(name, self.limits) if self.cgroups else []

    def cgroup_folder(self, name: str) -> str | None:
        """The folder by which a bot is stopped and its time is counted, of groups of this name."""
        return self.cgroups.cgroup_folder(name) if self.cgroups else None

    def with_memory(self, memory: int | None) -> "Sandbox":
        """The same with no more than so many bytes of memory: a bot may ask for less than all."""
        if memory is None or self.limits.memory << 20 <= memory:
            return self
        return replace(self, limits=structs.replace(self.limits, memory=max(1, memory >> 20)))


NO_SANDBOX = Sandbox()
"""None."""


@cache
def check_readable(bot_path: Path) -> None:
    """Make sure that a user that nobody is can read all of a bot."""
    for path in [bot_path, *(bot_path.rglob("*") if bot_path.is_dir() else ())]:
        needed = 0o005 if path.is_dir() else 0o004
        if not path.is_symlink() and path.stat().st_mode & needed != needed:
            raise BadBot(
                f"{path} cannot be read inside the sandbox: run 'chmod -R go+rX {bot_path}'"
            )


@cache
def image_problem(support: SandboxSupport) -> str:
    """Why what all bots see cannot be copied into memory; nothing, if it can."""
    try:
        for path in (
            *support.program_folders,
            *required_paths((sys.executable,), support.program_folders),
        ):
            memory_copy(path)
    except ImageUnavailable as why:
        return str(why)
    return ""


def requested_sandbox(
    level: SandboxLevel,
    limits: ResourceLimits,
    *,
    stops_idle_bots: bool = False,
    system: SystemLocation = SystemLocation.HOST,
) -> Sandbox:
    """Walls that are asked for, and not made yet."""
    return Sandbox(
        level,
        limits,
        stops_idle_bots=stops_idle_bots or level is SandboxLevel.STRICT,
        system=system,
    )


def select_sandbox(
    level: SandboxLevel | None,
    limits: ResourceLimits,
    *,
    stops_idle_bots: bool = False,
    system: SystemLocation = SystemLocation.HOST,
) -> Sandbox:
    """The sandbox that was asked for, never a weaker one; if none was, the best there is."""
    if level is SandboxLevel.NONE:
        return requested_sandbox(level, limits, stops_idle_bots=stops_idle_bots)
    try:
        return create_sandbox(
            level or SandboxLevel.STANDARD, limits, stops_idle_bots=stops_idle_bots, system=system
        )
    except SandboxUnavailable as why:
        if level:
            raise
        return Sandbox(limits=limits, unavailable_reason=str(why), stops_idle_bots=stops_idle_bots)


def create_sandbox(
    level: SandboxLevel,
    limits: ResourceLimits,
    *,
    stops_idle_bots: bool = False,
    system: SystemLocation = SystemLocation.HOST,
) -> Sandbox:
    """A sandbox with walls, tried out."""
    here, counting = probe_host(), usable_cgroups()
    if level is SandboxLevel.STRICT and not counting:
        raise SandboxUnavailable(
            "the sandbox 'strict' needs cgroups that may be written to: run it as root, or by "
            "'systemd-run --user --scope -p Delegate=yes arena ...'; 'arena doctor' says more"
        )
    here = replace(
        here, counts_memory=counting is not None, isolates_futexes=level is SandboxLevel.STRICT
    )
    asked = requested_sandbox(level, limits, stops_idle_bots=stops_idle_bots, system=system)
    return replace(asked, support=here, cgroups=counting)


@cache
def usable_cgroups() -> Cgroups | None:
    """The control groups of this machine, if they count what matters."""
    here = sandbox_cgroups.find_cgroups(Path("/proc/self/cgroup").read_text())
    if here is None or not here.has_controllers:
        return None
    here.remove_stale_groups()
    return here


@cache
def probe_host() -> SandboxSupport:
    """What is here, after a program that does nothing has run inside walls."""
    here = detect_support()
    walls = bwrap_command(
        SandboxedProgram(("/usr/bin/true",), Path("/dev/null")),
        ResourceLimits(),
        here,
        FIRST_BOT_UID,
    )
    try:
        done = subprocess.run(  # noqa: S603 (it is our own)
            # As the first process inside it is waited for, and leaves no zombie to anybody.
            [*walls.argv, "--as-pid-1", "--", *walls.program],
            capture_output=True,
            text=True,
            errors="replace",
            env={},
            timeout=PROBE_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"bubblewrap does not work here: {error}") from error
    if done.returncode:
        raise SandboxUnavailable(probe_error(done.stderr.strip(), is_root=os.geteuid() == 0))
    return here


def probe_error(message: str, *, is_root: bool) -> str:
    """What bubblewrap says, and what to do about it."""
    if "unknown option" in message.lower():
        return f"the sandbox needs bubblewrap 0.8 or later ({message})"
    hint = (
        "in a container it needs '--security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --security-opt systempaths=unconfined'"
        if is_root
        else "run it as root, or allow unprivileged user namespaces; 'arena doctor' says how"
    )
    return f"bubblewrap is not allowed to make namespaces here ({message}): {hint}"
