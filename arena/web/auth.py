"""Bearer tokens, and a limit on wrong tokens per client."""

import time
from collections import OrderedDict
from typing import Final

from starlette.requests import Request

from arena.web.addresses import network_of
from arena.web.errors import ApiError, retry_later_error

MAX_FAILURES, FAILURE_SECONDS = 5, 60.0
"""After so many wrong tokens of a client within so many seconds the next one has to wait."""
MAX_CLIENTS: Final = 10_000
"""Clients that are remembered; who failed longest ago is forgotten first."""
CHALLENGE_HEADERS: Final = {"www-authenticate": "Bearer"}


class BearerAuth:
    """Remembers for a while which clients have shown wrong tokens."""

    def __init__(self) -> None:
        self.failures: OrderedDict[str, list[float]] = OrderedDict()

    def read_token(self, request: Request) -> str:
        """The token that a question comes with."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise ApiError(
                401, "a token is missing: send 'Authorization: Bearer TOKEN'", CHALLENGE_HEADERS
            )
        return token.strip()

    def wrong_token_error(self, request: Request) -> ApiError:
        """The answer to an unknown token, which is counted; known tokens are never refused."""
        client = network_of(request.client.host if request.client else "")
        moment = time.monotonic()
        recent = [when for when in self.failures.pop(client, ()) if when > moment - FAILURE_SECONDS]
        if len(recent) >= MAX_FAILURES:
            self.failures[client] = recent
            wait = int(recent[0] + FAILURE_SECONDS - moment) + 1
            return retry_later_error(
                429, "too many wrong tokens came from you; wait and try again", wait
            )
        self.failures[client] = [*recent, moment]
        while len(self.failures) > MAX_CLIENTS:
            self.failures.popitem(last=False)
        return ApiError(
            401, "this token is not known; ask who runs the ladder for one", CHALLENGE_HEADERS
        )
