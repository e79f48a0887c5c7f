"""Archives: an upload made a folder as if its author were an enemy, and a bot made an upload."""

import logging
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

import msgspec
from msgspec import Struct

from arena.bots.bare import FIND, PACKAGES
from arena.bots.bundle import write
from arena.bots.contents import files
from arena.bots.manifest import FILE
from arena.errors import ArenaError, BadBot, HarnessFailure
from arena.ladder.uploads.allowance import USUAL, Allowed, BadArchive, amount, shown
from arena.ladder.uploads.unpacking import NAME, Answer, Order
from arena.printable import printable, short

__all__ = ["Allowed", "BadArchive", "Unpacked", "pack", "unpack"]

LOG = logging.getLogger(__name__)

CHILD = "from arena.ladder.uploads.unpacking import main; main()"

YARD = ".unpacking-"
"""How the names begin of folders that are being filled; one is left if we are killed."""

SIMPLER = "pack the bot's folder simply, as zip or tar.gz"

LONGEST = 4096
"""Bytes of the longest answer."""

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
UPLOAD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
"""How an upload is opened; a pipe in its place would not be waited for."""


class Unpacked(Struct, frozen=True):
    """What an upload was."""

    kind: str
    """`zip`, `tar`, `tar.gz`, `tar.bz2`, `tar.xz` or `script`."""
    files: int
    size: int
    """Bytes of all files."""
    script: str = ""
    """The name of the only file, unless that is a manifest: it has to be the bot."""


def unpack(file: Path, name: str, folder: Path, allowed: Allowed = USUAL) -> Unpacked:
    """Make a folder of an upload with this name, or leave nothing there."""
    named = shown(name)
    if folder.is_symlink() or folder.exists():
        raise ArenaError(f"{folder} exists already; name a folder that does not")
    script = re.split(r"[/\\]", name)[-1]
    script = script if NAME.fullmatch(script) else ""
    try:
        with TemporaryDirectory(prefix=YARD, dir=folder.parent, ignore_cleanup_errors=True) as yard:
            made = Path(yard) / "bot"
            made.mkdir()
            made.chmod(0o755)
            answer = delegated(file, script, made, allowed)
            if answer.refused:
                raise BadArchive(f"{named}: {printable(short(answer.refused, LONGEST))}")
            if answer.failed:
                raise HarnessFailure(f"{named} cannot be unpacked here: {printable(answer.failed)}")
            bot, inner = made, list(made.iterdir())
            if len(inner) == 1 and stat.S_ISDIR(inner[0].lstat().st_mode):  # people pack folders
                bot, inner = inner[0], list(inner[0].iterdir())
            alone = len(inner) == 1 and inner[0].is_file() and inner[0].name != FILE
            bot.rename(folder)
    except OSError as error:
        where = f"{error.filename}: {error.strerror}"
        raise HarnessFailure(f"{named} cannot be unpacked here: {where}") from error
    return Unpacked(answer.kind, answer.files, answer.size, inner[0].name if alone else "")


def delegated(file: Path, script: str, made: Path, allowed: Allowed) -> Answer:
    """What another process answers that is to unpack a file."""
    folder = os.open(made, FOLDER)
    try:
        with (
            os.fdopen(os.open(file, UPLOAD), "rb", buffering=0) as upload,
            TemporaryFile() as said,
            TemporaryFile() as cried,
        ):
            found = os.fstat(upload.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ArenaError(f"{file} is not a plain file; name one")
            if found.st_size > allowed.size:
                return Answer(refused=f"it is bigger than {amount(allowed.size)}; make it smaller")
            order = msgspec.json.encode(Order(folder, script, allowed, os.getpid())).decode()
            child = subprocess.Popen(  # noqa: S603 (it is our own)
                [sys.executable, "-I", "-c", FIND + CHILD, order, PACKAGES],
                stdin=upload,
                stdout=said,
                stderr=cried,
                pass_fds=[folder],
                start_new_session=True,
                env={},
            )
            try:
                child.wait(allowed.seconds)
            except subprocess.TimeoutExpired:
                return Answer(
                    refused=f"unpacking it took longer than {allowed.seconds} s; {SIMPLER}"
                )
            finally:
                child.kill()
                child.wait()
            return answered(child.returncode, said, cried)
    finally:
        os.close(folder)


def answered(status: int, said: IO[bytes], cried: IO[bytes]) -> Answer:
    """What a process has answered that has ended, if it has."""
    if status == -signal.SIGXCPU:
        return Answer(refused=f"unpacking it took too much computing; {SIMPLER}")
    if status < 0:
        return Answer(refused=f"unpacking it was stopped by signal {-status}; {SIMPLER}")
    said.seek(0)
    answer = said.read(LONGEST + 1)
    try:
        if status == 0 and len(answer) <= LONGEST:
            return msgspec.json.decode(answer, type=Answer)
    except msgspec.DecodeError:
        pass
    cried.seek(0)
    error = cried.read(LONGEST).decode(errors="replace")
    LOG.error("the process that unpacks ended with %d: %s", status, printable(error))
    return Answer(refused=f"it cannot be unpacked; {SIMPLER}")


def pack(bot: Path, file: Path, ignored: Collection[str] = ()) -> None:
    """Write a bot, a folder or a script, as an archive: the same bytes for the same bot."""
    try:
        if file.resolve().is_relative_to(bot.resolve()):
            raise BadBot(f"{file} is a part of the bot {bot}; write the archive elsewhere")
        parts = list(files(bot, ignored)) if bot.is_dir() else [bot]
        if not parts:
            raise BadBot(f"{bot} is empty; name the folder of a bot")
        for part in parts:
            if part.is_symlink():
                raise BadBot(f"{part} is a link; put the file itself in its place")
        with file.open("wb") as raw:
            try:
                write(parts, bot if bot.is_dir() else bot.parent, raw)
            except BaseException:
                file.unlink()
                raise
    except OSError as error:
        raise BadBot(f"{error.filename}: {error.strerror}") from error
