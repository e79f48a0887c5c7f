"""The server of pages: it ends at once, and nobody can keep it from others."""

import asyncio
import errno
import logging
import resource
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

import uvicorn
from starlette.types import ASGIApp

from arena.web.access import THROTTLE
from arena.web.addresses import PROXIES
from arena.web.app import app
from arena.web.patience import CONNECTIONS, Impatient
from arena.web.sending import PER_ADDRESS
from arena.web.showing import Showing

LOG = logging.getLogger(__name__)

PATIENCE = 1
"""Seconds that answers which are on their way have at the end."""
BACKLOG: Final = 16
"""Connections that are accepted in one turn of the event loop, some turns before they count."""
QUEUE: Final = 1024
"""Connections that the system holds until they are accepted."""
FILES: Final = 65_536
"""Open files that are asked for, if that many are allowed."""
RESERVED: Final = 200
"""Files that stay free for the store, for worker processes and for what is just accepted."""
EXHAUSTED: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
THROTTLED: Final = ("uvicorn.error", "asyncio", "arena.web.patience", __name__)
"""Loggers that write a line for each malformed request, connection or failed accept."""


class Server(uvicorn.Server):
    """Serves until it is told to end, and then ends at once though pages wait for news."""

    def __init__(
        self,
        served: ASGIApp,
        ends: Sequence[Callable[[], None]],
        per_address: int = PER_ADDRESS,
        **settings: Any,
    ) -> None:
        self.ends = ends
        """Let go of all who wait for something new."""

        class Limited(Impatient):
            """A connection within the limits of this server."""

        files = raise_file_limit()
        Limited.most = min(CONNECTIONS, max(files - RESERVED, files // 2))
        Limited.per_address = per_address
        for name in THROTTLED:
            logging.getLogger(name).addFilter(THROTTLE)
        super().__init__(
            uvicorn.Config(
                served,
                http=Limited,
                ws="none",
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
                backlog=BACKLOG,
                forwarded_allow_ips=PROXIES,
                **settings,
            )
        )

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """Serves the pages of a run while it is played."""
        showing = Showing.of_run(folder)
        return cls(app(showing), [showing.end], log_level="warning")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, with a short line in the log where the machine has no more room."""
        asyncio.get_running_loop().set_exception_handler(report)
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(QUEUE)  # asyncio takes the same number for both

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let go of those who wait for something new, then end."""
        for end in self.ends:
            end()
        # What is broken off at the end is no mistake that anybody has to read of.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def raise_file_limit() -> int:
    """Raise the number of files that may be open as far as is allowed; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return FILES if soft == resource.RLIM_INFINITY else soft


def report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error of the event loop; in one line if no connection can be accepted."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in EXHAUSTED:
        LOG.error("out of file descriptors: no connection can be accepted (%s)", error.strerror)
    else:
        loop.default_exception_handler(context)
