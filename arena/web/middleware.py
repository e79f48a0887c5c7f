"""ASGI middleware: access log, security headers and URL prefix; see also `response_limits`."""

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
"""Characters of a path in the log."""
SUBMISSION_PATH: Final = re.compile(r"(/api/submissions/.{4})[^/]+")
"""The id of a submission gives access to its messages, so the log has only its start."""
MAX_ADDRESS_LENGTH: Final = 45
"""Characters of a client address in the log."""
MAX_MESSAGES: Final = 1000
"""Messages whose last time is kept."""
THROTTLE_SECONDS = 60.0
"""Seconds in which a message is logged only once."""


class LogThrottle(logging.Filter):
    """Passes the same message of a logger once a minute, and counts the dropped ones."""

    def __init__(self) -> None:
        super().__init__()
        self.last_logged: dict[tuple[str, str], float] = {}
        self.left_out: Counter[tuple[str, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record; messages with different arguments are the same."""
        text = str(record.msg).partition("\n")[0][:MAX_PATH_LENGTH]
        key, now = (record.name, text), time.monotonic()
        if len(self.last_logged) > MAX_MESSAGES:
            self.last_logged.clear()
            self.left_out.clear()
        if now - self.last_logged.get(key, -THROTTLE_SECONDS) < THROTTLE_SECONDS:
            self.left_out[key] += 1
            return False
        self.last_logged[key] = now
        if count := self.left_out.pop(key, 0):
            record.msg = f"{record.msg} ({count:,} more like this were not logged)"
        return True


LOG_THROTTLE: Final = LogThrottle()


class AccessLog:
    """Logs each request with client, status and duration."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, then log a line without the query string."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def send_and_note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_note_status)
        finally:
            duration = 1000 * (time.perf_counter() - started)
            path = SUBMISSION_PATH.sub(r"\1…", scope["path"])
            LOG.info(
                "%s %s %s %s %.1f ms",
                printable(cut_middle((scope.get("client") or ("-",))[0], MAX_ADDRESS_LENGTH)),
                printable(cut_middle(scope["method"], 20)),
                printable(cut_middle(path, MAX_PATH_LENGTH)),
                status or "-",
                duration,
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
    """Adds the security headers to each response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request and add the headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class PathPrefix:
    """Accepts paths with the prefix and paths from which a proxy has removed it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with the prefix as its root path."""
        if scope["type"] != "http" or not self.prefix:
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        if path == self.prefix:  # without the slash relative links would lose the prefix
            response = Response(status_code=308, headers={"location": f"{self.prefix}/"})
            await response(scope, receive, send)
            return
        full_path = path if path.startswith(f"{self.prefix}/") else self.prefix + path
        await self.app({**scope, "root_path": self.prefix, "path": full_path}, receive, send)
