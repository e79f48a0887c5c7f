"""Process one submission: lock it, run its steps, store its messages and result."""

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
from arena.ladder.folder import BOTS_FOLDER, LOGS_FOLDER, UPLOADS_FOLDER, Ladder, open_ladder
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
"""Seconds for which an upload without a submission may still be in progress."""
MAX_WAITING_DAYS: Final = 1
"""Days after which a waiting submission is ended."""
INTERNAL_ERROR: Final = "something of ours broke, which is not its fault; it can be sent again"


@contextmanager
def lock_submission(work_folder: Path) -> Iterator[bool]:
    """Lock the folder of a submission; yield False if another process holds the lock."""
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
    """Process a submission that waits or whose process died; return its final state.

    Its folder is locked meanwhile, unless the caller has locked it already.
    """
    place = ladder.folder / UPLOADS_FOLDER / submission_id
    with Registry.open(ladder.folder) as registry:
        submission = registry.submission(submission_id)
        if submission is None:
            raise BadSubmission(f"there is no submission {submission_id}")
        if submission.is_over:
            return submission.state
        place.mkdir(mode=0o700, exist_ok=True)  # without its upload it ends as broken
        with nullcontext(enter_result=True) if is_locked else lock_submission(place) as ours:
            if not ours:
                raise BadSubmission(f"submission {submission_id} is being worked on already")
            registry.begin_submission(submission_id)

            def send(message: SubmissionMessage) -> None:
                bounded = message.within_limits()
                registry.add_message(submission_id, bounded)
                on_message(bounded)

            state: SubmissionState = "broken"
            try:
                state, last = run_pipeline(
                    SubmissionPipeline(ladder, submission, place, send), place / UPLOAD_FILE
                )
                send(last)
            finally:  # also after an interrupt; an accepted submission stays accepted
                registry.end_submission(submission_id, state)
                shutil.rmtree(place, ignore_errors=True)
            return state


def run_pipeline(
    pipeline: SubmissionPipeline, upload: Path
) -> tuple[SubmissionState, SubmissionMessage]:
    """Run the pipeline; return the final state of the submission and the last message."""
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
        text = accepted_text(pipeline.accepted_version(version))
    except ArenaError as error:  # it is on the ladder already
        LOG.warning("submission %s: %s", number, printable(str(error)))
        text = f"accepted as {version.bot}"
    return "accepted", SubmissionMessage(step="accept", passed=True, text=text)


def remove_leftovers(ladder: Ladder) -> None:
    """Remove what killed processes have left: unknown uploads and unfinished bots."""
    incoming, bots = ladder.folder / UPLOADS_FOLDER, ladder.folder / BOTS_FOLDER
    for place in (
        bots,
        incoming,
        ladder.folder / LOGS_FOLDER,
    ):  # copies of a ladder may lack empty ones
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
    if not known:  # a bot that is just being accepted has a folder and is not a version yet
        for place in bots.iterdir():
            if place.name not in digests and is_abandoned(place):
                shutil.rmtree(place, ignore_errors=True)


def is_abandoned(place: Path) -> bool:
    """Whether no process works in a folder, or has done so recently."""
    try:
        if time.time() - place.stat().st_mtime < UPLOAD_TIMEOUT:
            return False
        with lock_submission(place) as ours:
            return ours
    except FileNotFoundError:
        return True


def main(folder: str, submission_id: str) -> None:
    """Process one submission; a server starts this program for each."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    process_submission(open_ladder(Path(folder)), submission_id)


if __name__ == "__main__":
    main(*sys.argv[1:])
