"""Receive uploads, check them against the limits, and queue them as submissions."""

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import structs

from arena.bots.sandbox.limits import MIB
from arena.ladder.disk_quota import check_disk_space, check_quota
from arena.ladder.folder import UPLOADS_FOLDER, open_ladder
from arena.ladder.models import Submission
from arena.ladder.names import NAME_PATTERN
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.tokens import canonical_owner
from arena.sanitize import printable
from arena.store.header import utc_now

UPLOAD_FILE: Final = "upload"
ID_BYTES: Final = 16
MAX_MESSAGE: Final = 500
MAX_FILE_NAME: Final = 100


class TooManySubmissions(BadSubmission):
    """An owner has sent too many submissions, or too many are waiting."""


class UploadTooLarge(BadSubmission):
    """An upload exceeds the size limit of the ladder."""


class IncomingSubmission:
    """An upload that is being received."""

    def __init__(self, folder: Path, submission: Submission, intake: "Intake") -> None:
        self.folder = folder
        self.max_bytes = intake.submission_keys.size * MIB
        self.submission = submission
        self.intake = intake
        self.size = 0
        folder.mkdir(mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self.stream = os.fdopen(os.open(folder / UPLOAD_FILE, flags, 0o600), "wb")

    def write(self, chunk: bytes) -> None:
        """Write a chunk of the upload."""
        self.size += len(chunk)
        if self.size > self.max_bytes:
            raise UploadTooLarge(
                f"it is larger than {self.max_bytes // MIB} MiB, which is what one may send"
            )
        self.stream.write(chunk)

    def finish(self, registry: Registry) -> Submission:
        """Close the complete upload and queue it as a submission."""
        if not self.size:
            raise BadSubmission("it is empty; send a script, or an archive of a bot's folder")
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()
        entered = structs.replace(self.submission, size=self.size)
        owner = entered.owner  # who may have sent others meanwhile
        check_quota(self.intake.ladder, registry, owner, self.size)
        registry.add_submission(entered, lambda: self.intake.check_rate_limit(registry, owner))
        return entered

    def discard(self) -> None:
        """Delete an unfinished upload."""
        with suppress(OSError):
            self.stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Intake:
    """Receives uploads for the ladder in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ladder = open_ladder(folder)
        self.submission_keys = self.ladder.settings.keys.submissions

    def begin_upload(
        self, registry: Registry, owner: str, file_name: str, name: str = "", message: str = ""
    ) -> IncomingSubmission:
        """Begin to receive an upload, if its owner may submit now."""
        check_input(owner, file_name, name, message)
        owner = canonical_owner(registry, owner)
        self.check_rate_limit(registry, owner)
        check_disk_space(self.folder)
        check_quota(self.ladder, registry, owner)
        number = secrets.token_urlsafe(ID_BYTES)
        submission = Submission(
            id=number,
            owner=owner,
            file=file_name,
            name=name,
            message=message,
            size=0,
            state="waiting",
            sent=utc_now(),
        )
        place = self.folder / UPLOADS_FOLDER / number
        return IncomingSubmission(place, submission, self)

    def check_rate_limit(self, registry: Registry, owner: str) -> None:
        """Reject a submission if its owner has sent too many today, or too many wait."""
        waiting = registry.submissions("waiting")
        if len(waiting) >= self.submission_keys.waiting:
            raise TooManySubmissions(f"{len(waiting)} submissions wait already; send it later")
        if registry.count_sent_since(owner, utc_now(days_ago=1)) >= self.submission_keys.a_day:
            raise TooManySubmissions(
                f"{owner} has sent {self.submission_keys.a_day} submissions within a day, "
                f"which is as many "
                "as one may; send it tomorrow"
            )


def check_input(owner: str, file_name: str, name: str, message: str) -> None:
    """Reject texts that are not printable, and invalid names."""
    if not NAME_PATTERN.match(owner):
        raise BadSubmission(
            f"{printable(owner[:40])!r} cannot be an owner's name; say --owner with letters, "
            "digits, dot, dash and underscore, at most 32"
        )
    if name and not NAME_PATTERN.match(name):
        raise BadSubmission(
            f"{printable(name[:40])!r} cannot be a bot's name on a ladder; it takes letters, "
            "digits, dot, dash and underscore, at most 32"
        )
    if (
        not file_name
        or len(file_name) > MAX_FILE_NAME
        or "/" in file_name
        or printable(file_name) != file_name
    ):
        raise BadSubmission("the name of the file cannot be taken; call it my-bot.zip or my-bot.py")
    if len(message) > MAX_MESSAGE or printable(message) != message:
        raise BadSubmission(
            f"the message takes one line of at most {MAX_MESSAGE} characters that can be shown"
        )
