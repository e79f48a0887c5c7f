"""Submit a bot to a ladder, in its folder or over the network."""

import os
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from arena.archives.unpack import write_bot_archive
from arena.bots.interpreters import INTERPRETER_OF_SUFFIX
from arena.bots.manifest import MANIFEST_FILE, load_manifest
from arena.errors import ArenaError, BadBot
from arena.ladder.folder import open_ladder, upgrade_ladder
from arena.ladder.models import SubmissionMessage, SubmissionState
from arena.ladder.registry import Registry
from arena.ladder.submissions.client import LadderClient
from arena.ladder.submissions.intake import Intake
from arena.ladder.submissions.pipeline import MessageCallback
from arena.ladder.submissions.worker import lock_submission, process_submission, remove_leftovers
from arena.store.run import Run

READ_SIZE: Final = 1 << 16


@dataclass(frozen=True)
class SubmissionResult:
    """The result of a submission."""

    state: SubmissionState
    messages: Sequence[SubmissionMessage]
    """The messages about its steps; the last one says why it was accepted or refused."""

    @property
    def is_accepted(self) -> bool:
        """Whether it is a version of the ladder now."""
        return self.state == "accepted"


def submit_bot(  # noqa: PLR0913 (each is a choice of the caller)
    bot: Path,
    folder: Path,
    owner: str,
    *,
    name: str = "",
    message: str = "",
    on_message: MessageCallback = lambda _message: None,
) -> SubmissionResult:
    """Submit a script, a folder or an archive to the ladder in a folder, and process it here.

    It is packed, received, unpacked, built, checked and placed, and then accepted as the next
    version of its `name`, by default the one in `bot.yaml`, or rejected. A rejected or interrupted
    submission leaves no files behind. Raises `BadSubmission` if its owner may not submit it now.
    Call it in the main thread: SIGALRM ends it after its time limit.
    """
    messages = list[SubmissionMessage]()
    add_message = collect_messages(messages, on_message)
    with TemporaryDirectory(prefix="stichkampf-") as temporary:
        file = pack_bot(bot, Path(temporary))
        ladder = open_ladder(folder)
        upgrade_ladder(folder)
        with Run.open(folder) as run:
            ladder.check_settings(run)
        remove_leftovers(ladder)
        with Registry.open(folder) as registry:
            incoming = Intake(folder).begin_upload(registry, owner, file.name, name, message)
            with lock_submission(incoming.folder):  # otherwise a server might process it
                try:
                    with file.open("rb") as stream:
                        while piece := stream.read(READ_SIZE):
                            incoming.write(piece)
                    submission = incoming.finish(registry)
                except BaseException:
                    incoming.discard()
                    raise
                state = process_submission(ladder, submission.id, add_message, is_locked=True)
    return SubmissionResult(state, messages)


def submit_to_server(
    bot: Path,
    client: LadderClient,
    *,
    name: str = "",
    message: str = "",
    on_message: MessageCallback = lambda _message: None,
) -> SubmissionResult:
    """Submit a script, a folder or an archive to a ladder's server, and wait for the result."""
    messages = list[SubmissionMessage]()
    add_message = collect_messages(messages, on_message)
    with TemporaryDirectory(prefix="stichkampf-") as temporary:
        file = pack_bot(bot, Path(temporary))
        state = client.submit(file, name, message, add_message)
    return SubmissionResult(state, messages)


def collect_messages(
    messages: list[SubmissionMessage], on_message: MessageCallback
) -> MessageCallback:
    """A callback that adds messages to a list and passes them on."""

    def add_message(message: SubmissionMessage) -> None:
        messages.append(message)
        on_message(message)

    return add_message


def pack_bot(bot: Path, folder: Path) -> Path:
    """The file to upload: the bot itself, or an archive of it in a folder."""
    file = folder / f"{bot.resolve().name}.tar.gz"
    if bot.is_dir():
        write_bot_archive(bot, file, ignored_files(bot))
    elif not bot.is_file():
        raise ArenaError(f"{bot} is neither a file nor a folder")
    elif is_program(bot):
        write_bot_archive(bot, file)  # an archive keeps the permission to execute it
    else:
        return bot
    return file


def ignored_files(bot: Path) -> tuple[str, ...]:
    """The files in a bot's folder that do not belong to it."""
    try:
        return load_manifest(bot / MANIFEST_FILE).ignore
    except BadBot:  # the ladder refuses it, with the reason
        return ()


def is_program(bot: Path) -> bool:
    """Whether a file is executed directly, and is not an archive with that permission."""
    if bot.suffix in INTERPRETER_OF_SUFFIX or not os.access(bot, os.X_OK):
        return False
    return not (zipfile.is_zipfile(bot) or tarfile.is_tarfile(bot))
