"""The messages of a submission, as a history and as server-sent events."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import asdict, replace

from arena.errors import ArenaError
from arena.ladder.models import Submission, SubmissionMessage
from arena.ladder.registry import Registry
from arena.sanitize import cut_middle, to_json
from arena.web.limits import Busy, ConcurrencyLimit
from arena.web.streams import KEEPALIVE_COMMENT, KEEPALIVE_SECONDS
from arena.web.submission_queue import SubmissionQueue

RUNNING_INTERVAL = 0.25
"""Seconds between two looks at a submission that is worked on."""
WAITING_INTERVAL = 1.0
"""And at one that waits."""
LAST_EVENT_ID: Final = re.compile(r"(?:([0-9]{14})-)?([0-9]{1,6})")
"""The last thing that somebody has heard: perhaps when it was begun, and its number from 0."""
LONGEST: Final = 4000
"""Characters of a text."""
AGAIN_EVENT: Final = "event: again\n\n"
"""Tells that what was said so far is said again; who does not look at it just hears it twice."""


class SubmissionHistory(Submission, frozen=True, kw_only=True):
    """A submission, and everything it was told so far."""

    page: str | None = None
    """Where the version that it became is shown, once it is."""
    said: tuple[SubmissionMessage, ...] = ()


@dataclass(frozen=True)
class CachedRead:
    """What a submission was told, as it was read a moment ago."""

    read_at: float
    task: "asyncio.Task[SubmissionHistory | None]"


class SubmissionFeed:
    """All submissions that somebody listens to, each read once for all who do."""

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
        """Let go of all who listen."""
        self.stop_event.set()

    async def history(self, submission_id: str) -> SubmissionHistory | None:
        """A submission with what it was told so far; raises `Busy` if too many ask."""
        moment = asyncio.get_running_loop().time()
        look = self.reads.get(submission_id)
        if look is None or moment - look.read_at >= RUNNING_INTERVAL:
            for one in [
                one for one, old in self.reads.items() if moment - old.read_at >= RUNNING_INTERVAL
            ]:
                del self.reads[one]
            look = self.reads[submission_id] = CachedRead(
                moment, asyncio.create_task(self.read_in_thread(submission_id))
            )
        return await asyncio.shield(look.task)

    async def read_in_thread(self, submission_id: str) -> SubmissionHistory | None:
        """The same, read in a thread when there is a place."""
        async with self.read_limit.slot():
            return await asyncio.to_thread(self.read, submission_id)

    def read(self, submission_id: str) -> SubmissionHistory | None:
        """The same from the registry."""
        going = submission_id in self.queue.running  # asked first: its clerk may end meanwhile
        with Registry.open(self.folder) as registry:
            submission = registry.submission(submission_id)
            if submission is None:
                return None
            said = tuple(map(limit_texts, registry.messages(submission_id)))
        told = asdict(submission)
        if submission.is_over and going:  # its clerk has something to say yet
            told |= {"state": "running", "ended": None}
        page = self.page_path(submission.bot) if submission.bot else None
        return SubmissionHistory(**told, page=page, said=said)

    async def events(
        self, first: SubmissionHistory, last_event_id: str
    ) -> AsyncGenerator[str, None]:
        """What a submission is told, from where somebody has heard it, until it is over."""
        attempt, at = resume_position(last_event_id, attempt_id(first))
        current: SubmissionHistory | None = first
        silent = 0.0
        while current is not None:
            if attempt != attempt_id(current):
                if at:
                    yield AGAIN_EVENT
                attempt, at = attempt_id(current), 0
            for said in current.said[at:]:
                yield f"id: {attempt}-{at}\nevent: said\ndata: {to_json(said)}\n\n"
                at, silent = at + 1, 0.0
            if current.is_over:
                yield f"event: end\ndata: {to_json(current)}\n\n"
                return
            rest = WAITING_INTERVAL if current.state == "waiting" else RUNNING_INTERVAL
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self.stop_event.wait()
            if self.stop_event.is_set():
                return
            silent += rest
            if silent >= KEEPALIVE_SECONDS:
                silent = 0.0
                yield KEEPALIVE_COMMENT
            with suppress(Busy, ArenaError):  # it is looked at again soon
                current = await self.history(first.id)


def limit_texts(said: SubmissionMessage) -> SubmissionMessage:
    """What is said with texts of limited length; those of earlier releases have any."""
    return replace(
        said,
        text=cut_middle(said.text, LONGEST),
        evidence={what: cut_middle(text, LONGEST) for what, text in said.evidence.items()},
        table=[[cut_middle(text, LONGEST) for text in row] for row in said.table],
    )


def resume_position(last_event_id: str, attempt: str) -> tuple[str, int]:
    """Where somebody goes on to listen who has heard as much as this tells."""
    found = LAST_EVENT_ID.fullmatch(last_event_id)
    return (found[1] or attempt, int(found[2]) + 1) if found else (attempt, 0)


def attempt_id(conversation: SubmissionHistory) -> str:
    """When a submission was begun, in digits: who begins again says all again."""
    return re.sub(r"\D", "", conversation.begun or "")[:14]
