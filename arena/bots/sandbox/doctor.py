"""Detect which sandbox features this machine has, and how to get the missing ones."""

import ctypes
import os
import platform
import shutil
import subprocess
from pathlib import Path

from msgspec import Struct

from arena.bots.sandbox.bwrap import FIRST_BOT_UID, SandboxedProgram, SandboxSupport, bwrap_command
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.sandbox import PROBE_TIMEOUT, probe_host, usable_cgroups

YES, NO, UNUSED, MISSING = "yes", "no", "not used", "missing"

APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
NAMESPACE_SETTINGS = {
    APPARMOR: ("1", "0"),
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "15000"),
}
"""Settings of the kernel: values that forbid user namespaces, and that allow them."""

APPARMOR_PROFILE = (
    "abi <abi/4.0>,",
    "include <tunables/global>",
    "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, include if exists <local/bwrap> }",
)
"""Allows bubblewrap user namespaces where AppArmor forbids them."""

CONTAINER_OPTIONS = " ".join(
    f"--security-opt {what}=unconfined" for what in ("seccomp", "apparmor", "systempaths")
)
"""Options of a container in which bubblewrap works."""


INSPECT_SCRIPT = "cat /proc/self/status; for kind in /proc/self/ns/*; do readlink $kind; done"
NAMESPACES_FOLDER = Path("/proc/self/ns")
SECCOMP_FILTER_MODE = "2"
"""The value of `Seccomp` in /proc/PID/status of a process with a filter."""

LANDLOCK_CREATE_RULESET, LANDLOCK_VERSION = 444, 1
CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
SYSTEMD_FOLDER = Path("/run/systemd/system")


class SandboxInspection(Struct, frozen=True, kw_only=True):
    """What a program in the sandbox found out about itself."""

    namespaces: tuple[str, ...]
    """Kinds of namespaces that it does not share with us."""
    user: int
    filtered: bool
    """Whether its system calls are."""
    powerless: bool
    """Whether it has no capabilities and cannot get any."""


class HostFeatures(Struct, frozen=True, kw_only=True):
    """What a machine has that the sandbox depends on."""

    root: bool
    bubblewrap: str | None = None
    """Its path."""
    version: str = ""
    refused: str = ""
    """Why no program can run in the sandbox; empty if one can."""
    inside: SandboxInspection | None = None
    counting: int | None = None
    """The version of the cgroups that count memory and processes."""
    stopping: bool = False
    """Whether cgroups can freeze a bot."""
    landlock: int = 0
    """Its version; 0 if the kernel has none."""
    container: bool = False
    systemd: bool = False
    settings: dict[str, str] = {}
    """Settings of the kernel that may forbid user namespaces, as far as it has them."""

    @property
    def standard(self) -> bool:
        """Whether this level is available."""
        return self.inside is not None

    @property
    def strict(self) -> bool:
        """Whether this level is available."""
        return self.standard and self.counting is not None


class Layer(Struct, frozen=True):
    """One of the mechanisms of the sandbox, as a row of the report."""

    name: str
    here: str
    """What this machine offers."""
    standard: str
    """Whether or how it is in force at this level."""
    strict: str


class Remedy(Struct, frozen=True):
    """How to get what is missing."""

    what: str
    command: str


def layers(features: HostFeatures) -> tuple[Layer, ...]:
    """All rows of the report."""
    inside = features.inside
    powerless, filtered = (inside.powerless, inside.filtered) if inside else (False, False)
    spaces = ", ".join(inside.namespaces) if inside else features.refused
    whole = (
        (
            "bubblewrap",
            f"{features.version}, {features.bubblewrap}" if features.bubblewrap else "",
            True,
        ),
        ("namespaces", spaces, True),
        ("own user", bot_user_text(features) if inside else "", True),
        ("rights", "none, and none can be gained" if powerless else "", powerless),
        ("system calls", "filtered by seccomp" if filtered else "", filtered),
    )
    found = [
        Layer(
            name,
            here or MISSING,
            YES if features.standard and held else NO,
            YES if features.strict and held else NO,
        )
        for name, here, held in whole
    ]
    return (
        *found,
        Layer(
            "memory, processes",
            f"counted by cgroups {features.counting}" if features.counting else "rlimits only",
            "counted" if features.strict else "rlimits" if features.standard else NO,
            "counted" if features.strict else NO,
        ),
        Layer(
            "bots that wait",
            f"stopped by {'cgroups' if features.stopping else 'signals'}",
            "if asked for" if features.standard else NO,
            "stopped" if features.strict else NO,
        ),
        Layer(
            "Landlock",
            f"version {features.landlock}" if features.landlock else MISSING,
            UNUSED,
            UNUSED,
        ),
    )


def bot_user_text(features: HostFeatures) -> str:
    """The user that bots run as."""
    return "an unused user id for each bot" if features.root else "nobody, in a namespace of users"


