"""The intake: what people send is written down, and waits for its turn."""

import os
import secrets
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import structs

from arena.ladder.facts import Submission
from arena.ladder.folder import INCOMING, open_ladder
from arena.ladder.names import NAME
from arena.ladder.quota import check_disk, check_quota
from arena.ladder.registry import BadSubmission, Registry, now
from arena.ladder.tokens import known_owner
from arena.printable import printable

UPLOAD: Final = "upload"
ID_BYTES: Final = 16
LONGEST_MESSAGE: Final = 500
LONGEST_FILE: Final = 100
MIB: Final = 1 << 20


class TooMany(BadSubmission):
    """More than one may send now; later it is possible again."""


class TooLarge(BadSubmission):
    """More bytes than one may send."""


class Incoming:
    """Something that is being received."""

    def __init__(self, place: Path, submission: Submission, intake: "Intake") -> None:
        self.place = place
        self.most = intake.allowed.size * MIB
        self.submission = submission
        self.intake = intake
        self.size = 0
        place.mkdir(mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self.stream = os.fdopen(os.open(place / UPLOAD, flags, 0o600), "wb")

    def write(self, chunk: bytes) -> None:
        """Take some more bytes."""
        self.size += len(chunk)
        if self.size > self.most:
            raise TooLarge(f"it is larger than {self.most // MIB} MiB, which is what one may send")
        self.stream.write(chunk)

    def done(self, registry: Registry) -> Submission:
        """All is there; from now on it waits."""
        if not self.size:
            raise BadSubmission("it is empty; send a script, or an archive of a bot's folder")
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()
        entered = structs.replace(self.submission, size=self.size)
        owner = entered.owner  # who may have sent others meanwhile
        check_quota(self.intake.ladder, registry, owner, self.size)
        registry.enter(entered, lambda: self.intake.allow(registry, owner))
        return entered

    def drop(self) -> None:
        """Forget it."""
        with suppress(OSError):
            self.stream.close()
        shutil.rmtree(self.place, ignore_errors=True)


class Intake:
    """Takes what people send to the ladder in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ladder = open_ladder(folder)
        self.allowed = self.ladder.settings.keys.submissions

    def open(
        self, registry: Registry, owner: str, file: str, name: str = "", message: str = ""
    ) -> Incoming:
        """Begin to take something, if its owner may send something now."""
        check(owner, file, name, message)
        owner = known_owner(registry, owner)
        self.allow(registry, owner)
        check_disk(self.folder)
        check_quota(self.ladder, registry, owner)
        number = secrets.token_urlsafe(ID_BYTES)
        submission = Submission(
            id=number,
            owner=owner,
            file=file,
            name=name,
            message=message,
            size=0,
            state="waiting",
            sent=now(),
        )
        place = self.folder / INCOMING / number
        return Incoming(place, submission, self)

    def allow(self, registry: Registry, owner: str) -> None:
        """Refuse somebody who has sent enough, or anybody if too much waits."""
        waiting = registry.submissions("waiting")
        if len(waiting) >= self.allowed.waiting:
            raise TooMany(f"{len(waiting)} submissions wait already; send it later")
        day = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
        if registry.sent_since(owner, day) >= self.allowed.a_day:
            raise TooMany(
                f"{owner} has sent {self.allowed.a_day} submissions within a day, which is as many "
                "as one may; send it tomorrow"
            )


def check(owner: str, file: str, name: str, message: str) -> None:
    """Refuse words that cannot be shown, and names that nobody can have."""
    if not NAME.match(owner):
        raise BadSubmission(
            f"{printable(owner[:40])!r} cannot be an owner's name; say --owner with letters, "
            "digits, dot, dash and underscore, at most 32"
        )
    if name and not NAME.match(name):
        raise BadSubmission(
            f"{printable(name[:40])!r} cannot be a bot's name on a ladder; it takes letters, "
            "digits, dot, dash and underscore, at most 32"
        )
    if not file or len(file) > LONGEST_FILE or "/" in file or printable(file) != file:
        raise BadSubmission("the name of the file cannot be taken; call it my-bot.zip or my-bot.py")
    if len(message) > LONGEST_MESSAGE or printable(message) != message:
        raise BadSubmission(
            f"the message takes one line of at most {LONGEST_MESSAGE} characters that can be shown"
        )
