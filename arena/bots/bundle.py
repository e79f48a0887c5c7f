"""Pack a bot into reproducible bytes to send it elsewhere, and unpack it there."""

import gzip
import os
import shutil
import tarfile
import zlib
from collections.abc import Collection, Iterable
from io import BytesIO
from pathlib import Path
from typing import IO

from arena.bots.digest import SHORT_DIGITS, bot_digest, bot_files, kind_and_content
from arena.errors import BadBot, HarnessFailure

READ_ERRORS = (
    tarfile.TarError,
    zlib.error,
    EOFError,
    ValueError,
    FileExistsError,
    NotADirectoryError,
)
"""Errors that reading something else than a bundle can raise."""


def pack_bot(bot: Path, ignored: Collection[str] = ()) -> bytes:
    """Pack a bot, a folder or a script, into bytes; links are packed as links."""
    packed = BytesIO()
    if bot.is_symlink() and not bot.is_dir():
        raise BadBot(f"{bot} is a link; name the file itself")
    try:
        parts = list(bot_files(bot, ignored)) if bot.is_dir() else [bot]
        write_archive(parts, bot if bot.is_dir() else bot.parent, packed)
    except OSError as error:
        raise BadBot(f"{error.filename}: {error.strerror}") from error
    return packed.getvalue()


def write_archive(parts: Iterable[Path], top: Path, raw: IO[bytes]) -> None:
    """Write files as an archive whose bytes depend only on the files."""
    with (
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as archive,
    ):
        for part in parts:
            kind, content = kind_and_content(part)
            entry = tarfile.TarInfo(str(part.relative_to(top)))
            entry.mode = 0o755 if kind == b"program" else 0o644
            if kind == b"link":
                entry.type = tarfile.SYMTYPE
                entry.linkname = os.fsdecode(content)
                archive.addfile(entry)
            else:
                entry.size = len(content)
                archive.addfile(entry, BytesIO(content))


def unpack_bot(bundle: bytes, folder: Path, digest: str) -> None:
    """Unpack a bundle into an empty folder; a digest that differs is an error."""
    try:
        with tarfile.open(fileobj=BytesIO(bundle), mode="r:gz") as archive:
            for entry in archive:
                extract_entry(archive, entry, folder)
    except READ_ERRORS as error:
        raise HarnessFailure(f"a bundle cannot be unpacked into {folder}: {error}") from error
    entries = list(folder.iterdir())
    is_script = len(entries) == 1 and entries[0].is_file()
    if bot_digest(folder) != digest and not (is_script and bot_digest(entries[0]) == digest):
        raise HarnessFailure(f"a bundle holds something else than the bot {digest[:SHORT_DIGITS]}")


def extract_entry(archive: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path) -> None:
    """Extract a file or a link; a path out of the folder or through a link is an error."""
    names = entry.name.split("/")
    if not {"", os.curdir, os.pardir}.isdisjoint(names):
        raise HarnessFailure(f"a bundle names a file {entry.name!r}")
    for name in names[:-1]:
        folder /= name
        if folder.is_symlink():
            raise HarnessFailure(f"a bundle names a file {entry.name!r}, through a link")
        folder.mkdir(exist_ok=True)
    target = folder / names[-1]
    if entry.issym():
        target.symlink_to(entry.linkname)
    elif entry.isreg() and (content := archive.extractfile(entry)):
        with target.open("xb") as file:
            shutil.copyfileobj(content, file)
        target.chmod(entry.mode & 0o755)
    else:
        raise HarnessFailure(f"a bundle holds {entry.name!r}, which is neither a file nor a link")
