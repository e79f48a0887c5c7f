"""The server: uvicorn with connection limits and timeouts, and the app for a single run."""

import asyncio
import errno
import logging
import re
import resource
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.addresses import TRUSTED_PROXIES, client_network, is_proxy
from arena.web.middleware import LOG_THROTTLE, SecurityHeaders
from arena.web.pages import SiteEndpoints
from arena.web.response_limits import PEER, PER_ADDRESS, ResponseLimiter
from arena.web.site_cache import SiteCache

LOG = logging.getLogger(__name__)

REQUEST_TIMEOUT = 20.0
"""Seconds in which the head of a request has to arrive."""
WRITE_TIMEOUT = 30.0
"""Seconds in which the client has to read some of a response."""
RESPONSE_TIMEOUT = 600.0
"""Seconds in which a response has to be read, from the time at which the client lags."""
MAX_CONNECTIONS = 800
"""Connections at the same time."""
SEND_BUFFER_SIZE: Final = 1 << 18
"""Bytes that the system buffers for a client that does not read; the default is megabytes."""
BARE_LINE_END: Final = re.compile(rb"(?<!\r)\n")
HEAD_END: Final = b"\r\n\r\n"


class StrictConnection(h11.Connection):
    """Rejects requests that proxies may parse in another way than this server."""

    def next_event(self) -> Any:
        """Return the next event; raises an error if the end of head or body is ambiguous."""
        if self.their_state is h11.IDLE:
            data, _ = self.trailing_data
            end = data.find(HEAD_END)
            if BARE_LINE_END.search(data, 0, end if end >= 0 else len(data)):
                raise h11.RemoteProtocolError("a line ends without CR")
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("Content-Length with Transfer-Encoding")
        return event


