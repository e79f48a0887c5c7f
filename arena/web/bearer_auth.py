"""Bearer tokens, and a limit on wrong tokens per client."""

import time
from collections import OrderedDict
from typing import Final

from starlette.requests import Request

from arena.web.addresses import client_network
from arena.web.api_errors import ApiError, retry_later_error

MAX_FAILURES, FAILURE_SECONDS = 5, 60.0
"""With this many wrong tokens in this many seconds, a client gets 429 for the next one."""
MAX_CLIENTS: Final = 10_000
"""Clients with wrong tokens that are kept; the least recent is dropped first."""
CHALLENGE_HEADERS: Final = {"www-authenticate": "Bearer"}


class BearerAuth:
    """Reads tokens, and counts the recent wrong tokens of each client."""

    def __init__(self) -> None:
        self.failures: OrderedDict[str, list[float]] = OrderedDict()

    def read_token(self, request: Request) -> str:
        """Return the bearer token of a request."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise ApiError(
                401, "a token is missing: send 'Authorization: Bearer TOKEN'", CHALLENGE_HEADERS
            )
        return token.strip()

    def wrong_token_error(self, request: Request) -> ApiError:
        """Count an unknown token and return the error for it; known tokens are never limited."""
        client = client_network(request.client.host if request.client else "")
        now = time.monotonic()
        recent = [
            failure for failure in self.failures.pop(client, ()) if failure > now - FAILURE_SECONDS
        ]
        if len(recent) >= MAX_FAILURES:
            self.failures[client] = recent
            wait = int(recent[0] + FAILURE_SECONDS - now) + 1
            return retry_later_error(
                429, "too many wrong tokens from your address; wait and try again", wait
            )
        self.failures[client] = [*recent, now]
        while len(self.failures) > MAX_CLIENTS:
            self.failures.popitem(last=False)
        return ApiError(
            401, "this token is not known; ask who runs the ladder for one", CHALLENGE_HEADERS
        )
