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
from arena.reference import REFERENCE_BOTS, SPECIFICATION

ROOT_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders at the top of the file system, often links into /usr."""

JAVA_PATTERN = "java-*"
"""Folders of /etc in which Java keeps its settings."""

PROGRAM_FOLDERS = ("bin", "sbin")

PYTHON_PARTS = ("bin", "include", "lib", "lib32", "lib64", "libexec", "share", "ssl", "pyvenv.cfg")
"""The parts of a Python installation; bots see nothing else in its folder."""

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Folders of the system that all bots may read, as far as they exist."""

SHARED_FOLDERS = ("/home", "/opt", "/srv")
"""Folders that hold the files of several users."""

FIRST_PERSONAL_UID = 1000
"""Lower user ids are those of system services, except root's."""

PRIVATE_FILES = frozenset({"run.db", "ladder.yaml"})
"""Files that mark a folder as a run or a ladder."""
MAX_DEPTH = 3
"""Depth to which a folder is searched for these files."""


class SandboxUnavailable(ArenaError):
    """The requested sandbox cannot be created on this machine."""


@cache
def detect_support() -> SandboxSupport:
    """What this machine offers for a sandbox; a missing program is an error with a hint."""
    architecture = platform.machine()
    if platform.system() != "Linux" or architecture not in ARCHITECTURES:
        raise SandboxUnavailable("the sandbox needs Linux on x86_64 or aarch64")
    bubblewrap = shutil.which("bwrap")
    if not bubblewrap:
        raise SandboxUnavailable(
            "the sandbox needs bubblewrap: run 'apt install bubblewrap' as root"
        )
    setpriv = shutil.which("setpriv")
    is_root = os.geteuid() == 0
    if is_root and not setpriv:
        raise SandboxUnavailable("the sandbox needs setpriv: run 'apt install util-linux' as root")
    top = [Path("/", name) for name in ROOT_FOLDERS]
    etc = Path("/etc")
    settings = [etc / name for name in ETC_NAMES] + sorted(etc.glob(JAVA_PATTERN))
    return SandboxSupport(
        bubblewrap=bubblewrap,
        architecture=architecture,
        is_root=is_root,
        setpriv=setpriv or "",
        links=tuple((str(path), str(path.readlink())) for path in top if path.is_symlink()),
        program_folders=(
            "/usr",
            *(str(path) for path in top if path.is_dir() and not path.is_symlink()),
        ),
        etc_paths=tuple(map(str, settings)),
    )


def required_paths(
    argv: tuple[str, ...], folders: tuple[str, ...], bot_path: Path | None = None
) -> tuple[str, ...]:
    """The paths that the program of a command line needs besides its own folder and the system."""
    started = Path(argv[0])
    if bot_path is not None and started.resolve().is_relative_to(bot_path.resolve()):
        return ()
    needed = python_paths() if argv[0] == sys.executable else {install_prefix(started.resolve())}
    outside = {path for path in needed if not any(path.is_relative_to(top) for top in folders)}
    return tuple(sorted(str(path) for path in outside if not outside & set(path.parents)))


def python_paths() -> set[Path]:
    """The Python we run on, what is installed in it, and this program with its reference bots."""
    package = Path(arena.__file__).parent
    parts = {Path(top, part) for top in (sys.prefix, sys.base_prefix) for part in PYTHON_PARTS}
    beside = {REFERENCE_BOTS.resolve(), SPECIFICATION.resolve()}
    return {*filter(Path.exists, parts), package, package.resolve(), *beside}


def install_prefix(program: Path) -> Path:
    """The prefix that a program is installed in; the program itself if bots may not see that."""
    prefix = program.parent.parent
    if program.parent.name not in PROGRAM_FOLDERS or any(
        map(program.is_relative_to, SYSTEM_FOLDERS)
    ):
        return program
    return program if is_private(prefix) else prefix


@cache
def is_private(folder: Path) -> bool:
    """Whether a folder is in or above a home, our cache, a run or a ladder."""
    known = home_folders()
    hidden = folder.parent in known and folder.name.startswith(".")  # such as ~/.local
    ours = cache_folder()
    held = any(path.is_relative_to(folder) for path in (*known, *map(Path, SHARED_FOLDERS), ours))
    within = folder.is_relative_to(ours)
    return hidden or held or within or any(PRIVATE_FILES & {*names} for names in walk_names(folder))


def home_folders() -> set[Path]:
    """The homes of all personal users of this machine, and of root."""
    users = (one for one in pwd.getpwall() if one.pw_uid == 0 or one.pw_uid >= FIRST_PERSONAL_UID)
    found = {Path(one.pw_dir) for one in users} | {Path("/root")}
    if own := os.environ.get("HOME"):
        found.add(Path(own))
    return {home for home in found if home.is_absolute() and home != Path("/")}


def cache_folder() -> Path:
    """The folder in the user's home for builds and bots from other machines."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "stichkampf"


def walk_names(folder: Path) -> Iterator[list[str]]:
    """The names of the files in a folder and in its sub-folders down to `MAX_DEPTH`."""
    for place, below, names in os.walk(folder):
        yield names
        if len(Path(place).relative_to(folder).parts) >= MAX_DEPTH:
            below.clear()


def readable_parent(folder: Path) -> Path | None:
    """The path that bots may read and that this folder is in, if there is one."""
    real = Path(os.path.realpath(folder))
    known = {*map(Path, SYSTEM_FOLDERS), *python_paths()}
    return next((place for place in sorted(known) if real.is_relative_to(place.resolve())), None)


def check_hidden(folder: Path) -> None:
    """Reject a folder for a run or a ladder that bots may read, since it holds the seed."""
    if place := readable_parent(folder):
        raise ArenaError(f"{folder} lies in {place}, which all bots may read; use another folder")
