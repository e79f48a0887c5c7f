"""The pages of a run over HTTP, as they change."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from hashlib import sha256
from mimetypes import guess_type

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.errors import ArenaError
from arena.report.site import NoPage
from arena.web.showing import Showing

LOG = logging.getLogger(__name__)

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
ALIVE = 15.0
"""Seconds after which a silent stream says that it still lives."""


class Guarded:
    """Sets the headers that keep pages to themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with more headers."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)


def app(showing: Showing) -> Starlette:
    """What serves the site of a run."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        following = asyncio.create_task(showing.follow())
        yield
        following.cancel()

    async def page(request: Request) -> Response:
        path = request.path_params["path"] or "index.html"
        try:
            content = await asyncio.to_thread(showing.content, path)
        except NoPage as error:
            return PlainTextResponse(f"{error}\n", 404)
        except ArenaError as error:  # which may name folders that are nobody else's business
            LOG.warning("%s", error)
            return PlainTextResponse("the run cannot be read just now; try again\n", 503)
        tag = f'"{sha256(content).hexdigest()[:24]}"'
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        kind = guess_type(path)[0] or "application/octet-stream"
        return Response(content, media_type=kind, headers=headers)

    async def sheet(_: Request) -> Response:
        return StreamingResponse(streamed(showing.games_sheet()), media_type="text/csv")

    async def events(_: Request) -> Response:
        return StreamingResponse(
            versions(showing), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    return Starlette(
        routes=[
            Route("/events", events),
            Route("/games.csv", sheet),
            Route("/{path:path}", page),
        ],
        middleware=[Middleware(Guarded)],
        lifespan=lifespan,
    )


async def versions(showing: Showing) -> AsyncIterator[str]:
    """The number of the site now, and each new one when it is there, until all is over."""
    told = None
    while not showing.ended:
        changed = showing.changed  # looked at before the version, so that none is missed
        if told != showing.version:
            told = showing.version
            yield f"data: {told}\n\n"
            continue
        try:
            await asyncio.wait_for(changed.wait(), ALIVE)
        except TimeoutError:
            yield ": nothing new\n\n"


async def streamed(chunks: Generator[bytes, None, None]) -> AsyncGenerator[bytes, None]:
    """Chunks that are all made in one thread, as SQLite wants it."""
    alone = ThreadPoolExecutor(1)
    try:
        while chunk := await asyncio.wrap_future(alone.submit(next, chunks, b"")):
            yield chunk
    finally:
        alone.submit(chunks.close)
        alone.shutdown(wait=False)