class LimitedProtocol(H11Protocol):
    """A connection with timeouts for requests and responses, and limits on their number."""

    max_connections = MAX_CONNECTIONS
    per_address = PER_ADDRESS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = StrictConnection(h11.SERVER)
        self.request_timer: asyncio.TimerHandle | None = None
        self.write_timer: asyncio.TimerHandle | None = None
        self.lagging_since: float | None = None
        """When the client began to read the response too slowly."""
        self.address = ""
        self.idle_since = 0.0
        """When it began to wait for a request."""

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a request."""
        return self.cycle is None or self.cycle.response_complete

    # uvicorn narrows the type of the transport in the same way.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, unless there are too many, and wait for its request."""
        super().connection_made(transport)
        if client_socket := transport.get_extra_info("socket"):
            client_socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_SIZE)
        host = self.client[0] if self.client else ""
        self.address = client_network(host)
        self.app_state = {**self.app_state, PEER: self.client}
        if not is_proxy(host):
            connections = sum(one.address == self.address for one in self.other_connections)
            if connections >= self.per_address:
                LOG.warning("%s has %d connections already; refused another", host, connections)
                self.drop()
                return
        if len(self.connections) > self.max_connections:
            waiting = [one for one in self.other_connections if one.is_idle]
            dropped = min(waiting, key=lambda one: one.idle_since) if waiting else self
            LOG.warning(
                "%d connections are open; ended one of %s", self.max_connections, dropped.address
            )
            dropped.drop()
        self.await_request()

    @property
    def other_connections(self) -> "list[LimitedProtocol]":
        """All other connections."""
        return [
            one for one in self.connections if isinstance(one, LimitedProtocol) and one is not self
        ]

    def drop(self) -> None:
        """Close the connection at once, and stop counting it."""
        self.connections.discard(self)
        self.transport.abort()

    def await_request(self) -> None:
        """Start the timeout of the next request."""
        self.idle_since = self.loop.time()
        if self.request_timer:
            self.request_timer.cancel()
        self.request_timer = self.loop.call_later(REQUEST_TIMEOUT, self.drop_if_idle)

    def on_response_complete(self) -> None:
        """Start the timeout of the next request."""
        self.lagging_since = None
        self.await_request()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Start the timeouts of a response that the client does not read."""
        super().pause_writing()
        now = self.loop.time()
        self.lagging_since = now if self.lagging_since is None else self.lagging_since
        left = self.lagging_since + RESPONSE_TIMEOUT - now
        if left > 0:
            self.write_timer = self.loop.call_later(min(WRITE_TIMEOUT, left), self.transport.abort)
        else:
            self.loop.call_soon(self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timeout of writing, since the client has read something."""
        super().resume_writing()
        if self.write_timer:
            self.write_timer.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timeouts."""
        for timer in filter(None, (self.request_timer, self.write_timer)):
            timer.cancel()
        super().connection_lost(exc)

    def drop_if_idle(self) -> None:
        """Close the connection unless a request is being answered."""
        if self.is_idle:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Respond to a malformed request, unless a response is being sent, and close."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()
        if not self.is_idle:  # ends the task that answers the request
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _unsupported_upgrade_warning(self) -> None:
        """Log no warning: the request is answered as if it did not ask to upgrade."""


SHUTDOWN_SECONDS = 1
"""Seconds that open responses have at shutdown."""
BACKLOG: Final = 16
"""Connections that one turn of the event loop accepts; they are counted some turns later."""
LISTEN_QUEUE: Final = 1024
"""Connections that the system queues until they are accepted."""
MAX_OPEN_FILES: Final = 65_536
"""Open files that the process requests, if that many are allowed."""
RESERVED_FILES: Final = 200
"""Open files reserved for the store, worker processes and connections just accepted."""
EXHAUSTED_ERRORS: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
THROTTLED_LOGGERS: Final = ("uvicorn.error", "asyncio", __name__)
"""Loggers that write a line for each malformed request, connection or failed accept."""


class Server(uvicorn.Server):
    """A uvicorn server with connection limits, which ends at once even if pages are listening."""

    def __init__(
        self,
        app: ASGIApp,
        on_shutdown: Sequence[Callable[[], None]],
        per_address: int = PER_ADDRESS,
        **settings: Any,
    ) -> None:
        self.on_shutdown = on_shutdown
        """Functions that end the streams of all listeners."""

        class Limited(LimitedProtocol):
            """A connection within the limits of this server."""

        files = raise_file_limit()
        Limited.max_connections = min(MAX_CONNECTIONS, max(files - RESERVED_FILES, files // 2))
        Limited.per_address = per_address
        for name in THROTTLED_LOGGERS:
            logging.getLogger(name).addFilter(LOG_THROTTLE)
        super().__init__(
            uvicorn.Config(
                app,
                http=Limited,
                ws="none",
                server_header=False,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                backlog=BACKLOG,
                forwarded_allow_ips=TRUSTED_PROXIES,
                **settings,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; running out of file descriptors is logged in one line."""
        asyncio.get_running_loop().set_exception_handler(log_loop_error)
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(LISTEN_QUEUE)  # asyncio uses `backlog` for this too

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams of all listeners, then shut down."""
        for end in self.on_shutdown:
            end()
        # Responses that the shutdown interrupts are no errors.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def raise_file_limit() -> int:
    """Raise the limit of open files as far as allowed, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return MAX_OPEN_FILES if soft == resource.RLIM_INFINITY else soft


def log_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error of the event loop, in one line if file descriptors have run out."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in EXHAUSTED_ERRORS:
        LOG.error("out of file descriptors: no connection can be accepted (%s)", error.strerror)
    else:
        loop.default_exception_handler(context)


def create_run_server(folder: Path) -> Server:
    """Create the server of a run's pages, which follow the run while it is played."""
    site_cache = SiteCache.of_run(folder)
    return Server(create_run_app(site_cache), [site_cache.stop], log_level="warning")


def create_run_app(site_cache: SiteCache) -> Starlette:
    """Create the app that serves the pages of a run."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(site_cache.rebuild_on_change())
        yield
        task.cancel()

    return Starlette(
        routes=SiteEndpoints(site_cache).routes(),
        middleware=[Middleware(SecurityHeaders), Middleware(ResponseLimiter)],
        lifespan=lifespan,
    )
