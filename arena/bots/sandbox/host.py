"""What this machine offers for a sandbox, and which of its files bots may read."""

import os
import platform
import pwd
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import arena
from arena.bots.sandbox.bwrap import ETC_NAMES, SandboxSupport
from arena.bots.sandbox.seccomp import ARCHITECTURES
from arena.errors import ArenaError

ROOT_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""What stands at the top of the file system beside /usr, as links into it or as folders."""

JAVA_PATTERN = "java-*"
"""Java keeps a part of itself in /etc."""


class SandboxUnavailable(ArenaError):
    """Bots cannot be walled in here."""


@cache
def detect_support() -> SandboxSupport:
    """What is here; that there is no bubblewrap is an error with what to do about it."""
    architecture = platform.machine()
    if platform.system() != "Linux" or architecture not in ARCHITECTURES:
        raise SandboxUnavailable("the sandbox needs Linux on x86_64 or aarch64")
    bubblewrap = shutil.which("bwrap")
    if not bubblewrap:
        raise SandboxUnavailable(
            "the sandbox needs bubblewrap: run 'apt install bubblewrap' as root"
        )
    setpriv = shutil.which("setpriv")
    root = os.geteuid() == 0
    if root and not setpriv:
        raise SandboxUnavailable("the sandbox needs setpriv: run 'apt install util-linux' as root")
    top = [Path("/", name) for name in ROOT_FOLDERS]
    etc = Path("/etc")
    settings = [etc / name for name in ETC_NAMES] + sorted(etc.glob(JAVA_PATTERN))
    return SandboxSupport(
        bubblewrap=bubblewrap,
        architecture=architecture,
        is_root=root,
        setpriv=setpriv or "",
        links=tuple((str(path), str(path.readlink())) for path in top if path.is_symlink()),
        program_folders=(
            "/usr",
            *(str(path) for path in top if path.is_dir() and not path.is_symlink()),
        ),
        etc_paths=tuple(map(str, settings)),
    )


PROGRAM_FOLDERS = ("bin", "sbin")

PYTHON_PARTS = ("bin", "include", "lib", "lib32", "lib64", "libexec", "share", "ssl", "pyvenv.cfg")
"""What a Python consists of; whatever else lies in its folder is not for bots."""

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Folders of the system that all bots may read, where they are there."""

SHARED_FOLDERS = ("/home", "/opt", "/srv")
"""Folders in which others keep theirs."""

FIRST_PERSONAL_UID = 1000
"""Users with lower numbers are the system's, but for root."""

PRIVATE_FILES = frozenset({"run.db", "ladder.yaml"})
"""What makes a folder a run or a ladder."""
MAX_DEPTH = 3
"""Folders within each other that are looked through for one."""


def required_paths(
    argv: tuple[str, ...], folders: tuple[str, ...], bot_path: Path | None = None
) -> tuple[str, ...]:
    """The paths that the program of a command line needs, beyond its home and the system."""
    started = Path(argv[0])
    if bot_path is not None and started.resolve().is_relative_to(bot_path.resolve()):
        return ()
    needed = python_paths() if argv[0] == sys.executable else {install_prefix(started.resolve())}
    outside = {path for path in needed if not any(path.is_relative_to(top) for top in folders)}
    return tuple(sorted(str(path) for path in outside if not outside & set(path.parents)))


def python_paths() -> set[Path]:
    """The Python we run on, with what is installed in it, and this program."""
    package = Path(arena.__file__).parent
    linked = {(package / name).resolve() for name in ("reference", "specification")}
    parts = {Path(top, part) for top in (sys.prefix, sys.base_prefix) for part in PYTHON_PARTS}
    return {*filter(Path.exists, parts), package, package.resolve(), *linked}


def install_prefix(program: Path) -> Path:
    """Where a program is installed, with its libraries; itself, if that is not for bots to see."""
    prefix = program.parent.parent
    if program.parent.name not in PROGRAM_FOLDERS or any(
        map(program.is_relative_to, SYSTEM_FOLDERS)
    ):
        return program
    return program if is_private(prefix) else prefix


@cache
def is_private(folder: Path) -> bool:
    """Whether a folder is, or holds, a home, what we keep in one, a run or a ladder."""
    known = home_folders()
    hidden = folder.parent in known and folder.name.startswith(".")  # such as ~/.local
    ours = cache_folder()
    held = any(path.is_relative_to(folder) for path in (*known, *map(Path, SHARED_FOLDERS), ours))
    within = folder.is_relative_to(ours)
    return hidden or held or within or any(PRIVATE_FILES & {*names} for names in walk_names(folder))


def home_folders() -> set[Path]:
    """The homes of all people on this machine, and of root."""
    people = (one for one in pwd.getpwall() if one.pw_uid == 0 or one.pw_uid >= FIRST_PERSONAL_UID)
    found = {Path(one.pw_dir) for one in people} | {Path("/root")}
    if own := os.environ.get("HOME"):
        found.add(Path(own))
    return {home for home in found if home.is_absolute() and home != Path("/")}


def cache_folder() -> Path:
    """Where we keep builds and bots that came from elsewhere, in somebody's home."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "stichkampf"


def walk_names(folder: Path) -> Iterator[list[str]]:
    """The names of what is in a folder, and in those below it that are not too deep."""
    for place, below, names in os.walk(folder):
        yield names
        if len(Path(place).relative_to(folder).parts) >= MAX_DEPTH:
            below.clear()


def readable_parent(folder: Path) -> Path | None:
    """The place that a folder lies in and that bots may read, if it lies in one."""
    real = Path(os.path.realpath(folder))
    known = {*map(Path, SYSTEM_FOLDERS), *python_paths()}
    return next((place for place in sorted(known) if real.is_relative_to(place.resolve())), None)


def check_hidden(folder: Path) -> None:
    """Refuse a folder for a run or a ladder that bots may read: the seed of all deals is in it."""
    if place := readable_parent(folder):
        raise ArenaError(f"{folder} lies in {place}, which all bots may read; use another folder")
