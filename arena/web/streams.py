"""Streams: answers that go on while something happens."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.web.places import Busy
from arena.web.showing import Showing

ALIVE = 15.0
"""Seconds after which a silent stream says that it still lives."""
SILENT: Final = ": nothing new\n\n"
EVENTS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Neither kept nor held back by anybody in between."""


class Streams:
    """So many streams at the same time, for everybody together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0

    def answer(
        self,
        request: Request,
        parts: AsyncGenerator[str, None] | AsyncGenerator[bytes, None],
        kind: str,
        headers: dict[str, str],
    ) -> Response:
        """An answer that comes in parts; raises `Busy` if too many are on their way."""
        if request.method == "HEAD":
            return Response(media_type=kind, headers=headers)
        if self.count >= self.most:
            raise Busy
        return Counted(self, parts, kind, headers)

    def events(self, request: Request, events: AsyncGenerator[str, None]) -> Response:
        """A stream of server-sent events."""
        return self.answer(request, events, "text/event-stream", EVENTS)


class Counted(StreamingResponse):
    """A stream that counts until it is over, however it ends."""

    def __init__(
        self,
        streams: Streams,
        parts: AsyncGenerator[str, None] | AsyncGenerator[bytes, None],
        kind: str,
        headers: dict[str, str],
    ) -> None:
        super().__init__(parts, media_type=kind, headers=headers)
        self.streams = streams
        self.parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of it, or as much as is wanted."""
        self.streams.count += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.streams.count -= 1
            await self.parts.aclose()


async def versions(showing: Showing) -> AsyncGenerator[str, None]:
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
            yield SILENT


async def streamed(chunks: Generator[bytes, None, None]) -> AsyncGenerator[bytes, None]:
    """Chunks that are all made in one thread of their own, so that no other waits."""
    alone = ThreadPoolExecutor(1)
    try:
        while chunk := await asyncio.wrap_future(alone.submit(next, chunks, b"")):
            yield chunk
    finally:
        alone.submit(chunks.close)
        alone.shutdown(wait=False)
