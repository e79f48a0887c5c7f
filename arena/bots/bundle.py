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
"""What comes of reading something that is no bundle of ours."""


def pack(bot: Path, ignored: Collection[str] = ()) -> bytes:
    """A bot, a folder or a script, as bytes; links that lead out of it lead nowhere elsewhere."""
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
    """Write files as an archive in which nothing tells where, when and by whom it was made."""
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


def unpack(bundle: bytes, folder: Path, digest: str) -> None:
    """Fill an empty folder from a bundle; what comes out has to have the hash that was said."""
    try:
        with tarfile.open(fileobj=BytesIO(bundle), mode="r:gz") as archive:
            for entry in archive:
                extract_entry(archive, entry, folder)
    except READ_ERRORS as error:
        raise HarnessFailure(f"a bundle cannot be unpacked into {folder}: {error}") from error
    inner = list(folder.iterdir())
    alone = len(inner) == 1 and inner[0].is_file()
    if bot_digest(folder) != digest and not (alone and bot_digest(inner[0]) == digest):
        raise HarnessFailure(f"a bundle holds something else than the bot {digest[:SHORT_DIGITS]}")


def extract_entry(archive: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path) -> None:
    """Make a file or a link of an archive; nothing goes through a link, or out of the folder."""
    names = entry.name.split("/")
    if not {"", os.curdir, os.pardir}.isdisjoint(names):
        raise HarnessFailure(f"a bundle names a file {entry.name!r}")
    for name in names[:-1]:
        folder /= name
        if folder.is_symlink():
            raise HarnessFailure(f"a bundle names a file {entry.name!r}, through a link")
        folder.mkdir(exist_ok=True)
    made = folder / names[-1]
    if entry.issym():
        made.symlink_to(entry.linkname)
    elif entry.isreg() and (content := archive.extractfile(entry)):
        with made.open("xb") as file:
            shutil.copyfileobj(content, file)
        made.chmod(entry.mode & 0o755)
    else:
        raise HarnessFailure(f"a bundle holds {entry.name!r}, which is neither a file nor a link")
