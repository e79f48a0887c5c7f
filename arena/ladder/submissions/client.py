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
"""Seconds without a word after which a server is taken to be gone; it says that it lives."""
MAX_RESPONSE: Final = 1 << 20
"""Bytes of an answer, or of one line of it, that are read."""
MAX_TRIES: Final = 6
RETRY_SECONDS: Final = 2.0
"""Seconds between two tries."""
SERVER_ERROR: Final = 500
"""From this status on it is the server's fault, and may pass."""


class ServerUnavailable(ArenaError):
    """A server that does not answer, or no longer."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nobody elsewhere, who would be handed the token."""

    def redirect_request(self, *_: object) -> None:
        """Nothing is asked in its place."""


class LadderClient:
    """The server at an address, with the token of an owner."""

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
        """What the server calls the last thing that it said."""

    def submit(
        self, file: Path, name: str, message: str, on_message: Callable[[SubmissionMessage], None]
    ) -> SubmissionState:
        """Send a file, and pass on what the server says of it until it is over."""
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
                for said in self.read_messages(number):
                    on_message(said)
                    left = MAX_TRIES
                state = self.request_json(f"/api/submissions/{quote(number)}").get("state")
                if state in {"accepted", "refused", "broken"}:
                    fate: SubmissionState = msgspec.convert(state, SubmissionState)
                    return fate
            left -= 1
            time.sleep(RETRY_SECONDS)
        raise ServerUnavailable(
            f"{self.address} does not answer any more; submission {number} may still be accepted"
        )

    def read_messages(self, submission_id: str) -> Iterator[SubmissionMessage]:
        """What is said of a submission, but for what was heard before."""
        headers = {"Last-Event-ID": self.last_event_id} if self.last_event_id else {}
        with self.send_request(
            f"/api/submissions/{quote(submission_id)}/events", headers=headers
        ) as answer:
            told: dict[str, str] = {}
            while line := self.read_line(answer):
                key, colon, value = line.rstrip("\r\n").partition(":")
                if key or colon:  # a line that begins with a colon only tells that it lives
                    told[key] = value.strip()
                    continue
                if told.get("event") == "end":
                    return
                self.last_event_id = told.get("id", self.last_event_id)
                if "data" in told:
                    try:
                        yield msgspec.json.decode(told["data"], type=SubmissionMessage)
                    except msgspec.DecodeError as error:
                        raise self.unknown_server_error() from error
                told = {}

    def read_line(self, response: HTTPResponse) -> str:
        """The next line of an answer."""
        try:
            return response.readline(MAX_RESPONSE).decode(errors="replace")
        except (OSError, HTTPException) as error:
            raise ServerUnavailable(f"{self.address} does not answer any more") from error

    def request_json(self, path: str, **more: Any) -> dict[str, Any]:
        """What the server answers, as JSON."""
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
        """Ask the server for something; what it refuses is said in its own words."""
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
        """What is said of an answer that no ladder gives."""
        return ArenaError(f"{self.address} is no ladder's server; is the address right?")


def is_local_host(host: str) -> bool:
    """Whether what is sent to a host stays on this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.rstrip(".").lower() == "localhost"


def refusal_text(error: urllib.error.HTTPError) -> str:
    """Why a server refuses something."""
    try:
        told = json.loads(error.read(MAX_RESPONSE))["error"]
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return f"it answers {error.code} {error.reason}"
    return str(told)
