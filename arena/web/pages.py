"""The pages of a site over HTTP, each made once until something is new."""

import asyncio
import logging
from mimetypes import guess_type
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.report.site import NoPage
from arena.web.places import Busy, Places
from arena.web.showing import Content, Showing
from arena.web.streams import Streams, streamed, versions

LOG = logging.getLogger(__name__)

MAKING, WAITING = 4, 64
"""Pages that are made at the same time, and how many may wait to be made."""
SHEETS = 16
"""Sheets of all games that are sent at the same time."""
LISTENING = 300
"""Pages that are told when something is new."""
LATER: Final = {"retry-after": "5"}


class SitePages:
    """The pages of what is shown."""

    def __init__(self, showing: Showing) -> None:
        self.showing = showing
        self.places = Places(MAKING, WAITING)
        self.sheets = Streams(SHEETS)
        self.listeners = Streams(LISTENING)
        self.going: dict[tuple[int, str], asyncio.Task[Content]] = {}
        """Pages that are being made: whoever asks for one meanwhile waits for the same."""

    def routes(self) -> list[Route]:
        """Every path of the site, `games.csv`, and `events`."""
        return [
            Route("/events", self.events),
            Route("/games.csv", self.sheet),
            Route("/{path:path}", self.page),
        ]

    async def made(self, path: str) -> Content:
        """A page, made in a place of its own."""
        async with self.places.taken():
            return await asyncio.to_thread(self.showing.content, path)

    async def content(self, path: str) -> Content:
        """A page that is there, or else is made for all who ask for it."""
        if found := self.showing.ready(path):
            return found
        wanted = self.showing.version, path
        task = self.going.get(wanted)
        if task is None:
            task = self.going[wanted] = asyncio.create_task(self.made(path))
            task.add_done_callback(lambda _: self.going.pop(wanted, None))
        return await asyncio.shield(task)

    async def page(self, request: Request) -> Response:
        """A page, or why there is none."""
        path = request.path_params["path"] or "index.html"
        try:
            found = await self.content(path)
        except NoPage as error:
            return PlainTextResponse(f"{error}\n", 404)
        except Busy:
            return busy()
        except ArenaError as error:  # which may name folders that are nobody else's business
            LOG.warning("%s", error)
            return PlainTextResponse("the run cannot be read just now; try again\n", 503, LATER)
        kind = guess_type(path)[0] or "application/octet-stream"
        return answered(request, found, kind)

    async def sheet(self, request: Request) -> Response:
        """Every seat of every game."""
        try:
            return self.sheets.answer(request, streamed(self.showing.games_sheet()), "text/csv", {})
        except Busy:
            return busy()

    async def events(self, request: Request) -> Response:
        """Tells when something is new."""
        try:
            return self.listeners.events(request, versions(self.showing))
        except Busy:
            return busy()


def answered(request: Request, found: Content, kind: str) -> Response:
    """Some content, unless it is known already."""
    headers = {"etag": found.tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.body, media_type=kind, headers=headers)


def busy() -> Response:
    """What is said when too many ask."""
    return PlainTextResponse("too many ask for this just now; try again\n", 503, LATER)
