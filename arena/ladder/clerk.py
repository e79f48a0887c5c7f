"""The clerk: works on one submission in a process of its own, and writes down what it says."""

import fcntl
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.ladder.admission import Admission, Refused, Say, forget_build
from arena.ladder.answers import summary
from arena.ladder.facts import Fate, Said
from arena.ladder.folder import BOTS, INCOMING, LOGS, Ladder, open_ladder
from arena.ladder.intake import UPLOAD
from arena.ladder.registry import BadSubmission, Registry
from arena.printable import printable

LOG = logging.getLogger(__name__)

FRESH: Final = 600
"""Seconds for which somebody may still be sending what is there."""
WAITED: Final = 1
"""Days after which nobody will work on what waits."""
OURS: Final = "something of ours broke, which is not its fault; it can be sent again"


@contextmanager
def held(place: Path) -> Iterator[bool]:
    """Whether a submission's folder is this process's to work in, and nobody else's."""
    descriptor = os.open(place, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = True
        except BlockingIOError:
            ours = False
        yield ours
    finally:
        os.close(descriptor)


def work(ladder: Ladder, number: str, say: Say = lambda _: None, *, is_held: bool = False) -> Fate:
    """Work on a submission that waits, or that somebody began who is gone; what became of it.

    Its folder is held meanwhile, unless the caller holds it already.
    """
    place = ladder.folder / INCOMING / number
    with Registry.open(ladder.folder) as registry:
        submission = registry.submission(number)
        if submission is None:
            raise BadSubmission(f"there is no submission {number}")
        if submission.over:
            return submission.state
        place.mkdir(mode=0o700, exist_ok=True)  # without its upload it is broken, and said to be
        with nullcontext(enter_result=True) if is_held else held(place) as ours:
            if not ours:
                raise BadSubmission(f"submission {number} is being worked on already")
            registry.begin(number)

            def tell(said: Said) -> None:
                bounded = said.bounded()
                registry.say(number, bounded)
                say(bounded)

            fate: Fate = "broken"
            try:
                fate, last = answered(Admission(ladder, submission, place, tell), place / UPLOAD)
                tell(last)
            finally:  # also if somebody interrupts it; what was accepted stays so
                registry.end(number, fate)
                shutil.rmtree(place, ignore_errors=True)
            return fate


def answered(admission: Admission, upload: Path) -> tuple[Fate, Said]:
    """What becomes of a submission, and the last thing that is said of it."""
    number = admission.submission.id
    try:
        version = admission.admit(upload)
    except Refused as refused:
        return "refused", refused.said
    except ArenaError as error:
        LOG.warning("submission %s: %s", number, printable(str(error)))
        return "broken", Said(step="broken", passed=False, text=OURS)
    except Exception:
        LOG.exception("submission %s", number)
        return "broken", Said(step="broken", passed=False, text=OURS)
    try:
        text = summary(admission.standing(version))
    except ArenaError as error:  # it is on the ladder, whether or not that can be told just now
        LOG.warning("submission %s: %s", number, printable(str(error)))
        text = f"accepted as {version.bot}"
    return "accepted", Said(step="accept", passed=True, text=text)


def sweep(ladder: Ladder) -> None:
    """Remove what those have left who were killed: uploads that nobody knows, unfinished bots."""
    incoming, bots = ladder.folder / INCOMING, ladder.folder / BOTS
    for place in (bots, incoming, ladder.folder / LOGS):  # copies of a ladder may lack empty ones
        place.mkdir(mode=0o700 if place is incoming else 0o755, exist_ok=True)
    long_ago = (datetime.now(UTC) - timedelta(days=WAITED)).isoformat(timespec="seconds")
    with Registry.open(ladder.folder) as registry:
        for one in registry.submissions("running"):
            if abandoned(incoming / one.id):
                registry.end(one.id, "broken")
        for one in registry.submissions("waiting"):
            if one.sent < long_ago and abandoned(incoming / one.id):
                registry.end(one.id, "broken")
        known = {one.id for one in registry.submissions() if not one.over}
        digests = {one.digest for one in registry.versions()}
    for place in incoming.iterdir():
        if place.name not in known and abandoned(place):
            forget_build(ladder, place, digests)
            shutil.rmtree(place, ignore_errors=True)
    if not known:  # somebody who is just being accepted has a folder and is no version yet
        for place in bots.iterdir():
            if place.name not in digests and abandoned(place):
                shutil.rmtree(place, ignore_errors=True)


def abandoned(place: Path) -> bool:
    """Whether nobody works there, and nobody has for a while."""
    try:
        if time.time() - place.stat().st_mtime < FRESH:
            return False
        with held(place) as ours:
            return ours
    except FileNotFoundError:
        return True


def main(folder: str, number: str) -> None:
    """What a server starts for every submission."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    work(open_ladder(Path(folder)), number)


if __name__ == "__main__":
    main(*sys.argv[1:])
