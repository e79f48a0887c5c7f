"""Patience: how long a connection may be held by somebody who does not go on."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

ASKING = 20.0
"""Seconds in which a question has to be there, but for its body."""
TAKING = 30.0
"""Seconds in which some of an answer has to be taken."""


class Impatient(H11Protocol):
    """A connection that ends if nobody asks anything, or nobody takes what was asked for."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.asking: asyncio.TimerHandle | None = None
        self.taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there and has to ask something."""
        super().connection_made(transport)
        self.asking = self.loop.call_later(ASKING, self.give_up_asking)

    def on_response_complete(self) -> None:
        """The next question has to come in time as well."""
        if self.asking:
            self.asking.cancel()
        self.asking = self.loop.call_later(ASKING, self.give_up_asking)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Nobody takes anything just now."""
        super().pause_writing()
        self.taking = self.loop.call_later(TAKING, self.transport.abort)

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
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
