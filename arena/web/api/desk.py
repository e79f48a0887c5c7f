"""The desk: what all operations share, and how they read the ladder without getting in the way."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request

from arena.errors import ArenaError
from arena.ladder.registry import Registry
from arena.ladder.tokens import owner_of
from arena.report.pages import Pages
from arena.store.run import Run
from arena.web.api.failures import Failure, later
from arena.web.bearers import Bearers
from arena.web.conversations import Conversations
from arena.web.places import Busy, Places
from arena.web.showing import Showing
from arena.web.streams import Streams
from arena.web.turns import Turns

LOG = logging.getLogger(__name__)

T = TypeVar("T")

READING, WAITING = 4, 64
"""Looks into the store at the same time, and how many may wait for theirs."""
LISTENING = 200
"""Those who listen to what submissions are told."""
SOON = 5
"""Seconds after which whoever was sent away may ask again."""


class Desk:
    """The ladder as those see it who answer questions about it."""

    def __init__(self, showing: Showing, turns: Turns) -> None:
        self.folder = showing.folder
        self.showing = showing
        self.turns = turns
        self.places = Places(READING, WAITING)
        self.bearers = Bearers()
        self.conversations = Conversations(self.folder, turns, self.page, self.places)
        self.listeners = Streams(LISTENING)
        self.checking: asyncio.Task[Any] | None = None
        """The look at whether the ladder is well, which is taken once for all who ask."""
        self.sending: set[str] = set()
        """The owners who are sending something."""

    def page(self, bot: str) -> str | None:
        """Where a version is shown, if the site knows it."""
        return self.showing.shown.site.pages.paths.get(bot)

    async def owner(self, request: Request) -> str:
        """Whose token a question comes with; raises if it is nobody's."""
        token = self.bearers.shown(request)
        owner = await self.registered(lambda registry: owner_of(registry, token))
        if owner is None:
            raise self.bearers.wrong(request)
        return owner

    async def registered(self, ask: Callable[[Registry], T]) -> T:
        """Ask the registry in a thread."""

        def asked() -> T:
            with Registry.open(self.folder) as registry:
                return ask(registry)

        return await self.done(asked)

    async def stored(self, ask: Callable[[Run], T]) -> T:
        """Ask the store in a thread."""

        def asked() -> T:
            with Run.open(self.folder) as run:
                return ask(run)

        return await self.done(asked)

    async def done(self, costly: Callable[[], T]) -> T:
        """Do something costly in a thread, when there is a place."""
        try:
            async with self.places.taken():
                return await asyncio.to_thread(costly)
        except Busy:
            raise crowded() from None
        except ArenaError as error:
            raise unreadable(error) from error

    async def standing(self) -> Pages:
        """How all versions stand on the site that is shown now, worked out once for each site."""
        pages = self.showing.shown.site.pages
        if "known" not in vars(pages):
            await self.done(lambda: pages.known)
        return pages


def crowded() -> Failure:
    """What is said when too many ask."""
    return later(503, "too many ask for this just now; try again", SOON)


def unreadable(error: Exception) -> Failure:
    """What is said when the ladder cannot be read; why is nobody else's business."""
    LOG.warning("%s", error)
    return later(503, "the ladder cannot be read just now; try again", SOON)
