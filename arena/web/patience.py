"""Connections: how many there may be, and how long one may be held without going on."""

import asyncio
import logging
import re
import socket
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.addresses import is_proxy, network_of
from arena.web.sending import PEER, PER_ADDRESS

LOG = logging.getLogger(__name__)

ASKING = 20.0
"""Seconds in which a question has to be there, but for its body."""
TAKING = 30.0
"""Seconds in which some of an answer has to be taken."""
WHOLE = 600.0
"""Seconds in which an answer has to be taken from the moment on at which the reader lags."""
CONNECTIONS = 800
"""At the same time."""
UNREAD: Final = 1 << 18
"""Bytes that the system holds for a client who does not read; by default it holds megabytes."""
BARE_LINE_END: Final = re.compile(rb"(?<!\r)\n")
HEAD_END: Final = b"\r\n\r\n"


class StrictConnection(h11.Connection):
    """Rejects requests that proxies may read in another way than we do."""

    def next_event(self) -> Any:
        """The next event; raises if the end of the head or of the body is in doubt."""
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


class Impatient(H11Protocol):
    """A connection that ends if nobody asks anything, or nobody takes what was asked for."""

    most = CONNECTIONS
    per_address = PER_ADDRESS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = StrictConnection(h11.SERVER)
        self.asking: asyncio.TimerHandle | None = None
        self.taking: asyncio.TimerHandle | None = None
        self.lagging: float | None = None
        """Since when the answer is not taken as fast as it is made."""
        self.address = ""
        self.since = 0.0
        """Since when it waits for a request."""

    @property
    def idle(self) -> bool:
        """Whether it waits for a request."""
        return self.cycle is None or self.cycle.response_complete

    # uvicorn narrows the type of the transport in the same way.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there and has to ask something, unless there are too many."""
        super().connection_made(transport)
        if own := transport.get_extra_info("socket"):
            own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD)
        host = self.client[0] if self.client else ""
        self.address = network_of(host)
        self.app_state = {**self.app_state, PEER: self.client}
        if not is_proxy(host):
            same = sum(one.address == self.address for one in self.others)
            if same >= self.per_address:
                LOG.warning("%s has %d connections already; refused another", host, same)
                self.drop()
                return
        if len(self.connections) > self.most:
            waiting = [one for one in self.others if one.idle]
            dropped = min(waiting, key=lambda one: one.since) if waiting else self
            LOG.warning("%d connections are open; ended one of %s", self.most, dropped.address)
            dropped.drop()
        self.wait()

    @property
    def others(self) -> "list[Impatient]":
        """All other connections."""
        return [one for one in self.connections if isinstance(one, Impatient) and one is not self]

    def drop(self) -> None:
        """End the connection at once, and count it no longer."""
        self.connections.discard(self)
        self.transport.abort()

    def wait(self) -> None:
        """From now on a request has to come in time."""
        self.since = self.loop.time()
        if self.asking:
            self.asking.cancel()
        self.asking = self.loop.call_later(ASKING, self.give_up_asking)

    def on_response_complete(self) -> None:
        """The next question has to come in time as well."""
        self.lagging = None
        self.wait()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Nobody takes anything just now."""
        super().pause_writing()
        moment = self.loop.time()
        self.lagging = moment if self.lagging is None else self.lagging
        left = self.lagging + WHOLE - moment
        if left > 0:
            self.taking = self.loop.call_later(min(TAKING, left), self.transport.abort)
        else:
            self.loop.call_soon(self.transport.abort)

    def resume_writing(self) -> None:
        """Somebody took something."""
        super().resume_writing()
        if self.taking:
            self.taking.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        for timer in filter(None, (self.asking, self.taking)):
            timer.cancel()
        super().connection_lost(exc)

    def give_up_asking(self) -> None:
        """End the connection unless something was asked that is being answered."""
        if self.idle:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request, unless an answer is on its way, and close."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()
        if not self.idle:  # whatever answers it has nobody to answer any more
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _unsupported_upgrade_warning(self) -> None:
        """The request is answered as if it did not ask to upgrade, and logged like others."""
