"""Receiving: what somebody sends, part by part, never all in memory and never for ever."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Send

from arena.web.api.failures import Failure

SILENCE = 30.0
"""Seconds without a byte."""
WHOLE = 120.0
"""Seconds for all of it."""
PART: Final = 1 << 18
"""Bytes that are handed on together."""
LINGER = 5.0
"""Seconds in which somebody who was refused may send on, so that the answer is read."""
CLOSE: Final = {"connection": "close"}


class Body:
    """What comes with a question; knows whether all of it came."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.over = False

    async def __call__(self) -> Message:
        """The next message, as the server has it."""
        message = await self.receive()
        self.over = message["type"] != "http.request" or not message.get("more_body", False)
        return message


async def parts(request: Request, most: int) -> AsyncIterator[bytes]:
    """A body part by part; raises if it takes too long or is too long."""
    check(request, most)
    loop = asyncio.get_running_loop()
    end = loop.time() + WHOLE
    held, total, more = bytearray(), 0, True
    while more:
        try:
            async with asyncio.timeout(min(SILENCE, end - loop.time())):
                message = await request.receive()
        except TimeoutError:
            raise Failure(408, "it came too slowly; send it again", CLOSE) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        held += message.get("body", b"")
        more = message.get("more_body", False)
        total += len(message.get("body", b""))
        if total > most:
            raise too_long(most)
        if held and (len(held) >= PART or not more):
            yield bytes(held)
            held.clear()


def check(request: Request, most: int) -> None:
    """Refuse what says before it comes that it has no length, or too much of it."""
    length = request.headers.get("content-length")
    if length is None and "transfer-encoding" not in request.headers:
        raise Failure(411, "how long the file is was not said; send 'Content-Length'", CLOSE)
    if length is not None and int(length) > most:
        raise too_long(most)


def too_long(most: int) -> Failure:
    """What is said of a file that is too large."""
    return Failure(413, f"it is larger than {most >> 20} MiB, which is what one may send", CLOSE)


async def refuse(answer: Response, request: Request, body: Body, send: Send) -> None:
    """Answer before all has come, and read on for a while: many read no answer before they sent."""
    answer.headers["connection"] = "close"
    start = {"type": "http.response.start", "status": answer.status_code}
    await send({**start, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": True})
    if "expect" not in request.headers:  # who asks before sending sends nothing more
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while not body.over:
                    await body()
    await send({"type": "http.response.body", "body": b"", "more_body": False})
