"""ASGI middleware: access log, security headers and URL prefix."""

import logging
import re
import time
from collections import Counter
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.sanitize import cut_middle, printable

LOG = logging.getLogger(__name__)

MAX_PATH_LENGTH: Final = 200
"""Characters of a path."""
SUBMISSION_PATH: Final = re.compile(r"(/api/submissions/.{4})[^/]+")
"""Whoever knows the id of a submission may read what it was told."""
MAX_ADDRESS_LENGTH: Final = 45
"""Characters of an address."""
MAX_MESSAGES: Final = 1000
"""Messages that are remembered."""
THROTTLE_SECONDS = 60.0
"""Seconds within which one message is logged once."""


class LogThrottle(logging.Filter):
    """Passes the same message of a logger once a minute, with how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self.last_logged: dict[tuple[str, str], float] = {}
        self.left_out: Counter[tuple[str, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record; messages are the same whatever is put into them."""
        text = str(record.msg).partition("\n")[0][:MAX_PATH_LENGTH]
        key, moment = (record.name, text), time.monotonic()
        if len(self.last_logged) > MAX_MESSAGES:
            self.last_logged.clear()
            self.left_out.clear()
        if moment - self.last_logged.get(key, -THROTTLE_SECONDS) < THROTTLE_SECONDS:
            self.left_out[key] += 1
            return False
        self.last_logged[key] = moment
        if count := self.left_out.pop(key, 0):
            record.msg = f"{record.msg} ({count:,} more like this were not logged)"
        return True


LOG_THROTTLE: Final = LogThrottle()


class AccessLog:
    """Logs who asked what, how it was answered and how long that took."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and write a line when all is sent; what stands behind a `?` is not in it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, sending)
        finally:
            took = 1000 * (time.perf_counter() - begun)
            path = SUBMISSION_PATH.sub(r"\1…", scope["path"])
            LOG.info(
                "%s %s %s %s %.1f ms",
                printable(cut_middle((scope.get("client") or ("-",))[0], MAX_ADDRESS_LENGTH)),
                printable(cut_middle(scope["method"], 20)),
                printable(cut_middle(path, MAX_PATH_LENGTH)),
                status or "-",
                took,
            )


SECURITY_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class SecurityHeaders:
    """Sets the headers that keep pages to themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with more headers."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)


class PathPrefix:
    """Takes paths with a prefix and those from which a proxy took it, and tells all of it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as if the prefix were everything that there is above us."""
        if scope["type"] != "http" or not self.prefix:
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        if path == self.prefix:  # else links, which begin where a page stands, would miss it
            answer = Response(status_code=308, headers={"location": f"{self.prefix}/"})
            await answer(scope, receive, send)
            return
        whole = path if path.startswith(f"{self.prefix}/") else self.prefix + path
        await self.app({**scope, "root_path": self.prefix, "path": whole}, receive, send)
