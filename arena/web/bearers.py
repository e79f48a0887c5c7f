"""Bearers: who shows a token, and who has shown too many that are none."""

import time
from collections import OrderedDict
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from starlette.requests import Request

from arena.web.api.failures import Failure, later

FAILURES, WITHIN = 5, 60.0
"""So many wrong tokens from one client within so many seconds, and nothing more is tried."""
REMEMBERED: Final = 10_000
"""Clients that are remembered; who failed longest ago is forgotten first."""
NEIGHBOURS: Final = 64
"""Bits of an address of the sixth version that all machines of one client share."""
WANTED: Final = {"www-authenticate": "Bearer"}


class Bearers:
    """Remembers for a while which clients have shown wrong tokens."""

    def __init__(self) -> None:
        self.failed: OrderedDict[str, list[float]] = OrderedDict()

    def shown(self, request: Request) -> str:
        """The token that a question comes with; refused where too many were wrong."""
        client = client_of(request)
        moment = time.monotonic()
        recent = [when for when in self.failed.get(client, ()) if when > moment - WITHIN]
        if len(recent) >= FAILURES:
            wait = int(recent[-FAILURES] + WITHIN - moment) + 1
            raise later(429, "too many wrong tokens came from you; wait and try again", wait)
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise Failure(401, "a token is missing: send 'Authorization: Bearer TOKEN'", WANTED)
        return token.strip()

    def wrong(self, request: Request) -> Failure:
        """What is said to a token that is none, which is remembered."""
        client, moment = client_of(request), time.monotonic()
        recent = [when for when in self.failed.pop(client, ()) if when > moment - WITHIN]
        self.failed[client] = [*recent, moment]
        while len(self.failed) > REMEMBERED:
            self.failed.popitem(last=False)
        return Failure(401, "this token is not known; ask who runs the ladder for one", WANTED)


def client_of(request: Request) -> str:
    """Who asks, as far as that can be told: an address, or a network where one has many."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host[:NEIGHBOURS]
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((address, NEIGHBOURS), strict=False))
    return str(address)
