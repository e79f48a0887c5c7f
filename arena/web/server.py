"""The server of a run's pages."""

import socket
from pathlib import Path

import uvicorn

from arena.web.app import app
from arena.web.showing import Showing

PATIENCE = 1
"""Seconds that answers which are on their way have at the end."""


class Server(uvicorn.Server):
    """Serves a run until it is told to end, and then ends at once though pages follow the run."""

    def __init__(self, folder: Path) -> None:
        self.showing = Showing(folder)
        super().__init__(
            uvicorn.Config(
                app(self.showing),
                log_level="warning",
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let go of those who wait for something new, then end."""
        self.showing.end()
        await super().shutdown(sockets)
