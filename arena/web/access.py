"""The log of requests: one line for each, without anything that is a secret."""

import logging
import re
import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.printable import printable, short

LOG = logging.getLogger(__name__)

LONGEST: Final = 200
"""Characters of a path."""
SECRET: Final = re.compile(r"(/api/submissions/.{4})[^/]+")
"""Whoever knows the id of a submission may read what it was told."""


class Logged:
    """Writes down what was asked, how it was answered and how long that took."""

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
                "%s %s %s %.1f ms",
                printable(short(scope["method"], 20)),
                printable(short(path, LONGEST)),
                status or "-",
                took,
            )
