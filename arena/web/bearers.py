"""Bearers: who shows a token, and who has shown too many that are none."""

import time
from collections import OrderedDict
from typing import Final

from starlette.requests import Request

from arena.web.addresses import network_of
from arena.web.api.failures import Failure, later

FAILURES, WITHIN = 5, 60.0
"""After so many wrong tokens of a client within so many seconds the next one has to wait."""
REMEMBERED: Final = 10_000
"""Clients that are remembered; who failed longest ago is forgotten first."""
WANTED: Final = {"www-authenticate": "Bearer"}


class Bearers:
    """Remembers for a while which clients have shown wrong tokens."""

    def __init__(self) -> None:
        self.failed: OrderedDict[str, list[float]] = OrderedDict()

    def shown(self, request: Request) -> str:
        """The token that a question comes with."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise Failure(401, "a token is missing: send 'Authorization: Bearer TOKEN'", WANTED)
        return token.strip()

    def wrong(self, request: Request) -> Failure:
        """The answer to an unknown token, which is counted; known tokens are never refused."""
        client = network_of(request.client.host if request.client else "")
        moment = time.monotonic()
        recent = [when for when in self.failed.pop(client, ()) if when > moment - WITHIN]
        if len(recent) >= FAILURES:
            self.failed[client] = recent
            wait = int(recent[0] + WITHIN - moment) + 1
            return later(429, "too many wrong tokens came from you; wait and try again", wait)
        self.failed[client] = [*recent, moment]
        while len(self.failed) > REMEMBERED:
            self.failed.popitem(last=False)
        return Failure(401, "this token is not known; ask who runs the ladder for one", WANTED)
