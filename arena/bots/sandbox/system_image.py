"""Copies in memory of the programs and libraries that bots see.

On a disk it matters whether a file was read before: what is in the page cache is read a hundred
times as fast, and a missing name is reported sooner if it was looked up before. So a bot could read
some files of /usr and not others, and a later process could measure which ones. Files in memory are
always equally fast.

Every folder or file that bots see has its own copy below /dev/shm. A copy is made once, used by all
runs of the same user, and replaced when the original has changed. It stays until the machine
restarts or a user removes it.
"""

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

from arena.bots.sandbox.limits import MIB
from arena.errors import ArenaError
from arena.file_lock import FileLock

SHM = Path("/dev/shm")  # noqa: S108 (our folder there is private)
RECHECK_AFTER = 600.0
"""Seconds after which a copy of a large folder is compared with its original again."""

MEMORY_DIVISOR = 3
"""A copy may take at most one part in so many of the available memory."""

BUILD_ONLY_FILES: Final = ("*.a", "*.o", "*.la", "*.h")
"""Names of files that only builds need."""

OMITTED_PATHS: Final[dict[str, tuple[str, ...]]] = {
    "/usr": (
        "games",
        "include",
        "libexec",
        "sbin",
        "src",
        "lib/apt",
        "lib/chromium*",
        "lib/debug",
        "lib/docker",
        "lib/dpkg",
        "lib/file",
        "lib/firefox*",
        "lib/firmware",
        "lib/gcc",
        "lib/ghc",
        "lib/git-core",
        "lib/go*",
        "lib/libreoffice",
        "lib/llvm*",
        "lib/modules",
        "lib/node_modules",
        "lib/openssh",
        "lib/postgresql",
        "lib/rustlib",
        "lib/snapd",
        "lib/systemd",
        "lib/*/dri",
        "lib/*/gprofng",
        "lib/*/gstreamer*",
        "lib/*/gtk-*",
        "lib/*/ldscripts",
        "lib/*/libLLVM*",
        "lib/*/libclang*",
        "lib/*/libwebkit*",
        "lib/*/qt*",
        "lib/*/security",
        "lib/*/systemd",
        "lib/*/valgrind",
        "lib/jvm/*/demo",
        "lib/jvm/*/jmods",
        "lib/jvm/*/legal",
        "lib/jvm/*/man",
        "lib/jvm/*/src.zip",
        "lib/jvm/*/lib/src.zip",
        "local/go",
        "local/include",
        "local/src",
        "share/doc*",
        "share/fonts",
        "share/gtk*",
        "share/help",
        "share/i18n",
        "share/icons",
        "share/info",
        "share/locale",
        "share/man",
        "share/themes",
        "share/vim",
        "share/cmake*",
    ),
}
"""Parts of a folder that are not copied, since no bot needs them to play."""

PYTHON_OMITTED_PATHS: Final = (
    "share/doc",
    "share/man",
    "lib/python*/test",
    "lib/python*/idlelib",
    "lib/python*/config-*",
    "lib/python*/site-packages/chromium*",
    "lib/python*/site-packages/mypy*",
    "lib/python*/site-packages/*__mypyc*",
    "lib/python*/site-packages/pip",
    "lib/python*/site-packages/playwright",
    "lib/python*/site-packages/ruff*",
)
"""The same for the Python that bots run on."""


class SystemLocation(StrEnum):
    """Where the programs and libraries that bots see are stored."""

    HOST = "host"
    """On the disk of the machine."""
    MEMORY = "memory"
    """In memory."""
    AUTO = "auto"
    """In memory, if there is enough of it."""


class ImageUnavailable(ArenaError):
    """A copy in memory cannot be made on this machine."""


@dataclass(frozen=True)
class ImageItem:
    """A folder, file or link that is copied."""

    path: str
    """Its path below the top; empty for the top itself."""
    mode: int
    size: int
    mtime: int
    inode: int


def image_items(top: Path) -> Iterator[ImageItem]:
    """The items of a folder or file that are copied; a folder comes before its entries."""
    patterns = omitted_patterns(top)
    pending = [""]
    while pending:
        inner = pending.pop()
        path = f"{top}/{inner}" if inner else str(top)
        found = os.lstat(path)
        yield ImageItem(inner, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino)
        if stat.S_ISDIR(found.st_mode):
            try:
                names = os.listdir(path)  # noqa: PTH208 (only names are needed)
            except PermissionError:
                continue
            for name in names:
                within = f"{inner}/{name}" if inner else name
                if not any(fnmatchcase(within, each) for each in patterns) and not any(
                    name.endswith(each[1:]) for each in BUILD_ONLY_FILES
                ):
                    pending.append(within)


def omitted_patterns(top: Path) -> tuple[str, ...]:
    """The patterns of the parts of a folder that are not copied."""
    found = list(OMITTED_PATHS.get(str(top), ()))
    for prefix in python_prefixes():
        if top.parent == prefix:
            begins = f"{top.name}/"
            known = list(PYTHON_OMITTED_PATHS)
            if prefix != Path(sys.prefix).resolve():
                # A virtual environment does not see the packages of its base Python.
                known.append("lib/python*/site-packages")
            found += [each.removeprefix(begins) for each in known if each.startswith(begins)]
    return tuple(found)


