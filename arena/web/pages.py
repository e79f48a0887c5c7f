"""Serve the pages of a site over HTTP; each is built once until the data changes."""

import asyncio
import logging
from mimetypes import guess_type
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.report.site import PageNotFound
from arena.web.limits import Busy, ConcurrencyLimit
from arena.web.site_cache import SiteCache, TaggedContent
from arena.web.streams import StreamLimit, stream_chunks, version_events

LOG = logging.getLogger(__name__)

MAX_RENDERING, MAX_WAITING = 4, 64
"""Pages that are made at the same time, and how many may wait to be made."""
MAX_DOWNLOADS = 16
"""Sheets of all games that are sent at the same time."""
MAX_LISTENERS = 300
"""Pages that are told when something is new."""
LATER: Final = {"retry-after": "5"}


class SitePages:
    """The pages of what is shown."""

    def __init__(self, site_cache: SiteCache) -> None:
        self.site_cache = site_cache
        self.render_limit = ConcurrencyLimit(MAX_RENDERING, MAX_WAITING)
        self.downloads = StreamLimit(MAX_DOWNLOADS)
        self.listeners = StreamLimit(MAX_LISTENERS)
        self.pending: dict[tuple[int, str], asyncio.Task[TaggedContent]] = {}
        """Pages that are being made: whoever asks for one meanwhile waits for the same."""

    def routes(self) -> list[Route]:
        """Every path of the site, `games.csv`, and `events`."""
        return [
            Route("/events", self.events),
            Route("/games.csv", self.games_csv),
            Route("/{path:path}", self.page),
        ]

    async def render(self, path: str) -> TaggedContent:
        """A page, made in a place of its own."""
        async with self.render_limit.slot():
            return await asyncio.to_thread(self.site_cache.content, path)

    async def content(self, path: str) -> TaggedContent:
        """A page that is there, or else is made for all who ask for it."""
        if found := self.site_cache.cached_content(path):
            return found
        wanted = self.site_cache.version, path
        task = self.pending.get(wanted)
        if task is None:
            task = self.pending[wanted] = asyncio.create_task(self.render(path))
            task.add_done_callback(lambda _: self.pending.pop(wanted, None))
        return await asyncio.shield(task)

    async def page(self, request: Request) -> Response:
        """A page, or why there is none."""
        path = request.path_params["path"] or "index.html"
        try:
            found = await self.content(path)
        except PageNotFound as error:
            return PlainTextResponse(f"{error}\n", 404)
        except Busy:
            return busy_response()
        except ArenaError as error:  # which may name folders that are nobody else's business
            LOG.warning("%s", error)
            return PlainTextResponse("the run cannot be read just now; try again\n", 503, LATER)
        kind = guess_type(path)[0] or "application/octet-stream"
        return content_response(request, found, kind)

    async def games_csv(self, request: Request) -> Response:
        """Every seat of every game."""
        try:
            return self.downloads.stream_response(
                request, stream_chunks(self.site_cache.games_csv()), "text/csv", {}
            )
        except Busy:
            return busy_response()

    async def events(self, request: Request) -> Response:
        """Tells when something is new."""
        try:
            return self.listeners.event_stream(request, version_events(self.site_cache))
        except Busy:
            return busy_response()


def content_response(request: Request, content: TaggedContent, media_type: str) -> Response:
    """Some content, unless it is known already."""
    headers = {"etag": content.etag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == content.etag:
        return Response(status_code=304, headers=headers)
    return Response(content.body, media_type=media_type, headers=headers)


def busy_response() -> Response:
    """What is said when too many ask."""
    return PlainTextResponse("too many ask for this just now; try again\n", 503, LATER)
