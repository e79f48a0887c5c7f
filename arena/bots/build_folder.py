"""Give a folder to the user of a build and take it back, without following links."""

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from arena.bots.sandbox.extra_mounts import FOLDER_FLAGS
from arena.errors import ArenaError

MAX_DEPTH = 100
"""Folders within folders; each is kept open while its entries are listed."""

MAX_ENTRIES = 100_000
"""Files, folders and links that a build may make; more take too long to count and copy."""

MIN_FILE_SIZE = 4096
"""Bytes that even an empty file counts for."""


class BadBuild(ArenaError):
    """A build that failed or broke a limit; the message is the rest of a sentence."""


class FolderEntry:
    """An entry of an open folder: its name, its path and its type."""

    def __init__(self, parent_fd: int, name: str, path: str) -> None:
        self.parent_fd, self.name, self.path = parent_fd, name, path
        self.stat = os.stat(name, dir_fd=parent_fd, follow_symlinks=False)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return stat.S_ISDIR(self.stat.st_mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.stat.st_mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.stat.st_mode)

    def give_to_user(self, uid: int) -> None:
        """Make this user its owner."""
        os.chown(self.name, uid, uid, dir_fd=self.parent_fd, follow_symlinks=False)

    def set_mode(self, mode: int) -> None:
        """Set its mode; it must not be a link."""
        os.chmod(self.name, mode, dir_fd=self.parent_fd)


def walk_open_folder(
    folder_fd: int, path: str = "", depth: int = 0, *, changing: bool = False
) -> Iterator[FolderEntry]:
    """All entries of an open folder, at any depth; a folder comes before its entries."""
    if depth > MAX_DEPTH:
        raise BadBuild(f"has left more than {MAX_DEPTH} folders within each other")
    for name in sorted(os.listdir(folder_fd)):
        try:
            entry = FolderEntry(folder_fd, name, f"{path}{name}")
            yield entry
            if entry.is_folder:
                inner = os.open(name, FOLDER_FLAGS, dir_fd=folder_fd)
                try:
                    yield from walk_open_folder(
                        inner, f"{entry.path}/", depth + 1, changing=changing
                    )
                finally:
                    os.close(inner)
        except (FileNotFoundError, NotADirectoryError):
            if not changing:
                raise


def walk_folder(folder: Path, *, changing: bool = False) -> Iterator[FolderEntry]:
    """All entries of a folder; while a build is `changing` it, without those that vanish."""
    opened = os.open(folder, FOLDER_FLAGS)
    try:
        yield from walk_open_folder(opened, changing=changing)
    finally:
        os.close(opened)


def give_to_user(folder: Path, uid: int) -> None:
    """Make this user the owner of a folder and all its entries."""
    for entry in walk_folder(folder):
        entry.give_to_user(uid)
    os.chown(folder, uid, uid, follow_symlinks=False)


def reclaim_folder(folder: Path, visible: tuple[str, ...]) -> None:
    """Take over a folder that a build has written: own it, make it readable, check its entries."""
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, 0, 0, follow_symlinks=False)
    folder.chmod(0o755)
    for entry in walk_folder(folder):
        if not (entry.is_folder or entry.is_link or entry.is_file):
            raise BadBuild(f"has left {entry.path}, which is neither a file, a folder nor a link")
        if is_root:
            entry.give_to_user(0)
        if entry.is_folder or (entry.is_file and entry.stat.st_mode & stat.S_IXUSR):
            entry.set_mode(0o755)
        elif entry.is_file:
            entry.set_mode(0o644)
    for entry in walk_folder(folder):  # now links can be followed through all folders
        if entry.is_link and leads_out(folder / entry.path, folder, visible):
            to = os.readlink(entry.name, dir_fd=entry.parent_fd)
            raise BadBuild(f"has left {entry.path}, a link to {to}, out of the bot's folder")


def leads_out(link: Path, folder: Path, visible: tuple[str, ...]) -> bool:
    """Whether a path leads out of a folder, and not into one of the `visible` folders."""
    target = Path(os.path.realpath(link))
    return not any(target.is_relative_to(top) for top in (str(folder.resolve()), *visible))


def exceeds_size(folder: Path, max_bytes: int) -> bool:
    """Whether a folder that a build is changing takes up more than `max_bytes` on the disk.

    More entries than a build may make are an error.
    """
    total = 0
    try:
        for number, entry in enumerate(walk_folder(folder, changing=True)):
            if number >= MAX_ENTRIES:
                raise BadBuild(f"made more than {MAX_ENTRIES:,} files and folders")
            total += max(MIN_FILE_SIZE, entry.stat.st_blocks * 512)
            if total > max_bytes:
                return True
    except PermissionError as error:
        raise BadBuild(f"has left {error.filename}, a folder that cannot be read") from None
    return False


def remove_folder(folder: Path) -> None:
    """Remove a folder, however deep it is and whatever the modes in it are."""
    if folder.is_dir():
        for tool in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run(  # noqa: S603 (neither follows links)
                [*tool, "--", str(folder)], stderr=subprocess.DEVNULL, check=False
            )
