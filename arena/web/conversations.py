"""Conversations: what a submission is told, as it comes."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import asdict, replace

from arena.errors import ArenaError
from arena.ladder.facts import Said, Submission
from arena.ladder.registry import Registry
from arena.printable import short, to_json
from arena.web.places import Busy, Places
from arena.web.streams import ALIVE, SILENT
from arena.web.turns import Turns

OFTEN = 0.25
"""Seconds between two looks at a submission that is worked on."""
SELDOM = 1.0
"""And at one that waits."""
HEARD: Final = re.compile(r"(?:([0-9]{14})-)?([0-9]{1,6})")
"""The last thing that somebody has heard: perhaps when it was begun, and its number from 0."""
LONGEST: Final = 4000
"""Characters of a text."""
AGAIN: Final = "event: again\n\n"
"""Tells that what was said so far is said again; who does not look at it just hears it twice."""


class Conversation(Submission, frozen=True, kw_only=True):
    """A submission, and everything it was told so far."""

    page: str | None = None
    """Where the version that it became is shown, once it is."""
    said: tuple[Said, ...] = ()


@dataclass(frozen=True)
class Look:
    """What a submission was told, as it was read a moment ago."""

    when: float
    found: "asyncio.Task[Conversation | None]"


class Conversations:
    """All submissions that somebody listens to, each read once for all who do."""

    def __init__(
        self, folder: Path, turns: Turns, page: Callable[[str], str | None], places: Places
    ) -> None:
        self.folder = folder
        self.turns = turns
        self.page = page
        self.places = places
        self.over = asyncio.Event()
        self.looks: dict[str, Look] = {}

    def end(self) -> None:
        """Let go of all who listen."""
        self.over.set()

    async def now(self, number: str) -> Conversation | None:
        """A submission with what it was told so far; raises `Busy` if too many ask."""
        moment = asyncio.get_running_loop().time()
        look = self.looks.get(number)
        if look is None or moment - look.when >= OFTEN:
            for one in [one for one, old in self.looks.items() if moment - old.when >= OFTEN]:
                del self.looks[one]
            look = self.looks[number] = Look(moment, asyncio.create_task(self.found(number)))
        return await asyncio.shield(look.found)

    async def found(self, number: str) -> Conversation | None:
        """The same, read in a thread when there is a place."""
        async with self.places.taken():
            return await asyncio.to_thread(self.read, number)

    def read(self, number: str) -> Conversation | None:
        """The same from the registry."""
        going = number in self.turns.going  # asked first: its clerk may end meanwhile
        with Registry.open(self.folder) as registry:
            submission = registry.submission(number)
            if submission is None:
                return None
            said = tuple(map(bounded, registry.said(number)))
        told = asdict(submission)
        if submission.over and going:  # its clerk has something to say yet
            told |= {"state": "running", "ended": None}
        page = self.page(submission.bot) if submission.bot else None
        return Conversation(**told, page=page, said=said)

    async def events(self, first: Conversation, heard: str) -> AsyncGenerator[str, None]:
        """What a submission is told, from where somebody has heard it, until it is over."""
        attempt, at = place(heard, begun(first))
        current: Conversation | None = first
        silent = 0.0
        while current is not None:
            if attempt != begun(current):
                if at:
                    yield AGAIN
                attempt, at = begun(current), 0
            for said in current.said[at:]:
                yield f"id: {attempt}-{at}\nevent: said\ndata: {to_json(said)}\n\n"
                at, silent = at + 1, 0.0
            if current.over:
                yield f"event: end\ndata: {to_json(current)}\n\n"
                return
            rest = SELDOM if current.state == "waiting" else OFTEN
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self.over.wait()
            if self.over.is_set():
                return
            silent += rest
            if silent >= ALIVE:
                silent = 0.0
                yield SILENT
            with suppress(Busy, ArenaError):  # it is looked at again soon
                current = await self.now(first.id)


def bounded(said: Said) -> Said:
    """What is said with texts of limited length; those of earlier releases have any."""
    return replace(
        said,
        text=short(said.text, LONGEST),
        evidence={what: short(text, LONGEST) for what, text in said.evidence.items()},
        table=[[short(text, LONGEST) for text in row] for row in said.table],
    )


def place(heard: str, attempt: str) -> tuple[str, int]:
    """Where somebody goes on to listen who has heard as much as this tells."""
    found = HEARD.fullmatch(heard)
    return (found[1] or attempt, int(found[2]) + 1) if found else (attempt, 0)


def begun(conversation: Conversation) -> str:
    """When a submission was begun, in digits: who begins again says all again."""
    return re.sub(r"\D", "", conversation.begun or "")[:14]
