"""The log: one line for each request without secrets, and few lines for what keeps coming."""

import logging
import re
import time
from collections import Counter
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.printable import printable, short

LOG = logging.getLogger(__name__)

LONGEST: Final = 200
"""Characters of a path."""
SECRET: Final = re.compile(r"(/api/submissions/.{4})[^/]+")
"""Whoever knows the id of a submission may read what it was told."""
ADDRESS: Final = 45
"""Characters of an address."""
KINDS: Final = 1000
"""Messages that are remembered."""
WINDOW = 60.0
"""Seconds within which one message is logged once."""


class Throttle(logging.Filter):
    """Passes the same message of a logger once a minute, with how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self.last: dict[tuple[str, str], float] = {}
        self.left_out: Counter[tuple[str, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record; messages are the same whatever is put into them."""
        text = str(record.msg).partition("\n")[0][:LONGEST]
        key, moment = (record.name, text), time.monotonic()
        if len(self.last) > KINDS:
            self.last.clear()
            self.left_out.clear()
        if moment - self.last.get(key, -WINDOW) < WINDOW:
            self.left_out[key] += 1
            return False
        self.last[key] = moment
        if count := self.left_out.pop(key, 0):
            record.msg = f"{record.msg} ({count:,} more like this were not logged)"
        return True


THROTTLE: Final = Throttle()


class Logged:
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
            path = SECRET.sub(r"\1…", scope["path"])
            LOG.info(
                "%s %s %s %s %.1f ms",
                printable(short((scope.get("client") or ("-",))[0], ADDRESS)),
                printable(short(scope["method"], 20)),
                printable(short(path, LONGEST)),
                status or "-",
                took,
            )
