"""Check the paths of archive entries and write their files into one folder."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from arena.archives.limits import (
    BadArchive,
    UnpackLimits,
    format_bytes,
    printable_name,
    too_many_entries,
)
from arena.bots import digest
from arena.bots.sandbox.extra_mounts import FOLDER_FLAGS
from arena.sanitize import printable

PathNames = tuple[str, ...]

DRIVE = re.compile(r"[A-Za-z]:")
DEVICES = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9\u00b9\u00b2\u00b3]"
    r"|lpt[0-9\u00b9\u00b2\u00b3])[ ]*(\.|\Z)",
    re.IGNORECASE,
)
"""Names of devices, which Windows takes for them with any ending."""
RESERVED = frozenset('<>:"|?*')
"""Characters that a file name may not have on Windows; a colon names a hidden part of a file."""
MACOS_FOLDER = "__MACOSX"
MACOS_PREFIX = "._"
"""How the names begin of what a Macintosh puts beside files in archives."""


def parse_path(raw: bytes, limits: UnpackLimits) -> PathNames:
    """Split an entry's name into the names of its path; empty for the top itself."""
    if len(raw) > limits.path:
        raise BadArchive(
            f"the path {raw_name_text(raw)} is longer than {limits.path} bytes; shorten it"
        )
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        raise BadArchive(f"the name {raw_name_text(raw)} is not UTF-8; rename that file") from None
    if name in {".", "./"}:
        return ()
    path = tuple(name.removeprefix("./").removesuffix("/").split("/"))
    if not all(map(is_printable, path)):
        raise BadArchive(
            f"the name {raw_name_text(raw)} holds characters that do not show; rename it"
        )
    if "\\" in name:
        raise BadArchive(
            f"there is a backslash in {raw_name_text(raw)}; use a program that writes '/'"
        )
    if name.startswith("/") or DRIVE.match(path[0]):
        raise BadArchive(
            f"{raw_name_text(raw)} is an absolute path; pack it relative to the bot's folder"
        )
    if ".." in path:
        raise BadArchive(
            f"{raw_name_text(raw)} leads out of the bot's folder; pack that folder only"
        )
    if "" in path or "." in path:
        raise BadArchive(
            f"an entry is called {raw_name_text(raw)!r}, which names no file; pack it again"
        )
    if len(path) > limits.depth:
        raise BadArchive(
            f"{raw_name_text(raw)} is more than {limits.depth} folders deep; flatten it"
        )
    if any(len(part.encode()) > limits.name for part in path):
        raise BadArchive(
            f"a name in {raw_name_text(raw)} is longer than {limits.name} bytes; shorten it"
        )
    return path


def raw_name_text(raw: bytes) -> str:
    """A name, for people."""
    return printable_name(raw.decode(errors="replace"))


@lru_cache(1 << 16)
def is_printable(part: str) -> bool:
    """Whether a name shows as it is."""
    return printable(part) == part


def check_portable(path: PathNames) -> None:
    """Refuse a path that other systems cannot keep, for people who download it there."""
    if not all(map(is_portable, path)):
        name = printable_name("/".join(path))
        raise BadArchive(f"{name} is a name that not every system can keep; rename it")


@lru_cache(1 << 16)
def is_portable(part: str) -> bool:
    """Whether other systems can keep a file by this name, and no other one by mistake."""
    ends_well = not part.endswith((".", " "))
    return ends_well and RESERVED.isdisjoint(part) and not DEVICES.match(part)


def is_tool_file(path: PathNames) -> bool:
    """Whether tools have left it behind, and no bot needs it."""
    return any(
        part in digest.IGNORED_NAMES or part == MACOS_FOLDER or part.startswith(MACOS_PREFIX)
        for part in path
    )


def fold_path(path: PathNames) -> PathNames:
    """The same for all paths that some file system takes for one."""
    return tuple(map(fold_name, path))


@lru_cache(1 << 16)
def fold_name(part: str) -> str:
    """The same for all names that differ only in case or in how letters are spelt."""
    return normalize("NFKC", normalize("NFKC", part).casefold())


NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""Creates a file, and fails if the path exists."""

PROGRAM_STARTS = (b"#!", b"\x7fELF")
"""How files begin that are run, where nothing else says so."""


class ExtractedPath(NamedTuple):
    """A path that is in use."""

    path: PathNames
    is_folder: bool


class ExtractionTree:
    """An open folder that an archive is extracted into, and all paths created in it."""

    def __init__(self, root_fd: int, limits: UnpackLimits) -> None:
        self.root_fd, self.limits = root_fd, limits
        self.paths: dict[PathNames, ExtractedPath] = {}
        self.file_count = 0
        self.total_bytes = 0

    def make_folder(self, path: PathNames) -> None:
        """Make a folder with all those above it; it may be there already."""
        if self.paths.get(fold_path(path)) != ExtractedPath(path, is_folder=True):
            os.close(self.open_folder(path))

    def write_file(
        self, path: PathNames, content: Iterator[bytes], *, is_executable: bool | None
    ) -> None:
        """Write a new file; if `is_executable` is None, its first bytes decide."""
        above = self.open_folder(path[:-1])
        try:
            self.claim_path(path, is_folder=False)
            made = os.open(path[-1], NEW_FILE_FLAGS, 0o600, dir_fd=above)
        finally:
            os.close(above)
        with os.fdopen(made, "wb") as file:
            size, first = 0, b""
            for piece in content:
                size += len(piece)
                if size > self.limits.file:
                    raise BadArchive(
                        f"{path_text(path)} is bigger than {format_bytes(self.limits.file)}; "
                        "make it smaller or leave it out"
                    )
                first = first or piece
                file.write(piece)
            runs = first.startswith(PROGRAM_STARTS) if is_executable is None else is_executable
            os.fchmod(file.fileno(), 0o755 if runs else 0o644)
        self.file_count += 1
        self.total_bytes += size

    def open_folder(self, path: PathNames) -> int:
        """A folder, made with all those above it where they are missing; the caller closes it."""
        here = os.dup(self.root_fd)
        for depth, name in enumerate(path, 1):
            try:
                new = self.claim_path(path[:depth], is_folder=True)
                if new:
                    os.mkdir(name, 0o700, dir_fd=here)
                inner = os.open(name, FOLDER_FLAGS, dir_fd=here)
            finally:
                os.close(here)
            here = inner
            if new:
                os.fchmod(here, 0o755)
        return here

    def claim_path(self, path: PathNames, *, is_folder: bool) -> bool:
        """Whether a path is new; it must not get in the way of another one."""
        key = fold_path(path)
        other = self.paths.get(key)
        if other is None:
            if len(self.paths) == self.limits.entries:
                raise too_many_entries(self.limits.entries)
            self.paths[key] = ExtractedPath(path, is_folder)
            return True
        name = path_text(path)
        if other.path != path:
            raise BadArchive(
                f"{name} and {path_text(other.path)} differ only in case or in how letters "
                "are spelt, which not every disk can keep apart; rename one of them"
            )
        if is_folder != other.is_folder:
            raise BadArchive(f"{name} is both a file and a folder; rename one of them")
        if not is_folder:
            raise BadArchive(f"{name} is in it twice; pack it again with one of them")
        return False


def path_text(path: PathNames) -> str:
    """A path, for people."""
    return printable_name("/".join(path))
