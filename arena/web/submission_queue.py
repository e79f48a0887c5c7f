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
from arena.ladder.folder import UPLOADS_FOLDER, open_ladder
from arena.ladder.models import Submission, SubmissionMessage, SubmissionState
from arena.ladder.registry import Registry
from arena.ladder.submissions.pipeline import remove_build
from arena.ladder.submissions.worker import lock_submission, remove_leftovers
from arena.web.submission_process import SubmissionProcess

SERVE_LOCK_FILE: Final = "serve.lock"


@contextmanager
def serve_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of the only server of a ladder until the context ends."""
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

GRACE_SECONDS = 60.0
"""Seconds beyond its time limit in which a process itself may refuse a slow submission."""
POLL_SECONDS = 30.0
"""Seconds between two looks for submissions that another process has added."""
CLEANUP_SECONDS = 3600.0
"""Seconds between two cleanups; none runs before interrupted submissions are resumed."""
RETRY_SECONDS = 5.0
"""Seconds of pause after an error."""
MAX_TRIES: Final = 3
"""How often a submission is begun if its process or the whole server ends without a result."""
GIVE_UP_TEXT: Final = (
    f"its process ended {MAX_TRIES} times without a result, so it is not tried again; tell the "
    "operator of the ladder, or send a simpler archive"
)


class SubmissionQueue:
    """Chooses the next submission of a ladder and runs a worker process for it."""

    def __init__(self, folder: Path, worker_count: int = 1) -> None:
        self.folder = folder
        self.worker_count = worker_count
        self.running: set[str] = set()
        """Ids of the submissions that are being processed."""
        self.wake_event = asyncio.Event()
        self.choice_lock = asyncio.Lock()
        self.last_cleanup = -CLEANUP_SECONDS

    def wake(self) -> None:
        """Wake the workers, because a new submission waits."""
        self.wake_event.set()

    async def run_workers(self) -> None:
        """Run the workers until this is cancelled, which kills their processes."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.worker_count):
                group.create_task(self.run_worker())

    async def run_worker(self) -> None:
        """Process one submission after the other."""
        while True:
            try:
                submission_id = await self.next_submission()
                try:
                    await self.run_submission(submission_id)
                finally:
                    self.running.discard(submission_id)
            except (ArenaError, OSError) as error:
                # The ladder cannot be read or written just now, or no more files can be open.
                LOG.warning("%s", error)
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:  # an unexpected error must not stop the server
                LOG.exception("a submission cannot be processed")
                await asyncio.sleep(RETRY_SECONDS)

    async def next_submission(self) -> str:
        """Wait for the next submission and return its id."""
        async with self.choice_lock:
            while True:
                self.wake_event.clear()
                if submission_id := await asyncio.to_thread(
                    self.choose_submission, frozenset(self.running)
                ):
                    self.running.add(submission_id)
                    return submission_id
                if not self.running and self.last_cleanup + CLEANUP_SECONDS < time.monotonic():
                    await asyncio.to_thread(lambda: remove_leftovers(open_ladder(self.folder)))
                    self.last_cleanup = time.monotonic()  # what fails is tried again after a rest
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_SECONDS):
                        await self.wake_event.wait()

    def choose_submission(self, running: frozenset[str]) -> str | None:
        """Choose an interrupted submission, or the oldest of the owner served least recently."""
        with Registry.open(self.folder) as registry:
            begun = registry.submissions("running")
            waiting = registry.submissions("waiting")
            turns = registry.last_begun()
        waiting.sort(key=lambda one: turns[one.owner])
        free = (one for one in [*begun, *waiting] if one.id not in running)
        return next((one.id for one in free if self.is_unlocked(one)), None)

    def is_unlocked(self, submission: Submission) -> bool:
        """Whether no other process works on a submission."""
        try:
            with lock_submission(self.folder / UPLOADS_FOLDER / submission.id) as is_ours:
                return is_ours
        except OSError:
            return True  # its worker will report what is wrong

    async def run_submission(self, submission_id: str) -> None:
        """Start a worker for a submission, and kill it if it takes too long."""
        settings = (await asyncio.to_thread(open_ladder, self.folder)).settings
        seconds = await asyncio.to_thread(limits.submission_seconds, settings)
        if not await asyncio.to_thread(self.begin_try, submission_id):
            return
        try:
            worker = await SubmissionProcess.start(self.folder, submission_id)
        except OSError:
            await asyncio.to_thread(
                self.count_try, submission_id, -1
            )  # the machine has no room for it
            raise
        try:
            in_time = await worker.wait_or_kill(seconds + GRACE_SECONDS)
        except asyncio.CancelledError:
            await worker.kill()
            with suppress(ArenaError):
                self.count_try(submission_id, -1)  # the server ends, whatever the submission does
            raise
        timeout_text = None if in_time else limits.too_long_text("it", seconds, settings.keys.clock)
        await asyncio.to_thread(self.end_without_result, submission_id, timeout_text)

    def count_try(self, submission_id: str, by: int) -> int:
        """Add to the number of tries in the registry, and return it; -1 takes a try back."""
        with Registry.open(self.folder) as registry:
            return registry.count_try(submission_id, by)

    def begin_try(self, submission_id: str) -> bool:
        """Count a try and return True, or give up a submission that had too many.

        The registry keeps the count, because a submission may crash the server itself.
        """
        if self.count_try(submission_id, 1) <= MAX_TRIES:
            return True
        self.give_up(submission_id, "broken", GIVE_UP_TEXT)
        return False

    def end_without_result(self, submission_id: str, timeout_text: str | None) -> None:
        """End a submission whose worker ended without a result, if it may not be tried again."""
        with Registry.open(self.folder) as registry:
            submission = registry.submission(submission_id)
        if submission is None or submission.is_over:
            return
        if timeout_text:
            self.give_up(submission_id, "refused", timeout_text)
        elif submission.tries >= MAX_TRIES:
            self.give_up(submission_id, "broken", GIVE_UP_TEXT)

    def give_up(self, submission_id: str, state: SubmissionState, text: str) -> None:
        """End a submission without a result, and remove its files."""
        LOG.warning("submission %s was given up: %s", submission_id, text)
        incoming_folder = self.folder / UPLOADS_FOLDER / submission_id
        with Registry.open(self.folder) as registry:
            step = "time" if state == "refused" else state
            registry.add_message(
                submission_id, SubmissionMessage(step=step, passed=False, text=text)
            )
            registry.end_submission(submission_id, state)
            digests = {one.digest for one in registry.versions()}
        remove_build(open_ladder(self.folder), incoming_folder, digests)
        shutil.rmtree(incoming_folder, ignore_errors=True)
