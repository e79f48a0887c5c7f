"""ASGI middleware that sends large responses in parts and limits responses per address."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.addresses import client_network

PART_BYTES: Final = 1 << 16
"""Bytes of a part; the next part waits until the client has read some."""
MAX_BYTES_IN_FLIGHT = 32 << 20
"""Bytes of all large bodies that are sent at the same time."""
PER_ADDRESS = 64
"""Connections, or responses through a proxy, of a client address at the same time."""
PEER: Final = "peer"
"""The key of the request state for the other end of the connection, perhaps a proxy."""
RETRY_HEADERS: Final = {"retry-after": "5"}


class ResponseLimiter:
    """Splits large bodies into parts, and limits their bytes and the responses per address."""

    def __init__(self, app: ASGIApp, per_address: int = PER_ADDRESS) -> None:
        self.app = app
        self.per_address = per_address
        self.open_responses: Counter[str] = Counter()
        """Responses that are being sent, by the addresses that proxies name."""
        self.open_bodies: dict[int, tuple[bytes, int]] = {}
        """Large bodies that are being sent, with a count, since responses share cached pages."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, unless its address has too many responses."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        address = forwarded_address(scope)
        if address and self.open_responses[address] >= self.per_address:
            response = busy_response(scope, "too many responses are being sent to your address")
            await response(scope, receive, send)
            return
        self.open_responses[address] += 1
        try:
            parts = send if scope["method"] == "HEAD" else PartSender(self, scope, receive, send)
            await self.app(scope, receive, parts)
        finally:
            self.open_responses[address] -= 1
            if not self.open_responses[address]:
                del self.open_responses[address]

    def can_send(self, body: bytes) -> bool:
        """Whether a large body fits into the limit; a single one always does."""
        total = sum(len(one) for one, _ in self.open_bodies.values())
        return not total or id(body) in self.open_bodies or total + len(body) <= MAX_BYTES_IN_FLIGHT

    @contextmanager
    def track_body(self, body: bytes) -> Iterator[None]:
        """Count a large body while it is sent."""
        _, count = self.open_bodies.get(id(body), (body, 0))
        self.open_bodies[id(body)] = body, count + 1
        try:
            yield
        finally:
            _, count = self.open_bodies.pop(id(body))
            if count > 1:
                self.open_bodies[id(body)] = body, count - 1


class PartSender:
    """Sends one response in parts."""

    def __init__(
        self, limiter: ResponseLimiter, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self.limiter = limiter
        self.scope = scope
        self.receive = receive
        self.send = send
        self.pending_start: Message | None = None
        """The start of a response with known length, kept until its body is there."""
        self.is_refused = False

    async def __call__(self, message: Message) -> None:
        """Send a message; the start waits for its body, which may exceed the limit."""
        if self.is_refused:
            return
        if message["type"] == "http.response.start" and has_length(message):
            self.pending_start = message
            return
        body = message.get("body", b"")
        if (
            self.pending_start is not None
            and len(body) > PART_BYTES
            and not self.limiter.can_send(body)
        ):
            self.is_refused = True
            response = busy_response(self.scope, "too much is being sent just now")
            await response(self.scope, self.receive, self.send)
            return
        if self.pending_start is not None:
            start, self.pending_start = self.pending_start, None
            await self.send(start)
        if len(body) <= PART_BYTES:
            await self.send(message)
            return
        with self.limiter.track_body(body):
            body_continues = message.get("more_body", False)
            for offset in range(0, len(body), PART_BYTES):
                part = body[offset : offset + PART_BYTES]
                has_more = body_continues or offset + PART_BYTES < len(body)
                await self.send({**message, "body": part, "more_body": has_more})


def forwarded_address(scope: Scope) -> str:
    """The client address that a proxy names; empty for direct connections."""
    client, peer = scope.get("client"), scope.get("state", {}).get(PEER)
    return client_network(client[0]) if client and tuple(client) != peer else ""


def has_length(message: Message) -> bool:
    """Whether a response has a known length, so that its body is one message."""
    return any(name.lower() == b"content-length" for name, _ in message.get("headers", ()))


def busy_response(scope: Scope, sentence: str) -> Response:
    """The response to a request that may succeed later: JSON for the API, else plain text."""
    if "/api/" in scope["path"]:
        return JSONResponse({"error": f"{sentence}; try again"}, 503, RETRY_HEADERS)
    return PlainTextResponse(f"{sentence}; try again\n", 503, RETRY_HEADERS)