def remedies(features: HostFeatures) -> tuple[Remedy, ...]:
    """List how to get what is missing, in the order in which to do it."""
    if not features.bubblewrap:
        return (Remedy("the sandbox, as root", "apt install bubblewrap"),)
    if not features.standard:
        return tuple(namespace_remedies(features))
    if features.strict:
        return ()
    if features.root and features.container:
        return (Remedy("counted memory, in a container", "docker run --privileged ..."),)
    if features.systemd:
        command = "systemd-run --user --scope -p Delegate=yes arena ..."
        return (Remedy("counted memory and processes", command),)
    return (Remedy("counted memory and processes", "sudo arena ..."),)


def namespace_remedies(features: HostFeatures) -> list[Remedy]:
    """How to allow bubblewrap to create namespaces."""
    found = []
    if features.container:
        found.append(Remedy("namespaces in a container", f"docker run {CONTAINER_OPTIONS} ..."))
    if features.root:
        return found
    if features.settings.get(APPARMOR) == NAMESPACE_SETTINGS[APPARMOR][0]:
        lines = " ".join(f"'{line}'" for line in APPARMOR_PROFILE)
        file = "/etc/apparmor.d/bwrap"
        command = f"printf '%s\\n' {lines} > {file} && apparmor_parser -r {file}"
        found.append(Remedy("namespaces for bubblewrap only, as root", command))
    found += [
        Remedy("namespaces for all programs, as root", f"sysctl -w {name}={allowing}")
        for name, (forbidding, allowing) in NAMESPACE_SETTINGS.items()
        if features.settings.get(name) == forbidding
    ]
    return found or [Remedy("namespaces", "sudo arena ...")]


def detect_features() -> HostFeatures:
    """Detect all features; runs a program in the sandbox."""
    refused, inside, cgroups = "", None, usable_cgroups()
    try:
        inside = inspect_sandbox(probe_host())
    except SandboxUnavailable as error:
        refused = str(error)
    bubblewrap = shutil.which("bwrap")
    return HostFeatures(
        root=os.geteuid() == 0,
        bubblewrap=bubblewrap,
        version=bubblewrap_version(bubblewrap) if bubblewrap else "",
        refused=refused,
        inside=inside,
        counting=cgroups.version if cgroups else None,
        stopping=cgroups is not None and cgroups.unified is not None,
        landlock=landlock_version(),
        container=any(mark.exists() for mark in CONTAINER_MARKS),
        systemd=SYSTEMD_FOLDER.is_dir(),
        settings={
            name: value
            for name in NAMESPACE_SETTINGS
            if (value := kernel_setting(name)) is not None
        },
    )


def inspect_sandbox(support: SandboxSupport) -> SandboxInspection:
    """Run a program in the sandbox that reports what it sees."""
    program = SandboxedProgram(("/bin/sh", "-c", INSPECT_SCRIPT), Path("/usr/bin/true"))
    command = bwrap_command(program, ResourceLimits(), support, FIRST_BOT_UID)
    filter_fd = os.memfd_create("filter")
    try:
        os.write(filter_fd, command.seccomp_filter)
        os.lseek(filter_fd, 0, os.SEEK_SET)
        done = subprocess.run(  # noqa: S603 (our own command)
            [*command.argv, "--seccomp", str(filter_fd), "--", *command.program],
            capture_output=True,
            text=True,
            env={},
            pass_fds=[filter_fd],
            timeout=PROBE_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"a program does not run in the sandbox: {error}") from error
    finally:
        os.close(filter_fd)
    if done.returncode:
        raise SandboxUnavailable(f"a program does not run in the sandbox: {done.stderr.strip()}")
    return parse_inspection(
        done.stdout, {str(each.readlink()) for each in NAMESPACES_FOLDER.iterdir()}
    )


def parse_inspection(text: str, own_namespaces: set[str]) -> SandboxInspection:
    """Parse what the program printed; a namespace that we share is not its own."""
    lines = text.splitlines()
    status = dict(line.split(":", 1) for line in lines if ":\t" in line)
    spaces = [
        line for line in lines if "[" in line and ":\t" not in line and line not in own_namespaces
    ]
    rights = [status[name].strip() for name in ("CapEff", "CapPrm", "CapBnd", "CapInh")]
    return SandboxInspection(
        namespaces=tuple(sorted({space.partition(":")[0] for space in spaces})),
        user=int(status["Uid"].split()[0]),
        filtered=status.get("Seccomp", "").strip() == SECCOMP_FILTER_MODE,
        powerless=status["NoNewPrivs"].strip() == "1" and not any(int(one, 16) for one in rights),
    )


def bubblewrap_version(bubblewrap: str) -> str:
    """The version of bubblewrap, or why it does not run."""
    try:
        done = subprocess.run(  # noqa: S603 (as above)
            [bubblewrap, "--version"],
            capture_output=True,
            text=True,
            timeout=PROBE_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stdout.strip().removeprefix("bubblewrap ")


def landlock_version() -> int:
    """The version of the kernel's Landlock; 0 if there is none."""
    if platform.system() != "Linux":
        return 0
    kernel = ctypes.CDLL(None, use_errno=True)
    found = kernel.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_VERSION)
    return max(0, int(found))


def kernel_setting(name: str) -> str | None:
    """The value of a kernel setting; None if the kernel does not have it."""
    try:
        return Path("/proc/sys", *name.split(".")).read_text().strip()
    except OSError:
        return None
