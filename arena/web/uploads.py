"""Receive a request body in parts, with limits on size and time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Send

from arena.web.api_errors import ApiError

PART_TIMEOUT = 30.0
"""Seconds in which the next bytes have to come."""
UPLOAD_TIMEOUT = 120.0
"""Seconds in which the whole body has to come."""
PART_BYTES: Final = 1 << 18
"""Bytes of a part."""
LINGER_SECONDS = 5.0
"""Seconds in which the rest of a rejected body is read, so that the client reads the answer."""
CLOSE_HEADERS: Final = {"connection": "close"}


class RequestBody:
    """The body of a request; knows whether it has been read to its end."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.is_over = False

    async def __call__(self) -> Message:
        """Receive the next message."""
        message = await self.receive()
        self.is_over = message["type"] != "http.request" or not message.get("more_body", False)
        return message


async def receive_parts(request: Request, max_bytes: int) -> AsyncIterator[bytes]:
    """Yield the parts of a body; raises `ApiError` if it is too slow or too large."""
    check_length(request, max_bytes)
    loop = asyncio.get_running_loop()
    end = loop.time() + UPLOAD_TIMEOUT
    buffer, total, more = bytearray(), 0, True
    while more:
        try:
            async with asyncio.timeout(min(PART_TIMEOUT, end - loop.time())):
                message = await request.receive()
        except TimeoutError:
            raise ApiError(408, "the upload was too slow; send it again", CLOSE_HEADERS) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        buffer += message.get("body", b"")
        more = message.get("more_body", False)
        total += len(message.get("body", b""))
        if total > max_bytes:
            raise too_large_error(max_bytes)
        if buffer and (len(buffer) >= PART_BYTES or not more):
            yield bytes(buffer)
            buffer.clear()


def check_length(request: Request, max_bytes: int) -> None:
    """Reject a body with a missing or too large `Content-Length`."""
    length = request.headers.get("content-length")
    if length is None and "transfer-encoding" not in request.headers:
        raise ApiError(411, "missing 'Content-Length' header", CLOSE_HEADERS)
    if length is not None and int(length) > max_bytes:
        raise too_large_error(max_bytes)


def too_large_error(max_bytes: int) -> ApiError:
    """The error for a file that is too large."""
    return ApiError(
        413, f"it is larger than {max_bytes >> 20} MiB, which is what one may send", CLOSE_HEADERS
    )


async def send_refusal(response: Response, request: Request, body: RequestBody, send: Send) -> None:
    """Respond to an unread body, and read on: many clients send all before they read."""
    response.headers["connection"] = "close"
    start = {"type": "http.response.start", "status": response.status_code}
    await send({**start, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    if "expect" not in request.headers:  # a client that expects 100 sends nothing more
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while not body.is_over:
                    await body()
    await send({"type": "http.response.body", "body": b"", "more_body": False})
