"""Finds out what this machine offers for walls, by running a program inside them."""

import ctypes
import os
import platform
import shutil
import subprocess
from pathlib import Path

from arena.bots.sandbox.layers import SETTINGS, Facts, Inside
from arena.bots.sandbox.level import Limits
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import TRIAL, counted, tried
from arena.bots.sandbox.walls import FIRST_USER, Inmate, Machine, around

LOOK = "cat /proc/self/status; for kind in /proc/self/ns/*; do readlink $kind; done"
SPACES = Path("/proc/self/ns")
FILTERED = "2"
"""How the kernel says that a filter is asked about a process' system calls."""

LANDLOCK_CREATE_RULESET, LANDLOCK_VERSION = 444, 1
CONTAINER = (Path("/.dockerenv"), Path("/run/.containerenv"))
SYSTEMD = Path("/run/systemd/system")


def gather() -> Facts:
    """All facts; bubblewrap is really tried."""
    refused, inside, cgroups = "", None, counted()
    try:
        inside = looked(tried())
    except NoWalls as error:
        refused = str(error)
    bubblewrap = shutil.which("bwrap")
    return Facts(
        root=os.geteuid() == 0,
        bubblewrap=bubblewrap,
        version=version(bubblewrap) if bubblewrap else "",
        refused=refused,
        inside=inside,
        counting=cgroups.version if cgroups else None,
        stopping=cgroups is not None and cgroups.unified is not None,
        landlock=landlock(),
        container=any(mark.exists() for mark in CONTAINER),
        systemd=SYSTEMD.is_dir(),
        settings={name: value for name in SETTINGS if (value := setting(name)) is not None},
    )


def looked(machine: Machine) -> Inside:
    """What a program sees that is run inside walls, with its system calls filtered."""
    inmate = Inmate(("/bin/sh", "-c", LOOK), Path("/usr/bin/true"))
    walls = around(inmate, Limits(), machine, FIRST_USER)
    number = os.memfd_create("filter")
    try:
        os.write(number, walls.filter)
        os.lseek(number, 0, os.SEEK_SET)
        done = subprocess.run(  # noqa: S603 (it is our own)
            [*walls.argv, "--seccomp", str(number), "--", *walls.program],
            capture_output=True,
            text=True,
            env={},
            pass_fds=[number],
            timeout=TRIAL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoWalls(f"a program inside walls does not run: {error}") from error
    finally:
        os.close(number)
    if done.returncode:
        raise NoWalls(f"a program inside walls does not run: {done.stderr.strip()}")
    return told(done.stdout, {str(each.readlink()) for each in SPACES.iterdir()})


def told(text: str, shared: set[str]) -> Inside:
    """What such a program printed; a namespace that we have too is not its own."""
    lines = text.splitlines()
    status = dict(line.split(":", 1) for line in lines if ":\t" in line)
    spaces = [line for line in lines if "[" in line and ":\t" not in line and line not in shared]
    rights = [status[name].strip() for name in ("CapEff", "CapPrm", "CapBnd", "CapInh")]
    return Inside(
        namespaces=tuple(sorted({space.partition(":")[0] for space in spaces})),
        user=int(status["Uid"].split()[0]),
        filtered=status.get("Seccomp", "").strip() == FILTERED,
        powerless=status["NoNewPrivs"].strip() == "1" and not any(int(one, 16) for one in rights),
    )


def version(bubblewrap: str) -> str:
    """What bubblewrap calls itself, without its name."""
    try:
        done = subprocess.run(  # noqa: S603 (as above)
            [bubblewrap, "--version"], capture_output=True, text=True, timeout=TRIAL, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stdout.strip().removeprefix("bubblewrap ")


def landlock() -> int:
    """The version of the kernel's Landlock; 0 if there is none."""
    if platform.system() != "Linux":
        return 0
    kernel = ctypes.CDLL(None, use_errno=True)
    found = kernel.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_VERSION)
    return max(0, int(found))


def setting(name: str) -> str | None:
    """A setting of the kernel, if it has it."""
    try:
        return Path("/proc/sys", *name.split(".")).read_text().strip()
    except OSError:
        return None
