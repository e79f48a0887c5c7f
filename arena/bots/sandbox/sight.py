"""What a bot may read beside its own folder: the program that runs it, and what that needs."""

import os
import pwd
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import arena
from arena.errors import ArenaError

PROGRAMS = ("bin", "sbin")

PYTHON = ("bin", "include", "lib", "lib32", "lib64", "libexec", "share", "ssl", "pyvenv.cfg")
"""What a Python consists of; whatever else lies in its folder is not for bots."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Folders of the system that all bots may read, where they are there."""

SHARED = ("/home", "/opt", "/srv")
"""Folders in which others keep theirs."""

FIRST_PERSON = 1000
"""Users with lower numbers are the system's, but for root."""

PRIVATE = frozenset({"run.db", "ladder.yaml"})
"""What makes a folder a run or a ladder."""
DEEPEST = 3
"""Folders within each other that are looked through for one."""


def seen(
    argv: tuple[str, ...], folders: tuple[str, ...], home: Path | None = None
) -> tuple[str, ...]:
    """The paths that the program of a command line needs, beyond its home and the system."""
    started = Path(argv[0])
    if home is not None and started.resolve().is_relative_to(home.resolve()):
        return ()
    needed = own_python() if argv[0] == sys.executable else {place_of(started.resolve())}
    outside = {path for path in needed if not any(path.is_relative_to(top) for top in folders)}
    return tuple(sorted(str(path) for path in outside if not outside & set(path.parents)))


def own_python() -> set[Path]:
    """The Python we run on, with what is installed in it, and this program."""
    package = Path(arena.__file__).parent
    linked = {(package / name).resolve() for name in ("reference", "specification")}
    parts = {Path(top, part) for top in (sys.prefix, sys.base_prefix) for part in PYTHON}
    return {*filter(Path.exists, parts), package, package.resolve(), *linked}


def place_of(program: Path) -> Path:
    """Where a program is installed, with its libraries; itself, if that is not for bots to see."""
    prefix = program.parent.parent
    if program.parent.name not in PROGRAMS or any(map(program.is_relative_to, SYSTEM)):
        return program
    return program if is_private(prefix) else prefix


@cache
def is_private(folder: Path) -> bool:
    """Whether a folder is, or holds, a home, what we keep in one, a run or a ladder."""
    known = homes()
    hidden = folder.parent in known and folder.name.startswith(".")  # such as ~/.local
    ours = kept()
    held = any(path.is_relative_to(folder) for path in (*known, *map(Path, SHARED), ours))
    within = folder.is_relative_to(ours)
    return hidden or held or within or any(PRIVATE & {*names} for names in walked(folder))


def homes() -> set[Path]:
    """The homes of all people on this machine, and of root."""
    people = (one for one in pwd.getpwall() if one.pw_uid == 0 or one.pw_uid >= FIRST_PERSON)
    found = {Path(one.pw_dir) for one in people} | {Path("/root")}
    if own := os.environ.get("HOME"):
        found.add(Path(own))
    return {home for home in found if home.is_absolute() and home != Path("/")}


def kept() -> Path:
    """Where we keep builds and bots that came from elsewhere, in somebody's home."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "stichkampf"


def walked(folder: Path) -> Iterator[list[str]]:
    """The names of what is in a folder, and in those below it that are not too deep."""
    for place, below, names in os.walk(folder):
        yield names
        if len(Path(place).relative_to(folder).parts) >= DEEPEST:
            below.clear()


def visible(folder: Path) -> Path | None:
    """The place that a folder lies in and that bots may read, if it lies in one."""
    real = Path(os.path.realpath(folder))
    known = {*map(Path, SYSTEM), *own_python()}
    return next((place for place in sorted(known) if real.is_relative_to(place.resolve())), None)


def check_hidden(folder: Path) -> None:
    """Refuse a folder for a run or a ladder that bots may read: the seed of all deals is in it."""
    if place := visible(folder):
        raise ArenaError(f"{folder} lies in {place}, which all bots may read; use another folder")
