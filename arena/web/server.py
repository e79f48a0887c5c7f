"""The server of pages: it ends at once, and nobody can keep it from others."""

import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp

from arena.web.app import app
from arena.web.patience import Impatient
from arena.web.showing import Showing

PATIENCE = 1
"""Seconds that answers which are on their way have at the end."""
CONNECTIONS = 800
"""At the same time; a process can usually hold some 1,000 files open."""


class Server(uvicorn.Server):
    """Serves until it is told to end, and then ends at once though pages wait for news."""

    def __init__(
        self, served: ASGIApp, ends: Sequence[Callable[[], None]], **settings: Any
    ) -> None:
        self.ends = ends
        """Let go of all who wait for something new."""
        super().__init__(
            uvicorn.Config(
                served,
                http=Impatient,
                ws="none",
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
                limit_concurrency=CONNECTIONS,
                **settings,
            )
        )

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """Serves the pages of a run while it is played."""
        showing = Showing.of_run(folder)
        return cls(app(showing), [showing.end], log_level="warning")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let go of those who wait for something new, then end."""
        for end in self.ends:
            end()
        # What is broken off at the end is no mistake that anybody has to read of.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)
