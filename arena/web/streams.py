"""Streaming responses and server-sent events, limited in number."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.web.limits import Busy
from arena.web.site_cache import SiteCache

KEEPALIVE_SECONDS = 15.0
"""Seconds after which a silent stream says that it still lives."""
KEEPALIVE_COMMENT: Final = ": nothing new\n\n"
EVENT_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Neither kept nor held back by anybody in between."""


class StreamLimit:
    """So many streams at the same time, for everybody together."""

    def __init__(self, max_streams: int) -> None:
        self.max_streams = max_streams
        self.count = 0

    def stream_response(
        self,
        request: Request,
        parts: AsyncGenerator[str, None] | AsyncGenerator[bytes, None],
        media_type: str,
        headers: dict[str, str],
    ) -> Response:
        """An answer that comes in parts; raises `Busy` if too many are on their way."""
        if request.method == "HEAD":
            return Response(media_type=media_type, headers=headers)
        if self.count >= self.max_streams:
            raise Busy
        return CountedStream(self, parts, media_type, headers)

    def event_stream(self, request: Request, events: AsyncGenerator[str, None]) -> Response:
        """A stream of server-sent events."""
        return self.stream_response(request, events, "text/event-stream", EVENT_HEADERS)


class CountedStream(StreamingResponse):
    """A stream that counts until it is over, however it ends."""

    def __init__(
        self,
        limit: StreamLimit,
        parts: AsyncGenerator[str, None] | AsyncGenerator[bytes, None],
        media_type: str,
        headers: dict[str, str],
    ) -> None:
        super().__init__(parts, media_type=media_type, headers=headers)
        self.limit = limit
        self.parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of it, or as much as is wanted."""
        self.limit.count += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.limit.count -= 1
            await self.parts.aclose()


async def version_events(site_cache: SiteCache) -> AsyncGenerator[str, None]:
    """The number of the site now, and each new one when it is there, until all is over."""
    told = None
    while not site_cache.is_stopped:
        changed = site_cache.change_event  # looked at before the version, so that none is missed
        if told != site_cache.version:
            told = site_cache.version
            yield f"data: {told}\n\n"
            continue
        try:
            await asyncio.wait_for(changed.wait(), KEEPALIVE_SECONDS)
        except TimeoutError:
            yield KEEPALIVE_COMMENT


async def stream_chunks(chunks: Generator[bytes, None, None]) -> AsyncGenerator[bytes, None]:
    """Chunks that are all made in one thread of their own, so that no other waits."""
    alone = ThreadPoolExecutor(1)
    try:
        while chunk := await asyncio.wrap_future(alone.submit(next, chunks, b"")):
            yield chunk
    finally:
        alone.submit(chunks.close)
        alone.shutdown(wait=False)
