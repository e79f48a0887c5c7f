"""Bundles: a bot as bytes that travel, the same for the same bot, and a bot again elsewhere."""

import gzip
import os
import tarfile
from collections.abc import Collection, Iterable
from io import BytesIO
from pathlib import Path
from typing import IO

from arena.bots.contents import content_of, digest, files
from arena.errors import BadBot, HarnessFailure


def pack(bot: Path, ignored: Collection[str] = ()) -> bytes:
    """A bot, a folder or a script, as bytes; links that lead out of it cannot travel."""
    packed = BytesIO()
    try:
        parts = list(files(bot, ignored)) if bot.is_dir() else [bot]
        for part in parts:
            if part.is_symlink() and leads_away(part, bot):
                raise BadBot(f"{part} leads out of the bot; put the file itself in its place")
        write(parts, bot if bot.is_dir() else bot.parent, packed)
    except OSError as error:
        raise BadBot(f"{error.filename}: {error.strerror}") from error
    return packed.getvalue()


def leads_away(link: Path, bot: Path) -> bool:
    """Whether a link leads out of the folder that a bot is."""
    to = link.readlink()
    if to.is_absolute() or not bot.is_dir():
        return True
    inside = Path(os.path.normpath(link.parent.relative_to(bot) / to))
    return inside.parts[:1] == (os.pardir,)


def write(parts: Iterable[Path], top: Path, raw: IO[bytes]) -> None:
    """Write files as an archive in which nothing tells where, when and by whom it was made."""
    with (
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as archive,
    ):
        for part in parts:
            kind, content = content_of(part)
            entry = tarfile.TarInfo(str(part.relative_to(top)))
            entry.mode = 0o755 if kind == b"program" else 0o644
            if kind == b"link":
                entry.type = tarfile.SYMTYPE
                entry.linkname = os.fsdecode(content)
                archive.addfile(entry)
            else:
                entry.size = len(content)
                archive.addfile(entry, BytesIO(content))


def unpack(bundle: bytes, folder: Path, hashed: str) -> None:
    """Fill an empty folder from a bundle; what comes out has to have the hash that was said."""
    try:
        with tarfile.open(fileobj=BytesIO(bundle), mode="r:gz") as archive:
            archive.extractall(folder, filter="data")
    except (tarfile.TarError, EOFError, OSError) as error:
        raise HarnessFailure(f"a bundle cannot be unpacked into {folder}: {error}") from error
    inner = list(folder.iterdir())
    alone = len(inner) == 1 and inner[0].is_file()
    if digest(folder) != hashed and not (alone and digest(inner[0]) == hashed):
        raise HarnessFailure(f"a bundle holds something else than the bot {hashed[:12]}")
