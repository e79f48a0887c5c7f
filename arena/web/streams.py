"""Streaming responses and server-sent events, limited in number."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.web.limits import LimitReached
from arena.web.site_cache import SiteCache

KEEPALIVE_SECONDS = 15.0
"""Seconds of silence after which a stream sends a comment."""
KEEPALIVE_COMMENT: Final = ": nothing new\n\n"
EVENT_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Proxies must neither cache nor buffer events."""


class StreamLimit:
    """Limits the number of streams at the same time."""

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
        """Create a response that is sent in parts; raises `LimitReached` if there are too many."""
        if request.method == "HEAD":
            return Response(media_type=media_type, headers=headers)
        if self.count >= self.max_streams:
            raise LimitReached
        return CountedStream(self, parts, media_type, headers)

    def event_stream(self, request: Request, events: AsyncGenerator[str, None]) -> Response:
        """Create a response of server-sent events."""
        return self.stream_response(request, events, "text/event-stream", EVENT_HEADERS)


class CountedStream(StreamingResponse):
    """A streaming response that counts against its limit until it ends."""

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
        """Send the stream, until its end or until the client disconnects."""
        self.limit.count += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.limit.count -= 1
            await self.parts.aclose()


async def version_events(site_cache: SiteCache) -> AsyncGenerator[str, None]:
    """Yield the version of the site, and each new version, until the server stops."""
    sent_version = None
    while not site_cache.is_stopped:
        changed = site_cache.change_event  # read before the version, so that no change is missed
        if sent_version != site_cache.version:
            sent_version = site_cache.version
            yield f"data: {sent_version}\n\n"
            continue
        try:
            await asyncio.wait_for(changed.wait(), KEEPALIVE_SECONDS)
        except TimeoutError:
            yield KEEPALIVE_COMMENT


async def stream_chunks(chunks: Generator[bytes, None, None]) -> AsyncGenerator[bytes, None]:
    """Yield chunks that are all made in one separate thread."""
    executor = ThreadPoolExecutor(1)
    try:
        while chunk := await asyncio.wrap_future(executor.submit(next, chunks, b"")):
            yield chunk
    finally:
        executor.submit(chunks.close)
        executor.shutdown(wait=False)
