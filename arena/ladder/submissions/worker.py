"""The process that works on one submission and stores its messages and result."""

import logging
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.file_lock import FileLock, LockHeld
from arena.ladder.folder import BOTS, INCOMING, LOGS, Ladder, open_ladder
from arena.ladder.models import SubmissionMessage, SubmissionState
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.submissions.intake import UPLOAD_FILE
from arena.ladder.submissions.messages import accepted_text
from arena.ladder.submissions.pipeline import (
    MessageCallback,
    RefusedSubmission,
    SubmissionPipeline,
    remove_build,
)
from arena.sanitize import printable
from arena.store.header import utc_now

LOG = logging.getLogger(__name__)

UPLOAD_TIMEOUT: Final = 600
"""Seconds for which somebody may still be sending what is there."""
MAX_WAITING_DAYS: Final = 1
"""Days after which nobody will work on what waits."""
INTERNAL_ERROR: Final = "something of ours broke, which is not its fault; it can be sent again"


@contextmanager
def lock_submission(work_folder: Path) -> Iterator[bool]:
    """Whether a submission's folder is this process's to work in, and nobody else's."""
    try:
        lock = FileLock(work_folder)
    except LockHeld:
        yield False
    else:
        with lock:
            yield True


def process_submission(
    ladder: Ladder,
    submission_id: str,
    on_message: MessageCallback = lambda _: None,
    *,
    is_locked: bool = False,
) -> SubmissionState:
    """Work on a submission that waits, or that somebody began who is gone; what became of it.

    Its folder is held meanwhile, unless the caller holds it already.
    """
    place = ladder.folder / INCOMING / submission_id
    with Registry.open(ladder.folder) as registry:
        submission = registry.submission(submission_id)
        if submission is None:
            raise BadSubmission(f"there is no submission {submission_id}")
        if submission.is_over:
            return submission.state
        place.mkdir(mode=0o700, exist_ok=True)  # without its upload it is broken, and said to be
        with nullcontext(enter_result=True) if is_locked else lock_submission(place) as ours:
            if not ours:
                raise BadSubmission(f"submission {submission_id} is being worked on already")
            registry.begin_submission(submission_id)

            def tell(said: SubmissionMessage) -> None:
                bounded = said.within_limits()
                registry.add_message(submission_id, bounded)
                on_message(bounded)

            fate: SubmissionState = "broken"
            try:
                fate, last = run_pipeline(
                    SubmissionPipeline(ladder, submission, place, tell), place / UPLOAD_FILE
                )
                tell(last)
            finally:  # also if somebody interrupts it; what was accepted stays so
                registry.end_submission(submission_id, fate)
                shutil.rmtree(place, ignore_errors=True)
            return fate


def run_pipeline(
    pipeline: SubmissionPipeline, upload: Path
) -> tuple[SubmissionState, SubmissionMessage]:
    """What becomes of a submission, and the last thing that is said of it."""
    number = pipeline.submission.id
    try:
        version = pipeline.process(upload)
    except RefusedSubmission as refused:
        return "refused", refused.message
    except ArenaError as error:
        LOG.warning("submission %s: %s", number, printable(str(error)))
        return "broken", SubmissionMessage(step="broken", passed=False, text=INTERNAL_ERROR)
    except Exception:
        LOG.exception("submission %s", number)
        return "broken", SubmissionMessage(step="broken", passed=False, text=INTERNAL_ERROR)
    try:
        text = accepted_text(pipeline.standing(version))
    except ArenaError as error:  # it is on the ladder, whether or not that can be told just now
        LOG.warning("submission %s: %s", number, printable(str(error)))
        text = f"accepted as {version.bot}"
    return "accepted", SubmissionMessage(step="accept", passed=True, text=text)


def remove_leftovers(ladder: Ladder) -> None:
    """Remove what those have left who were killed: uploads that nobody knows, unfinished bots."""
    incoming, bots = ladder.folder / INCOMING, ladder.folder / BOTS
    for place in (bots, incoming, ladder.folder / LOGS):  # copies of a ladder may lack empty ones
        place.mkdir(mode=0o700 if place is incoming else 0o755, exist_ok=True)
    long_ago = utc_now(MAX_WAITING_DAYS)
    with Registry.open(ladder.folder) as registry:
        for one in registry.submissions("running"):
            if is_abandoned(incoming / one.id):
                registry.end_submission(one.id, "broken")
        for one in registry.submissions("waiting"):
            if one.sent < long_ago and is_abandoned(incoming / one.id):
                registry.end_submission(one.id, "broken")
        known = {one.id for one in registry.submissions() if not one.is_over}
        digests = {one.digest for one in registry.versions()}
    for place in incoming.iterdir():
        if place.name not in known and is_abandoned(place):
            remove_build(ladder, place, digests)
            shutil.rmtree(place, ignore_errors=True)
    if not known:  # somebody who is just being accepted has a folder and is no version yet
        for place in bots.iterdir():
            if place.name not in digests and is_abandoned(place):
                shutil.rmtree(place, ignore_errors=True)


def is_abandoned(place: Path) -> bool:
    """Whether nobody works there, and nobody has for a while."""
    try:
        if time.time() - place.stat().st_mtime < UPLOAD_TIMEOUT:
            return False
        with lock_submission(place) as ours:
            return ours
    except FileNotFoundError:
        return True


def main(folder: str, submission_id: str) -> None:
    """What a server starts for every submission."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    process_submission(open_ladder(Path(folder)), submission_id)


if __name__ == "__main__":
    main(*sys.argv[1:])
