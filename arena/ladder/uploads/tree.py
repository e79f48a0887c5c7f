"""A folder that is filled from an archive: nothing is written beside it or over anything."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from arena.ladder.uploads.allowance import Allowed, BadArchive, amount, crowded, shown
from arena.ladder.uploads.names import Names, folded

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""How a file is made, and nothing that exists is opened."""

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""How a folder is opened, and nothing else is."""

PROGRAMS = (b"#!", b"\x7fELF")
"""How files begin that are run, where nothing else says so."""


class Taken(NamedTuple):
    """A path that is in use."""

    path: Names
    is_folder: bool


class Tree:
    """An open folder of ours and what was put below it."""

    def __init__(self, root: int, allowed: Allowed) -> None:
        self.root, self.allowed = root, allowed
        self.taken: dict[Names, Taken] = {}
        self.files = 0
        self.size = 0

    def folder(self, path: Names) -> None:
        """Make a folder with all those above it; it may be there already."""
        if self.taken.get(folded(path)) != Taken(path, is_folder=True):
            os.close(self.opened(path))

    def file(self, path: Names, content: Iterator[bytes], *, executable: bool | None) -> None:
        """Write a new file; where nobody knows whether it can be run, its beginning tells."""
        above = self.opened(path[:-1])
        try:
            self.take(path, is_folder=False)
            made = os.open(path[-1], NEW, 0o600, dir_fd=above)
        finally:
            os.close(above)
        with os.fdopen(made, "wb") as file:
            size, first = 0, b""
            for piece in content:
                size += len(piece)
                if size > self.allowed.file:
                    raise BadArchive(
                        f"{joined(path)} is bigger than {amount(self.allowed.file)}; "
                        "make it smaller or leave it out"
                    )
                first = first or piece
                file.write(piece)
            runs = first.startswith(PROGRAMS) if executable is None else executable
            os.fchmod(file.fileno(), 0o755 if runs else 0o644)
        self.files += 1
        self.size += size

    def opened(self, path: Names) -> int:
        """A folder, made with all those above it where they are missing; the caller closes it."""
        here = os.dup(self.root)
        for depth, name in enumerate(path, 1):
            try:
                new = self.take(path[:depth], is_folder=True)
                if new:
                    os.mkdir(name, 0o700, dir_fd=here)
                inner = os.open(name, FOLDER, dir_fd=here)
            finally:
                os.close(here)
            here = inner
            if new:
                os.fchmod(here, 0o755)
        return here

    def take(self, path: Names, *, is_folder: bool) -> bool:
        """Whether a path is new; it must not get in the way of another one."""
        key = folded(path)
        other = self.taken.get(key)
        if other is None:
            if len(self.taken) == self.allowed.entries:
                raise crowded(self.allowed.entries)
            self.taken[key] = Taken(path, is_folder)
            return True
        name = joined(path)
        if other.path != path:
            raise BadArchive(
                f"{name} and {joined(other.path)} differ only in case or in how letters "
                "are spelt, which not every disk can keep apart; rename one of them"
            )
        if is_folder != other.is_folder:
            raise BadArchive(f"{name} is both a file and a folder; rename one of them")
        if not is_folder:
            raise BadArchive(f"{name} is in it twice; pack it again with one of them")
        return False


def joined(path: Names) -> str:
    """A path, for people."""
    return shown("/".join(path))
