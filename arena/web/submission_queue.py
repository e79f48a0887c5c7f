"""Process submissions in turn, each in a worker process; one server per ladder."""

import asyncio
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.file_lock import FileLock, LockHeld
from arena.ladder import limits
from arena.ladder.folder import INCOMING, open_ladder
from arena.ladder.models import Submission, SubmissionMessage, SubmissionState
from arena.ladder.registry import Registry
from arena.ladder.submissions.pipeline import remove_build
from arena.ladder.submissions.worker import lock_submission, remove_leftovers
from arena.web.submission_process import SubmissionProcess

SERVE_LOCK_FILE: Final = "serve.lock"


@contextmanager
def serve_lock(folder: Path) -> Iterator[None]:
    """Hold a ladder as its server until this ends, or the process does in whatever way."""
    file = folder / SERVE_LOCK_FILE
    try:
        lock = FileLock(file, create_mode=0o644)
    except LockHeld as held:
        raise ArenaError(
            f"{folder}: this ladder is served by process {held.holder} already; end it first"
        ) from None
    except OSError as error:
        raise ArenaError(f"{file} cannot be written: {error.strerror}") from error
    with lock:
        yield


LOG = logging.getLogger(__name__)

GRACE = 60.0
"""Seconds after its time that a process has to refuse a submission which takes too long."""
POLL_SECONDS = 30.0
"""Seconds after which is looked for submissions that came by another way."""
CLEANUP_SECONDS = 3600.0
"""Seconds after which is tidied up again; never before what was interrupted is taken up."""
RETRY_SECONDS = 5.0
"""Seconds of rest after something went wrong."""
TRIES: Final = 3
"""How often a submission is begun if its process or the whole server ends without a result."""
GIVE_UP_TEXT: Final = (
    f"its process ended {TRIES} times without a result, so it is not tried again; tell the "
    "operator of the ladder, or send a simpler archive"
)


class SubmissionQueue:
    """The submissions of a ladder, as they come to their turn."""

    def __init__(self, folder: Path, worker_count: int = 1) -> None:
        self.folder = folder
        self.worker_count = worker_count
        self.running: set[str] = set()
        """Those that are worked on."""
        self.wake_event = asyncio.Event()
        self.choice_lock = asyncio.Lock()
        self.last_cleanup = -CLEANUP_SECONDS

    def wake(self) -> None:
        """Something new waits."""
        self.wake_event.set()

    async def run_workers(self) -> None:
        """Work on submissions until this is cancelled; then whatever is worked on is left."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.worker_count):
                group.create_task(self.run_worker())

    async def run_worker(self) -> None:
        """Work on one submission after the other."""
        while True:
            try:
                number = await self.next_submission()
                try:
                    await self.run_submission(number)
                finally:
                    self.running.discard(number)
            except (ArenaError, OSError) as error:
                # The ladder cannot be read or written just now, or no more files can be open.
                LOG.warning("%s", error)
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:  # a mistake of ours is not to end the ladder
                LOG.exception("a submission cannot be worked on")
                await asyncio.sleep(RETRY_SECONDS)

    async def next_submission(self) -> str:
        """Whose turn it is, as soon as there is somebody."""
        async with self.choice_lock:
            while True:
                self.wake_event.clear()
                if found := await asyncio.to_thread(
                    self.choose_submission, frozenset(self.running)
                ):
                    self.running.add(found)
                    return found
                if not self.running and self.last_cleanup + CLEANUP_SECONDS < time.monotonic():
                    await asyncio.to_thread(lambda: remove_leftovers(open_ladder(self.folder)))
                    self.last_cleanup = time.monotonic()  # what fails is tried again after a rest
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_SECONDS):
                        await self.wake_event.wait()

    def choose_submission(self, running: frozenset[str]) -> str | None:
        """What was interrupted, or else the oldest of the owner who had no turn for longest."""
        with Registry.open(self.folder) as registry:
            begun = registry.submissions("running")
            waiting = registry.submissions("waiting")
            turns = registry.last_begun()
        waiting.sort(key=lambda one: turns[one.owner])
        free = (one for one in [*begun, *waiting] if one.id not in running)
        return next((one.id for one in free if self.is_free(one)), None)

    def is_free(self, submission: Submission) -> bool:
        """Whether nobody else works on a submission."""
        try:
            with lock_submission(self.folder / INCOMING / submission.id) as ours:
                return ours
        except OSError:
            return True  # its worker will report what is wrong

    async def run_submission(self, submission_id: str) -> None:
        """Start a worker for a submission, and kill it if it takes too long."""
        settings = (await asyncio.to_thread(open_ladder, self.folder)).settings
        seconds = await asyncio.to_thread(limits.submission_seconds, settings)
        if not await asyncio.to_thread(self.may_try, submission_id):
            return
        try:
            worker = await SubmissionProcess.start(self.folder, submission_id)
        except OSError:
            await asyncio.to_thread(
                self.count_try, submission_id, -1
            )  # the machine has no room for it
            raise
        try:
            in_time = await worker.wait_or_kill(seconds + GRACE)
        except asyncio.CancelledError:
            await worker.kill()
            with suppress(ArenaError):
                self.count_try(submission_id, -1)  # the server ends, whatever the submission does
            raise
        late = None if in_time else limits.too_long_text("it", seconds, settings.keys.clock)
        await asyncio.to_thread(self.end_unfinished, submission_id, late)

    def count_try(self, submission_id: str, by: int) -> int:
        """Count a try in the registry, or take one back; how many there were."""
        with Registry.open(self.folder) as registry:
            return registry.count_try(submission_id, by)

    def may_try(self, submission_id: str) -> bool:
        """Count a try before it begins; a submission with too many of them is given up.

        They are kept in the registry, for it may be the server that ends with a submission.
        """
        if self.count_try(submission_id, 1) <= TRIES:
            return True
        self.give_up(submission_id, "broken", GIVE_UP_TEXT)
        return False

    def end_unfinished(self, submission_id: str, late: str | None) -> None:
        """End a submission whose worker ended without a result: too late, or once too often."""
        with Registry.open(self.folder) as registry:
            submission = registry.submission(submission_id)
        if submission is None or submission.is_over:
            return
        if late:
            self.give_up(submission_id, "refused", late)
        elif submission.tries >= TRIES:
            self.give_up(submission_id, "broken", GIVE_UP_TEXT)

    def give_up(self, submission_id: str, fate: SubmissionState, text: str) -> None:
        """End a submission without a result of its own, and remove what there is of it."""
        LOG.warning("submission %s was given up: %s", submission_id, text)
        place = self.folder / INCOMING / submission_id
        with Registry.open(self.folder) as registry:
            step = "time" if fate == "refused" else fate
            registry.add_message(
                submission_id, SubmissionMessage(step=step, passed=False, text=text)
            )
            registry.end_submission(submission_id, fate)
            digests = {one.digest for one in registry.versions()}
        remove_build(open_ladder(self.folder), place, digests)
        shutil.rmtree(place, ignore_errors=True)
