"""What this machine has to run and build bots: sandbox, compilers, cores and disk space."""

import os
import platform
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from arena.bots.build import builds_folder
from arena.bots.interpreters import find_installed, install_hint, repair_hint
from arena.bots.sandbox.doctor import (
    HostFeatures,
    Layer,
    Remedy,
    detect_features,
    layers,
    remedies,
)
from arena.errors import ArenaError

TOOLS = ("cargo", "cc", "cmake", "g++", "go", "java", "jq", "make", "mvn", "node", "npm", "perl")
"""The programs that build and run bots made from the starter kits."""


class Tool(Struct, frozen=True):
    """A program that builds or runs bots."""

    name: str
    path: str | None
    remedy: str
    """The command that installs it."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The sandbox features, compilers and other resources of this machine."""

    standard: bool
    """Whether this level of the sandbox is available."""
    strict: bool
    layers: tuple[Layer, ...]
    remedies: tuple[Remedy, ...]
    facts: HostFeatures
    kernel: str
    python: str
    executable: str
    cores: int
    of_cores: int
    """How many the machine has."""
    cache: str | None
    """The folder of builds."""
    free: int | None
    """Bytes that are free there."""
    tools: tuple[Tool, ...]


def diagnose() -> Diagnosis:
    """Detect which sandbox features and compilers this machine has; runs some programs."""
    features = detect_features()
    cache, free = build_cache()
    with ThreadPoolExecutor() as pool:  # some need half a second to print their version
        tools = pool.map(find_tool, TOOLS)
    return Diagnosis(
        standard=features.standard,
        strict=features.strict,
        layers=layers(features),
        remedies=remedies(features),
        facts=features,
        kernel=f"{platform.system()} {platform.release()}, {platform.machine()}",
        python=platform.python_version(),
        executable=sys.executable,
        cores=len(os.sched_getaffinity(0)),
        of_cores=os.cpu_count() or 1,
        cache=cache,
        free=free,
        tools=tuple(tools),
    )


def find_tool(name: str) -> Tool:
    """Find a program that runs, or how to install it."""
    path = find_installed(name, thorough=True)
    return Tool(name, path, install_hint(name) if path else repair_hint(name))


def build_cache() -> tuple[str | None, int | None]:
    """The folder of builds, and how many bytes are free there."""
    try:
        cache = builds_folder()
    except ArenaError:
        return None, None
    existing = next(folder for folder in (cache, *cache.parents) if is_reachable(folder))
    return str(cache), shutil.disk_usage(existing).free


def is_reachable(folder: Path) -> bool:
    """Whether a folder exists and this user can see it."""
    try:
        return folder.exists()
    except OSError:
        return False