def python_prefixes() -> set[Path]:
    """The prefixes of the Python that bots run on."""
    return {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}


@cache
def copy_into_memory(path: str) -> str:
    """The path of a copy in memory, made if there is none or the original has changed."""
    top = Path(path).resolve()
    if not top.exists():
        return path
    folder = create_copies_folder()
    kind = hashlib.sha256(str(top).encode()).hexdigest()[:16]
    try:
        with FileLock(folder / f"{kind}.lock", create_mode=0o666, wait=True):
            checked = recently_checked_copy(folder, kind) if is_large(top) else None
            copy = checked or find_or_make_copy(folder, kind, top)
            copy_locks.append(FileLock(copy / "in-use", shared=True, wait=True))
            remove_unused(folder, copy)
    except OSError as error:
        raise ImageUnavailable(f"{path} cannot be copied into memory: {error.strerror}") from error
    return str(copy / "files")


def is_large(top: Path) -> bool:
    """Whether a folder takes long to compare with its copy; such folders hardly ever change."""
    return str(top) in OMITTED_PATHS or top.parent in python_prefixes()


def create_copies_folder() -> Path:
    """The folder of our copies, which no other user can write to."""
    if os.statvfs(SHM).f_flag & os.ST_NOEXEC:
        raise ImageUnavailable(f"programs in {SHM} cannot be run: it is mounted with 'noexec'")
    folder = SHM / f"stichkampf-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(0o755)
        folder.chmod(0o755)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise ImageUnavailable(f"{folder} belongs to somebody else; remove it")
    return folder


def list_copies(folder: Path, kind: str) -> list[Path]:
    """The copies of an original, or of all originals for `*`."""
    return [copy for copy in folder.glob(f"{kind}-*") if copy.is_dir()]


def recently_checked_copy(folder: Path, kind: str) -> Path | None:
    """The copy that was compared with its original recently, if there is one."""
    for copy in list_copies(folder, kind):
        if 0 <= time.time() - copy.stat().st_mtime < RECHECK_AFTER:
            return copy
    return None


def find_or_make_copy(folder: Path, kind: str, top: Path) -> Path:
    """The copy of an original in its present state, made if there is none."""
    found = list(image_items(top))
    digest = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
    copy = folder / f"{kind}-{digest}"
    if copy.is_dir():
        os.utime(copy)
        return copy
    size = sum(item.size for item in found if stat.S_ISREG(item.mode))
    check_memory(top, size)
    unfinished = folder / f"{kind}.new"
    if unfinished.exists():  # of a process that was killed, since we hold the lock
        shutil.rmtree(unfinished)
    unfinished.mkdir(0o755)
    write_copy(found, top, unfinished / "files")
    (unfinished / "in-use").touch()
    (unfinished / "original").write_text(str(top))
    unfinished.chmod(0o755)
    unfinished.rename(copy)
    return copy


def check_memory(top: Path, size: int) -> None:
    """Raise an error if a copy would take too much of the memory."""
    room = os.statvfs(SHM)
    free = min(room.f_bavail * room.f_frsize, available_memory() // MEMORY_DIVISOR)
    if size > free:
        raise ImageUnavailable(
            f"a copy of {top} takes {size // MIB} MiB of memory, and no more than {free // MIB} "
            "MiB can be spared: set 'system: host'"
        )


def available_memory() -> int:
    """Bytes of memory that are available to programs."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


def write_copy(items: list[ImageItem], top: Path, target_top: Path) -> None:
    """Copy these items, except those that cannot be read."""
    known: dict[int, Path] = {}
    for item in items:
        source, target = (
            (top / item.path, target_top / item.path) if item.path else (top, target_top)
        )
        if stat.S_ISDIR(item.mode):
            target.mkdir()
            target.chmod(0o755)
        elif stat.S_ISLNK(item.mode):
            target.symlink_to(source.readlink())
        elif stat.S_ISREG(item.mode):
            if first := known.get(item.inode):
                os.link(first, target)
                continue
            with suppress(PermissionError):
                shutil.copyfile(source, target)
                target.chmod(0o755 if item.mode & stat.S_IXUSR else 0o644)
                os.utime(target, ns=(item.mtime, item.mtime))
                known[item.inode] = target


copy_locks: list[FileLock] = []
"""Locks on the copies that this process uses, which no process removes until this one ends."""


def remove_unused(folder: Path, current: Path) -> None:
    """Remove copies that no process uses, if their original has changed or is gone."""
    kind = current.name.partition("-")[0]
    for copy in list_copies(folder, "*"):
        outdated = copy != current and copy.name.startswith(f"{kind}-")
        with suppress(OSError):  # it is in use, or another process removes it
            if outdated or not Path((copy / "original").read_text()).exists():
                with FileLock(copy / "in-use"):
                    shutil.rmtree(copy)
