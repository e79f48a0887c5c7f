"""The messages of a submission, as a history and as server-sent events."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import asdict

from arena.errors import ArenaError
from arena.ladder.models import Submission, SubmissionMessage
from arena.ladder.registry import Registry
from arena.sanitize import to_json
from arena.web.limits import ConcurrencyLimit, LimitReached
from arena.web.streams import KEEPALIVE_COMMENT, KEEPALIVE_SECONDS
from arena.web.submission_queue import SubmissionQueue

RUNNING_INTERVAL = 0.25
"""Seconds between two reads of a submission that is being processed."""
WAITING_INTERVAL = 1.0
"""Seconds between two reads of a submission that waits."""
LAST_EVENT_ID: Final = re.compile(r"(?:([0-9]{14})-)?([0-9]{1,6})")
"""The id of an event: perhaps the attempt, and the index of the message."""
MAX_TEXT_LENGTH: Final = 4000
"""Characters of a text in a message."""
RESTART_EVENT: Final = "event: again\n\n"
"""Announces that all messages are repeated, since a new attempt has begun."""


class SubmissionHistory(Submission, frozen=True, kw_only=True):
    """A submission with its messages so far."""

    page: str | None = None
    """The page of the version that it became, once the site has it."""
    said: tuple[SubmissionMessage, ...] = ()


@dataclass(frozen=True)
class CachedRead:
    """A recent read of a submission, shared by all listeners."""

    read_at: float
    task: "asyncio.Task[SubmissionHistory | None]"


class SubmissionFeed:
    """Reads submissions for their listeners, each submission once for all of them."""

    def __init__(
        self,
        folder: Path,
        queue: SubmissionQueue,
        page_path: Callable[[str], str | None],
        read_limit: ConcurrencyLimit,
    ) -> None:
        self.folder = folder
        self.queue = queue
        self.page_path = page_path
        self.read_limit = read_limit
        self.stop_event = asyncio.Event()
        self.reads: dict[str, CachedRead] = {}

    def stop(self) -> None:
        """End the streams of all listeners."""
        self.stop_event.set()

    async def history(self, submission_id: str) -> SubmissionHistory | None:
        """Return a submission with its messages; raises `LimitReached`."""
        now = asyncio.get_running_loop().time()
        read = self.reads.get(submission_id)
        if read is None or now - read.read_at >= RUNNING_INTERVAL:
            for old_id in [
                old_id
                for old_id, old_read in self.reads.items()
                if now - old_read.read_at >= RUNNING_INTERVAL
            ]:
                del self.reads[old_id]
            read = self.reads[submission_id] = CachedRead(
                now, asyncio.create_task(self.read_in_thread(submission_id))
            )
        return await asyncio.shield(read.task)

    async def read_in_thread(self, submission_id: str) -> SubmissionHistory | None:
        """Read a submission in a thread."""
        async with self.read_limit.slot():
            return await asyncio.to_thread(self.read, submission_id)

    def read(self, submission_id: str) -> SubmissionHistory | None:
        """Read a submission from the registry."""
        is_running = submission_id in self.queue.running  # read first: its worker may end meanwhile
        with Registry.open(self.folder) as registry:
            submission = registry.submission(submission_id)
            if submission is None:
                return None
            messages = tuple(  # those of earlier releases have no limit
                message.within_limits(MAX_TEXT_LENGTH, MAX_TEXT_LENGTH)
                for message in registry.messages(submission_id)
            )
        fields = asdict(submission)
        if submission.is_over and is_running:  # its worker has not ended yet
            fields |= {"state": "running", "ended": None}
        page = self.page_path(submission.bot) if submission.bot else None
        return SubmissionHistory(**fields, page=page, said=messages)

    async def events(
        self, first: SubmissionHistory, last_event_id: str
    ) -> AsyncGenerator[str, None]:
        """Yield the events of a submission after the last one that the listener has."""
        attempt, index = resume_position(last_event_id, attempt_id(first))
        current: SubmissionHistory | None = first
        silent_seconds = 0.0
        while current is not None:
            if attempt != attempt_id(current):
                if index:
                    yield RESTART_EVENT
                attempt, index = attempt_id(current), 0
            for message in current.said[index:]:
                yield f"id: {attempt}-{index}\nevent: said\ndata: {to_json(message)}\n\n"
                index, silent_seconds = index + 1, 0.0
            if current.is_over:
                yield f"event: end\ndata: {to_json(current)}\n\n"
                return
            interval = WAITING_INTERVAL if current.state == "waiting" else RUNNING_INTERVAL
            with suppress(TimeoutError):
                async with asyncio.timeout(interval):
                    await self.stop_event.wait()
            if self.stop_event.is_set():
                return
            silent_seconds += interval
            if silent_seconds >= KEEPALIVE_SECONDS:
                silent_seconds = 0.0
                yield KEEPALIVE_COMMENT
            with suppress(LimitReached, ArenaError):  # the next read is soon
                current = await self.history(first.id)


def resume_position(last_event_id: str, attempt: str) -> tuple[str, int]:
    """The attempt and the index of the message after the last event of a listener."""
    match = LAST_EVENT_ID.fullmatch(last_event_id)
    return (match[1] or attempt, int(match[2]) + 1) if match else (attempt, 0)


def attempt_id(history: SubmissionHistory) -> str:
    """The digits of the time at which a submission was begun; a new attempt has another."""
    return re.sub(r"\D", "", history.begun or "")[:14]
