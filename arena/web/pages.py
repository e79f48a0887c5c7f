"""Serve the pages of a site over HTTP; each is built once until the data changes."""

import asyncio
import logging
from mimetypes import guess_type

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.report.site import PageNotFound
from arena.web.limits import ConcurrencyLimit, LimitReached
from arena.web.response_limits import busy_response
from arena.web.site_cache import SiteCache, TaggedContent
from arena.web.streams import StreamLimit, stream_chunks, version_events

LOG = logging.getLogger(__name__)

MAX_RENDERING, MAX_WAITING = 4, 64
"""Pages that are rendered at the same time, and that may wait for it."""
MAX_DOWNLOADS = 16
"""Downloads of `games.csv` at the same time."""
MAX_LISTENERS = 300
"""Open pages that listen for new versions of the site."""
BUSY_TEXT = "too many requests just now"


class SiteEndpoints:
    """The routes of a site: its files, `games.csv` and `events`."""

    def __init__(self, site_cache: SiteCache) -> None:
        self.site_cache = site_cache
        self.render_limit = ConcurrencyLimit(MAX_RENDERING, MAX_WAITING)
        self.downloads = StreamLimit(MAX_DOWNLOADS)
        self.listeners = StreamLimit(MAX_LISTENERS)
        self.pending: dict[tuple[int, str], asyncio.Task[TaggedContent]] = {}
        """Pages that are being rendered; further requests for them wait for the same task."""

    def routes(self) -> list[Route]:
        """The routes of the site."""
        return [
            Route("/events", self.events),
            Route("/games.csv", self.games_csv),
            Route("/{path:path}", self.page),
        ]

    async def render(self, path: str) -> TaggedContent:
        """Render a page in a thread."""
        async with self.render_limit.slot():
            return await asyncio.to_thread(self.site_cache.content, path)

    async def content(self, path: str) -> TaggedContent:
        """Return a cached page, or render it once for all requests that wait for it."""
        if content := self.site_cache.cached_content(path):
            return content
        key = self.site_cache.version, path
        task = self.pending.get(key)
        if task is None:
            task = self.pending[key] = asyncio.create_task(self.render(path))
            task.add_done_callback(lambda _: self.pending.pop(key, None))
        return await asyncio.shield(task)

    async def page(self, request: Request) -> Response:
        """Serve a page."""
        path = request.path_params["path"] or "index.html"
        try:
            content = await self.content(path)
        except PageNotFound as error:
            return PlainTextResponse(f"{error}\n", 404)
        except LimitReached:
            return busy_response(request.scope, BUSY_TEXT)
        except ArenaError as error:  # its text may name folders, so it is only logged
            LOG.warning("%s", error)
            return busy_response(request.scope, "the run cannot be read just now")
        media_type = guess_type(path)[0] or "application/octet-stream"
        return content_response(request, content, media_type)

    async def games_csv(self, request: Request) -> Response:
        """Serve the rows of all games."""
        try:
            return self.downloads.stream_response(
                request, stream_chunks(self.site_cache.games_csv()), "text/csv", {}
            )
        except LimitReached:
            return busy_response(request.scope, BUSY_TEXT)

    async def events(self, request: Request) -> Response:
        """Serve the events of new versions of the site."""
        try:
            return self.listeners.event_stream(request, version_events(self.site_cache))
        except LimitReached:
            return busy_response(request.scope, BUSY_TEXT)


def content_response(request: Request, content: TaggedContent, media_type: str) -> Response:
    """Respond with content, or with 304 if the client has it already."""
    headers = {"etag": content.etag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == content.etag:
        return Response(status_code=304, headers=headers)
    return Response(content.body, media_type=media_type, headers=headers)
