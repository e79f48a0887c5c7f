"""Receive a request body in parts, with limits on size and time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Send

from arena.web.errors import ApiError

PART_TIMEOUT = 30.0
"""Seconds without a byte."""
UPLOAD_TIMEOUT = 120.0
"""Seconds for all of it."""
PART: Final = 1 << 18
"""Bytes that are handed on together."""
LINGER = 5.0
"""Seconds in which somebody who was refused may send on, so that the answer is read."""
CLOSE: Final = {"connection": "close"}


class RequestBody:
    """What comes with a question; knows whether all of it came."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.is_over = False

    async def __call__(self) -> Message:
        """The next message, as the server has it."""
        message = await self.receive()
        self.is_over = message["type"] != "http.request" or not message.get("more_body", False)
        return message


async def receive_parts(request: Request, max_bytes: int) -> AsyncIterator[bytes]:
    """A body part by part; raises if it takes too long or is too long."""
    check_length(request, max_bytes)
    loop = asyncio.get_running_loop()
    end = loop.time() + UPLOAD_TIMEOUT
    held, total, more = bytearray(), 0, True
    while more:
        try:
            async with asyncio.timeout(min(PART_TIMEOUT, end - loop.time())):
                message = await request.receive()
        except TimeoutError:
            raise ApiError(408, "it came too slowly; send it again", CLOSE) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        held += message.get("body", b"")
        more = message.get("more_body", False)
        total += len(message.get("body", b""))
        if total > max_bytes:
            raise too_large_error(max_bytes)
        if held and (len(held) >= PART or not more):
            yield bytes(held)
            held.clear()


def check_length(request: Request, max_bytes: int) -> None:
    """Refuse what says before it comes that it has no length, or too much of it."""
    length = request.headers.get("content-length")
    if length is None and "transfer-encoding" not in request.headers:
        raise ApiError(411, "how long the file is was not said; send 'Content-Length'", CLOSE)
    if length is not None and int(length) > max_bytes:
        raise too_large_error(max_bytes)


def too_large_error(max_bytes: int) -> ApiError:
    """What is said of a file that is too large."""
    return ApiError(
        413, f"it is larger than {max_bytes >> 20} MiB, which is what one may send", CLOSE
    )


async def send_refusal(answer: Response, request: Request, body: RequestBody, send: Send) -> None:
    """Answer before all has come, and read on for a while: many read no answer before they sent."""
    answer.headers["connection"] = "close"
    start = {"type": "http.response.start", "status": answer.status_code}
    await send({**start, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": True})
    if "expect" not in request.headers:  # who asks before sending sends nothing more
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while not body.is_over:
                    await body()
    await send({"type": "http.response.body", "body": b"", "more_body": False})
