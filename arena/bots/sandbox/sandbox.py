"""Select, create and probe the sandbox that bots run in."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from msgspec import structs

from arena.bots.sandbox import extra_mounts
from arena.bots.sandbox.bwrap import (
    BOT_UID_COUNT,
    FIRST_BOT_UID,
    BwrapCommand,
    SandboxedProgram,
    SandboxSupport,
    bwrap_command,
)
from arena.bots.sandbox.cgroups import BotCgroup, Cgroups, find_cgroups
from arena.bots.sandbox.host import SandboxUnavailable, detect_support, required_paths
from arena.bots.sandbox.limits import MIB, ResourceLimits, SandboxLevel
from arena.bots.sandbox.system_image import ImageUnavailable, SystemLocation, copy_into_memory
from arena.bots.sandbox.users import BotUser, claim_user
from arena.errors import BadBot, HarnessFailure

MAX_FILES_MIB = 256
"""MiB that the files of a bot may take."""

PROBE_TIMEOUT = 20
"""Seconds in which a program that does nothing has to end in the sandbox."""


@dataclass(frozen=True)
class Sandbox:
    """The sandbox of all bots of a referee: requested, or created if `support` is set."""

    level: SandboxLevel = SandboxLevel.NONE
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    support: SandboxSupport | None = None
    cgroups: Cgroups | None = None
    unavailable_reason: str = ""
    """Why there is no sandbox although `none` was not requested."""
    stops_idle_bots: bool = False
    """Whether bots without an open question are stopped."""
    system: SystemLocation = SystemLocation.HOST
    """Where the programs and libraries that bots see are stored."""

    @property
    def request(self) -> "Sandbox":
        """The same sandbox, not created: another machine creates its own."""
        return replace(self, support=None, cgroups=None, unavailable_reason="")

    @property
    def options(self) -> list[str]:
        """The options that request this sandbox on a command line; empty if it is the default."""
        is_default = self.level is SandboxLevel.STANDARD or self.unavailable_reason
        return [] if is_default else ["--sandbox", self.level]

    def claim_user(self) -> BotUser | None:
        """Claim a user id for one bot; None where bots run as our own user."""
        return (
            claim_user(FIRST_BOT_UID, BOT_UID_COUNT)
            if self.support and self.support.is_root
            else None
        )

    def wrap(
        self, argv: tuple[str, ...], bot_path: Path, uid: int = FIRST_BOT_UID
    ) -> BwrapCommand | None:
        """The command that runs a bot in the sandbox; None if there is no sandbox.

        As root the bot runs as the user `uid`.
        """
        if self.support is None:
            if self.level is not SandboxLevel.NONE:
                raise HarnessFailure(f"the sandbox '{self.level}' was asked for, but not made here")
            return None
        if self.support.is_root:
            check_readable(bot_path)
        size = extra_mounts.copy_size(str(bot_path))
        if size > MAX_FILES_MIB * MIB:
            raise BadBot(
                f"{bot_path} holds {size // MIB} MiB of files, of which each of its processes gets "
                f"a copy in memory; {MAX_FILES_MIB} MiB are allowed: remove what it does not need "
                "to play"
            )
        program = SandboxedProgram(
            argv, bot_path, required_paths(argv, self.support.program_folders, bot_path), size
        )
        return bwrap_command(program, self.limits, self.support, uid, self.mount_source)

    @property
    def mount_source(self) -> Callable[[str], str]:
        """A function that names what is mounted for a path: itself, or its copy in memory."""
        if self.support is None or self.system is SystemLocation.HOST:
            return str
        if self.system is SystemLocation.AUTO and image_problem(self.support):
            return str
        return copy_into_memory

    def bot_cgroups(self, name: str) -> list[BotCgroup]:
        """The control groups of a bot, with this name."""
        return self.cgroups.bot_cgroups(name, self.limits) if self.cgroups else []

    def cgroup_folder(self, name: str) -> str | None:
        """The folder of the group of this name that freezes a bot and counts its CPU time."""
        return self.cgroups.cgroup_folder(name) if self.cgroups else None

    def with_memory(self, memory: int | None) -> "Sandbox":
        """The same sandbox with at most so many bytes of memory, as a manifest may request."""
        if memory is None or self.limits.memory << 20 <= memory:
            return self
        return replace(self, limits=structs.replace(self.limits, memory=max(1, memory >> 20)))


NO_SANDBOX = Sandbox()


@cache
def check_readable(bot_path: Path) -> None:
    """Raise an error if other users cannot read all files of a bot."""
    for path in [bot_path, *(bot_path.rglob("*") if bot_path.is_dir() else ())]:
        needed = 0o005 if path.is_dir() else 0o004
        if not path.is_symlink() and path.stat().st_mode & needed != needed:
            raise BadBot(
                f"{path} cannot be read inside the sandbox: run 'chmod -R go+rX {bot_path}'"
            )


@cache
def image_problem(support: SandboxSupport) -> str:
    """Why the system that bots see cannot be copied into memory; empty if it can."""
    try:
        for path in (
            *support.program_folders,
            *required_paths((sys.executable,), support.program_folders),
        ):
            copy_into_memory(path)
    except ImageUnavailable as error:
        return str(error)
    return ""


def requested_sandbox(
    level: SandboxLevel,
    limits: ResourceLimits,
    *,
    stops_idle_bots: bool = False,
    system: SystemLocation = SystemLocation.HOST,
) -> Sandbox:
    """A sandbox that is requested, but not created."""
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
    """Create the requested sandbox, never a weaker one; without a request, the best possible."""
    requested = requested_sandbox(
        level or SandboxLevel.STANDARD, limits, stops_idle_bots=stops_idle_bots, system=system
    )
    try:
        return create_sandbox(requested)
    except SandboxUnavailable as error:
        if level:
            raise
        return Sandbox(
            limits=limits, unavailable_reason=str(error), stops_idle_bots=stops_idle_bots
        )


def create_sandbox(requested: Sandbox) -> Sandbox:
    """Create the requested sandbox, never a weaker one, after a program has run in one."""
    if requested.level is SandboxLevel.NONE:
        return requested
    support, cgroups = probe_host(), usable_cgroups()
    is_strict = requested.level is SandboxLevel.STRICT
    if is_strict and not cgroups:
        raise SandboxUnavailable(
            "the sandbox 'strict' needs cgroups that may be written to: run it as root, or by "
            "'systemd-run --user --scope -p Delegate=yes arena ...'; 'arena doctor' says more"
        )
    support = replace(support, counts_memory=cgroups is not None, isolates_futexes=is_strict)
    return replace(requested, support=support, cgroups=cgroups)


@cache
def usable_cgroups() -> Cgroups | None:
    """The control groups of this machine, if they count memory and processes."""
    found = find_cgroups(Path("/proc/self/cgroup").read_text())
    if found is None or not found.has_controllers:
        return None
    found.remove_stale_groups()
    return found


@cache
def probe_host() -> SandboxSupport:
    """What this machine supports, after a program that does nothing has run in the sandbox."""
    support = detect_support()
    command = bwrap_command(
        SandboxedProgram(("/usr/bin/true",), Path("/dev/null")),
        ResourceLimits(),
        support,
        FIRST_BOT_UID,
    )
    try:
        done = subprocess.run(  # noqa: S603 (our own command)
            # As the first process inside it is waited for, and leaves no zombie.
            [*command.argv, "--as-pid-1", "--", *command.program],
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
    return support


def probe_error(message: str, *, is_root: bool) -> str:
    """The error message of bubblewrap, and what to do about it."""
    if "unknown option" in message.lower():
        return f"the sandbox needs bubblewrap 0.8 or later ({message})"
    hint = (
        "in a container it needs '--security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --security-opt systempaths=unconfined'"
        if is_root
        else "run it as root, or allow unprivileged user namespaces; 'arena doctor' says how"
    )
    return f"bubblewrap is not allowed to make namespaces here ({message}): {hint}"
