"""The files that make up a bot, and their digest, which identifies its version."""

import hashlib
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from arena.errors import BadBot

IGNORED_NAMES = frozenset(
    {".git", ".hg", "__pycache__", ".mypy_cache", ".pytest_cache", ".DS_Store"}
)
"""Files and folders that tools leave behind, which are never part of a bot."""

SHORT_DIGITS = 12
"""Digits of a digest that people are shown; versions are compared by all 64."""


def bot_files(folder: Path, ignored: Collection[str] = ()) -> Iterator[Path]:
    """The files and links of a bot's folder, without ignored ones, in a fixed order."""
    for entry in sorted(folder.iterdir()):
        if entry.name in IGNORED_NAMES or entry.name in ignored:
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from bot_files(entry, ignored)
        else:
            yield entry


def make_folders_readable(folder: Path) -> None:
    """Let all users enter a folder and those below: in the sandbox a bot may be another user."""
    for place in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        if not place.is_symlink():
            place.chmod(place.stat().st_mode | 0o055)


def bot_digest(bot: Path, ignored: Collection[str] = ()) -> str:
    """The hash of a script, or of a folder: names, contents and which files are executable."""
    hashed = hashlib.sha256(b"stichkampf-bot-1\0")
    try:
        for file in bot_files(bot, ignored) if bot.is_dir() else [bot]:
            name = str(file.relative_to(bot)) if bot.is_dir() else file.name
            for part in (os.fsencode(name), *kind_and_content(file)):
                hashed.update(len(part).to_bytes(8) + part)
    except OSError as error:
        raise BadBot(f"{error.filename}: {error.strerror}") from error
    return hashed.hexdigest()


def is_same_version(one: str, other: str) -> bool:
    """Whether two digests mean the same version; earlier releases stored only 12 digits."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) == SHORT_DIGITS and long.startswith(short))


def kind_and_content(file: Path) -> tuple[bytes, bytes]:
    """The kind of a file, and its content or the target of a link."""
    mode = file.lstat().st_mode
    if stat.S_ISLNK(mode):
        return b"link", os.fsencode(file.readlink())
    if not stat.S_ISREG(mode):
        raise BadBot(f"{file} is neither a file, a folder nor a link; a bot consists of those")
    return b"program" if mode & 0o111 else b"file", file.read_bytes()
