"""ASGI middleware that sends large responses in parts and limits responses per address."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.addresses import network_of

PART: Final = 1 << 16
"""Bytes that are sent at a time; the next part waits until the client has read some."""
IN_FLIGHT = 32 << 20
"""Bytes of all large bodies that are being sent at the same time."""
PER_ADDRESS = 64
"""Connections, or answers through a proxy, of one client address at the same time."""
PEER: Final = "peer"
"""Where a request's state names the other end of its connection, which may be a proxy."""
LATER: Final = {"retry-after": "5"}


class ResponseLimiter:
    """Splits large bodies into parts, and limits their bytes in all and answers per address."""

    def __init__(self, app: ASGIApp, per_address: int = PER_ADDRESS) -> None:
        self.app = app
        self.per_address = per_address
        self.open_responses: Counter[str] = Counter()
        """Answers on their way, by the addresses that proxies name."""
        self.open_bodies: dict[int, tuple[bytes, int]] = {}
        """Large bodies on their way, and how many answers send each: cached pages are shared."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, unless the client's address has too many answers on their way."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        address = forwarded_address(scope)
        if address and self.open_responses[address] >= self.per_address:
            answer = busy_response(scope, "too many answers are on their way to you")
            await answer(scope, receive, send)
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
        """Whether a large body can be sent now; one alone always can."""
        total = sum(len(one) for one, _ in self.open_bodies.values())
        return not total or id(body) in self.open_bodies or total + len(body) <= IN_FLIGHT

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
    """Sends one answer in parts."""

    def __init__(
        self, limiter: ResponseLimiter, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self.limiter = limiter
        self.scope = scope
        self.receive = receive
        self.send = send
        self.held_start: Message | None = None
        """The beginning of an answer of known length, until its body is there."""
        self.is_refused = False

    async def __call__(self, message: Message) -> None:
        """Send a message; the beginning waits for its body, which may have to be refused."""
        if self.is_refused:
            return
        if message["type"] == "http.response.start" and has_length(message):
            self.held_start = message
            return
        body = message.get("body", b"")
        if self.held_start is not None and len(body) > PART and not self.limiter.can_send(body):
            self.is_refused = True
            answer = busy_response(self.scope, "too much is being sent just now")
            await answer(self.scope, self.receive, self.send)
            return
        if self.held_start is not None:
            start, self.held_start = self.held_start, None
            await self.send(start)
        if len(body) <= PART:
            await self.send(message)
            return
        with self.limiter.track_body(body):
            more = message.get("more_body", False)
            for place in range(0, len(body), PART):
                part = body[place : place + PART]
                rest = more or place + PART < len(body)
                await self.send({**message, "body": part, "more_body": rest})


def forwarded_address(scope: Scope) -> str:
    """The address for which a proxy asks; empty if the client is connected itself."""
    client, peer = scope.get("client"), scope.get("state", {}).get(PEER)
    return network_of(client[0]) if client and tuple(client) != peer else ""


def has_length(message: Message) -> bool:
    """Whether an answer says how long it is, so that its body comes at once."""
    return any(name.lower() == b"content-length" for name, _ in message.get("headers", ()))


def busy_response(scope: Scope, sentence: str) -> Response:
    """The answer when a limit is reached: JSON for the API, else plain text."""
    if "/api/" in scope["path"]:
        return JSONResponse({"error": f"{sentence}; try again"}, 503, LATER)
    return PlainTextResponse(f"{sentence}; try again\n", 503, LATER)
