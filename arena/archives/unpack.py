"""Unpack an uploaded archive into a bot's folder, and pack a bot into an archive."""

import logging
import os
import re
import signal
import stat
import subprocess
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

import msgspec
from msgspec import Struct

from arena.archives.limits import (
    DEFAULT_LIMITS,
    BadArchive,
    UnpackLimits,
    format_bytes,
    printable_name,
)
from arena.archives.unpack_child import SCRIPT_NAME, UnpackOrder, UnpackResult
from arena.bots.bootstrap import python_argv
from arena.bots.bundle import write_archive
from arena.bots.digest import bot_files
from arena.bots.manifest import MANIFEST_FILE
from arena.bots.sandbox.extra_mounts import FOLDER_FLAGS
from arena.errors import ArenaError, BadBot, HarnessFailure
from arena.sanitize import cut_middle, printable

LOG = logging.getLogger(__name__)

CHILD_CODE = "from arena.archives.unpack_child import main; main()"

TEMP_PREFIX = ".unpacking-"
"""How the names begin of folders that are being filled; one is left if we are killed."""

REPACK_HINT = "pack the bot's folder simply, as zip or tar.gz"

MAX_ANSWER_BYTES = 4096
"""Bytes of the longest answer."""

UPLOAD_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
"""How an upload is opened; a pipe in its place would not be waited for."""


class UnpackedUpload(Struct, frozen=True):
    """What an upload was."""

    kind: str
    """`zip`, `tar`, `tar.gz`, `tar.bz2`, `tar.xz` or `script`."""
    files: int
    size: int
    """Bytes of all files."""
    script: str = ""
    """The name of the only file, unless that is a manifest: it has to be the bot."""


def unpack_upload(
    file: Path, name: str, folder: Path, limits: UnpackLimits = DEFAULT_LIMITS
) -> UnpackedUpload:
    """Unpack an upload with this name into a new folder, which exists only if all went well."""
    shown_name = printable_name(name)
    if folder.is_symlink() or folder.exists():
        raise ArenaError(f"{folder} exists already; name a folder that does not")
    script = re.split(r"[/\\]", name)[-1]
    script = script if SCRIPT_NAME.fullmatch(script) else ""
    try:
        with TemporaryDirectory(
            prefix=TEMP_PREFIX, dir=folder.parent, ignore_cleanup_errors=True
        ) as temp:
            target = Path(temp) / "bot"
            target.mkdir()
            target.chmod(0o755)
            answer = run_child(file, script, target, limits)
            if answer.rejection:
                raise BadArchive(
                    f"{shown_name}: {printable(cut_middle(answer.rejection, MAX_ANSWER_BYTES))}"
                )
            if answer.failure:
                raise HarnessFailure(
                    f"{shown_name} cannot be unpacked here: {printable(answer.failure)}"
                )
            bot, inner = target, list(target.iterdir())
            if len(inner) == 1 and stat.S_ISDIR(inner[0].lstat().st_mode):  # people pack folders
                bot, inner = inner[0], list(inner[0].iterdir())
            is_single_file = (
                len(inner) == 1 and inner[0].is_file() and inner[0].name != MANIFEST_FILE
            )
            bot.rename(folder)
    except OSError as error:
        where = f"{error.filename}: {error.strerror}"
        raise HarnessFailure(f"{shown_name} cannot be unpacked here: {where}") from error
    return UnpackedUpload(
        answer.kind, answer.files, answer.size, inner[0].name if is_single_file else ""
    )


def run_child(file: Path, script: str, target: Path, limits: UnpackLimits) -> UnpackResult:
    """Unpack a file in a child process; return its result."""
    folder = os.open(target, FOLDER_FLAGS)
    try:
        with (
            os.fdopen(os.open(file, UPLOAD_FLAGS), "rb", buffering=0) as upload,
            TemporaryFile() as output,
            TemporaryFile() as errors,
        ):
            found = os.fstat(upload.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ArenaError(f"{file} is not a plain file; name one")
            if found.st_size > limits.size:
                return UnpackResult(
                    rejection=f"it is bigger than {format_bytes(limits.size)}; make it smaller"
                )
            order = msgspec.json.encode(UnpackOrder(folder, script, limits, os.getpid())).decode()
            child = subprocess.Popen(  # noqa: S603 (it is our own)
                python_argv(CHILD_CODE, order, options=["-I"]),
                stdin=upload,
                stdout=output,
                stderr=errors,
                pass_fds=[folder],
                start_new_session=True,
                env={},
            )
            try:
                child.wait(limits.seconds)
            except subprocess.TimeoutExpired:
                return UnpackResult(
                    rejection=f"unpacking it took longer than {limits.seconds} s; {REPACK_HINT}"
                )
            finally:
                child.kill()
                child.wait()
            return read_answer(child.returncode, output, errors)
    finally:
        os.close(folder)


def read_answer(status: int, output: IO[bytes], errors: IO[bytes]) -> UnpackResult:
    """Return the result that an ended child process has written, or an error for the sender."""
    if status == -signal.SIGXCPU:
        return UnpackResult(rejection=f"unpacking it took too much computing; {REPACK_HINT}")
    if status < 0:
        return UnpackResult(
            rejection=f"unpacking it was stopped by signal {-status}; {REPACK_HINT}"
        )
    output.seek(0)
    answer = output.read(MAX_ANSWER_BYTES + 1)
    try:
        if status == 0 and len(answer) <= MAX_ANSWER_BYTES:
            return msgspec.json.decode(answer, type=UnpackResult)
    except msgspec.DecodeError:
        pass
    errors.seek(0)
    error = errors.read(MAX_ANSWER_BYTES).decode(errors="replace")
    LOG.error("the process that unpacks ended with %d: %s", status, printable(error))
    return UnpackResult(rejection=f"it cannot be unpacked; {REPACK_HINT}")


def write_bot_archive(bot: Path, file: Path, ignored: Collection[str] = ()) -> None:
    """Write a bot, a folder or a script, as an archive: the same bytes for the same bot."""
    try:
        if file.resolve().is_relative_to(bot.resolve()):
            raise BadBot(f"{file} is a part of the bot {bot}; write the archive elsewhere")
        parts = list(bot_files(bot, ignored)) if bot.is_dir() else [bot]
        if not parts:
            raise BadBot(f"{bot} is empty; name the folder of a bot")
        for part in parts:
            if part.is_symlink():
                raise BadBot(f"{part} is a link; put the file itself in its place")
        with file.open("wb") as raw:
            try:
                write_archive(parts, bot if bot.is_dir() else bot.parent, raw)
            except BaseException:
                file.unlink()
                raise
    except OSError as error:
        raise BadBot(f"{error.filename}: {error.strerror}") from error
