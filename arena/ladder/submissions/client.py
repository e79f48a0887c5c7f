"""HTTP client that submits a bot to a ladder's server."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

import msgspec

from arena.errors import ArenaError
from arena.ladder.models import SubmissionMessage, SubmissionState

TIMEOUT: Final = 60.0
"""Seconds of silence after which a server counts as gone; it sends heartbeats."""
MAX_RESPONSE: Final = 1 << 20
"""Bytes of an answer, or of one line of it, that are read."""
MAX_TRIES: Final = 6
RETRY_SECONDS: Final = 2.0
"""Seconds between two tries."""
SERVER_ERROR: Final = 500
"""The first HTTP status of server errors, after which the client tries again."""


class ServerUnavailable(ArenaError):
    """A server that does not answer, or no longer."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Rejects redirects, so that the token is not sent to another server."""

    def redirect_request(self, *_: object) -> None:
        """Do not follow a redirect."""


class LadderClient:
    """Client of the ladder server at an address, with the token of an owner."""

    def __init__(self, address: str, token: str, *, insecure: bool = False) -> None:
        wrong = ArenaError(f"{address} is no address of a server; it takes https://HOST/PATH")
        try:
            parts = urlsplit(address)
            host, _ = parts.hostname, parts.port
            (host or "").encode("idna")
        except ValueError:
            raise wrong from None
        if parts.scheme not in {"http", "https"} or not host or not address.isprintable():
            raise wrong
        if parts.scheme == "http" and not insecure and not is_local_host(host):
            raise ArenaError(
                f"{address} would get your token without encryption, so that anybody in between "
                "can read it; use https://, or --insecure if you trust the whole network"
            )
        if not token.isascii() or not token.isprintable():
            raise ArenaError("the token cannot be one; it takes what 'arena ladder token' printed")
        self.address = address.rstrip("/")
        self.token = token
        self.opener = urllib.request.build_opener(NoRedirects)
        self.last_event_id = ""
        """The id of the last event that the server sent."""

    def submit(
        self, file: Path, name: str, message: str, on_message: Callable[[SubmissionMessage], None]
    ) -> SubmissionState:
        """Upload a file and pass on the messages of the server until the submission is over."""
        words = {"name": name, "message": message, "file": file.name}
        query = "&".join(f"{key}={quote(text, errors='replace')}" for key, text in words.items())
        with file.open("rb") as stream:
            taken = self.request_json(
                f"/api/bots?{query}",
                data=stream,
                headers={
                    "Authorization": f"Bearer {self.token}",
                    "Content-Type": "application/octet-stream",
                    "Content-Length": str(file.stat().st_size),
                },
            )
        number = taken.get("id")
        if not isinstance(number, str):
            raise self.unknown_server_error()
        left = MAX_TRIES
        while left:
            with suppress(ServerUnavailable):  # the server goes on, and says the rest later
                for received in self.read_messages(number):
                    on_message(received)
                    left = MAX_TRIES
                state = self.request_json(f"/api/submissions/{quote(number)}").get("state")
                if state in {"accepted", "refused", "broken"}:
                    final_state: SubmissionState = msgspec.convert(state, SubmissionState)
                    return final_state
            left -= 1
            time.sleep(RETRY_SECONDS)
        raise ServerUnavailable(
            f"{self.address} does not answer any more; submission {number} may still be accepted"
        )

    def read_messages(self, submission_id: str) -> Iterator[SubmissionMessage]:
        """Yield the messages about a submission that were not received before."""
        headers = {"Last-Event-ID": self.last_event_id} if self.last_event_id else {}
        with self.send_request(
            f"/api/submissions/{quote(submission_id)}/events", headers=headers
        ) as answer:
            event: dict[str, str] = {}
            while line := self.read_line(answer):
                key, colon, value = line.rstrip("\r\n").partition(":")
                if key or colon:  # a line that begins with a colon is a heartbeat
                    event[key] = value.strip()
                    continue
                if event.get("event") == "end":
                    return
                self.last_event_id = event.get("id", self.last_event_id)
                if "data" in event:
                    try:
                        yield msgspec.json.decode(event["data"], type=SubmissionMessage)
                    except msgspec.DecodeError as error:
                        raise self.unknown_server_error() from error
                event = {}

    def read_line(self, response: HTTPResponse) -> str:
        """Read the next line of a response."""
        try:
            return response.readline(MAX_RESPONSE).decode(errors="replace")
        except (OSError, HTTPException) as error:
            raise ServerUnavailable(f"{self.address} does not answer any more") from error

    def request_json(self, path: str, **more: Any) -> dict[str, Any]:
        """Send a request and return the JSON object in the response."""
        with self.send_request(path, **more) as answer:
            try:
                found = json.loads(answer.read(MAX_RESPONSE))
            except (OSError, HTTPException) as error:
                raise ServerUnavailable(f"{self.address} does not answer any more") from error
            except ValueError as error:
                raise self.unknown_server_error() from error
        if not isinstance(found, dict):
            raise self.unknown_server_error()
        return found

    def send_request(self, path: str, **more: Any) -> HTTPResponse:
        """Send a request and return the response; an error has the text of the server."""
        request = urllib.request.Request(self.address + path, **more)  # noqa: S310 (http or https only)
        try:
            answer: HTTPResponse = self.opener.open(request, timeout=TIMEOUT)
        except urllib.error.HTTPError as error:
            with error:
                kind = ServerUnavailable if error.code >= SERVER_ERROR else ArenaError
                raise kind(f"{self.address}: {refusal_text(error)}") from None
        except (OSError, HTTPException) as error:
            why = getattr(error, "reason", None) or str(error) or "it hung up"
            raise ServerUnavailable(f"{self.address} cannot be reached: {why}") from error
        return answer

    def unknown_server_error(self) -> ArenaError:
        """The error for a response that does not come from a ladder's server."""
        return ArenaError(f"{self.address} is not the server of a ladder; is the address right?")


def is_local_host(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.rstrip(".").lower() == "localhost"


def refusal_text(error: urllib.error.HTTPError) -> str:
    """The reason in an error response of the server."""
    try:
        text = json.loads(error.read(MAX_RESPONSE))["error"]
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return f"it answers {error.code} {error.reason}"
    return str(text)
