"""Hand a folder over to a build and take it back without following links."""

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from arena.errors import ArenaError

MAX_DEPTH = 100
"""Folders within folders; each is held open while what is in it is looked at."""


MAX_ENTRIES = 100_000
"""Files, folders and links that a build may make; more take long to count and to copy."""

MIN_FILE_SIZE = 4096
"""Bytes that even an empty file counts for: it takes up room as well."""

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
"""How a folder is opened, and nothing else is."""


class BadBuild(ArenaError):
    """What is wrong with a build, as the rest of a sentence that begins with it."""


class FolderEntry:
    """Something in a folder: where it is, what it is called there, and what it is."""

    def __init__(self, parent_fd: int, name: str, path: str) -> None:
        self.parent_fd, self.name, self.path = parent_fd, name, path
        self.stat = os.stat(name, dir_fd=parent_fd, follow_symlinks=False)

    @property
    def is_folder(self) -> bool:
        """Whether there is more in it."""
        return stat.S_ISDIR(self.stat.st_mode)

    @property
    def is_link(self) -> bool:
        """Whether it leads elsewhere."""
        return stat.S_ISLNK(self.stat.st_mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file, or a further name of one."""
        return stat.S_ISREG(self.stat.st_mode)

    def give_to_user(self, uid: int) -> None:
        """Make it this user's."""
        os.chown(self.name, uid, uid, dir_fd=self.parent_fd, follow_symlinks=False)

    def set_mode(self, mode: int) -> None:
        """Let it be read and run by those whom the mode says; it must not be a link."""
        os.chmod(self.name, mode, dir_fd=self.parent_fd)


def walk_open_folder(
    folder_fd: int, path: str = "", depth: int = 0, *, changing: bool = False
) -> Iterator[FolderEntry]:
    """Everything in an open folder; a folder comes before what is in it."""
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
    """Everything in a folder of ours; while somebody is changing it, what is still there."""
    opened = os.open(folder, FOLDER_FLAGS)
    try:
        yield from walk_open_folder(opened, changing=changing)
    finally:
        os.close(opened)


def give_to_user(folder: Path, uid: int) -> None:
    """Make a folder with all that is in it this user's."""
    for entry in walk_folder(folder):
        entry.give_to_user(uid)
    os.chown(folder, uid, uid, follow_symlinks=False)


def take_back(folder: Path, visible: tuple[str, ...]) -> None:
    """Make a folder ours again and readable by all; it has to hold nothing but what bots may."""
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 0, 0, follow_symlinks=False)
    folder.chmod(0o755)
    for entry in walk_folder(folder):
        if not (entry.is_folder or entry.is_link or entry.is_file):
            raise BadBuild(f"has left {entry.path}, which is neither a file, a folder nor a link")
        if root:
            entry.give_to_user(0)
        if entry.is_folder or (entry.is_file and entry.stat.st_mode & stat.S_IXUSR):
            entry.set_mode(0o755)
        elif entry.is_file:
            entry.set_mode(0o644)
    for entry in walk_folder(folder):  # by now all can be read, whatever links lead through
        if entry.is_link and leads_out(folder / entry.path, folder, visible):
            to = os.readlink(entry.name, dir_fd=entry.parent_fd)
            raise BadBuild(f"has left {entry.path}, a link to {to}, out of the bot's folder")


def leads_out(link: Path, folder: Path, visible: tuple[str, ...]) -> bool:
    """Whether a link leads out of a folder, and not to what everybody may read either."""
    target = Path(os.path.realpath(link))
    return not any(target.is_relative_to(top) for top in (str(folder.resolve()), *visible))


def exceeds_size(folder: Path, max_bytes: int) -> bool:
    """Whether a folder that somebody is changing takes up more bytes than this on the disk.

    More files than a build may make are an error.
    """
    taken = 0
    try:
        for number, entry in enumerate(walk_folder(folder, changing=True)):
            if number >= MAX_ENTRIES:
                raise BadBuild(f"made more than {MAX_ENTRIES:,} files and folders")
            taken += max(MIN_FILE_SIZE, entry.stat.st_blocks * 512)
            if taken > max_bytes:
                return True
    except PermissionError as error:
        raise BadBuild(f"has left {error.filename}, a folder that cannot be read") from None
    return False


def remove(folder: Path) -> None:
    """Remove a folder, however deep it is and whatever is forbidden in it."""
    if folder.is_dir():
        for tool in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run(  # noqa: S603 (no link is followed by either)
                [*tool, "--", str(folder)], stderr=subprocess.DEVNULL, check=False
            )
