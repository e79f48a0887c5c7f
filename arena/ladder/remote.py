"""A ladder's server as those see it who send a bot there."""

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
from arena.ladder.facts import Fate, Said

PATIENCE: Final = 60.0
"""Seconds without a word after which a server is taken to be gone; it says that it lives."""
LONGEST: Final = 1 << 20
"""Bytes of an answer, or of one line of it, that are read."""
TRIES: Final = 6
REST: Final = 2.0
"""Seconds between two tries."""
BROKEN: Final = 500
"""From this status on it is the server's fault, and may pass."""


class Gone(ArenaError):
    """A server that does not answer, or no longer."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nobody elsewhere, who would be handed the token."""

    def redirect_request(self, *_: object) -> None:
        """Nothing is asked in its place."""


class Remote:
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
        if parts.scheme == "http" and not insecure and not is_this_machine(host):
            raise ArenaError(
                f"{address} would get your token without encryption, so that anybody in between "
                "can read it; use https://, or --insecure if you trust the whole network"
            )
        if not token.isascii() or not token.isprintable():
            raise ArenaError("the token cannot be one; it takes what 'arena ladder token' printed")
        self.address = address.rstrip("/")
        self.token = token
        self.opener = urllib.request.build_opener(NoRedirects)
        self.heard = ""
        """What the server calls the last thing that it said."""

    def submit(self, file: Path, name: str, message: str, hear: Callable[[Said], None]) -> Fate:
        """Send a file, and pass on what the server says of it until it is over."""
        words = {"name": name, "message": message, "file": file.name}
        query = "&".join(f"{key}={quote(text, errors='replace')}" for key, text in words.items())
        with file.open("rb") as stream:
            taken = self.ask(
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
            raise self.stranger()
        left = TRIES
        while left:
            with suppress(Gone):  # the server goes on, and says the rest later
                for said in self.events(number):
                    hear(said)
                    left = TRIES
                state = self.ask(f"/api/submissions/{quote(number)}").get("state")
                if state in {"accepted", "refused", "broken"}:
                    fate: Fate = msgspec.convert(state, Fate)
                    return fate
            left -= 1
            time.sleep(REST)
        raise Gone(
            f"{self.address} does not answer any more; submission {number} may still be accepted"
        )

    def events(self, number: str) -> Iterator[Said]:
        """What is said of a submission, but for what was heard before."""
        headers = {"Last-Event-ID": self.heard} if self.heard else {}
        with self.open(f"/api/submissions/{quote(number)}/events", headers=headers) as answer:
            told: dict[str, str] = {}
            while line := self.line(answer):
                key, colon, value = line.rstrip("\r\n").partition(":")
                if key or colon:  # a line that begins with a colon only tells that it lives
                    told[key] = value.strip()
                    continue
                if told.get("event") == "end":
                    return
                self.heard = told.get("id", self.heard)
                if "data" in told:
                    try:
                        yield msgspec.json.decode(told["data"], type=Said)
                    except msgspec.DecodeError as error:
                        raise self.stranger() from error
                told = {}

    def line(self, answer: HTTPResponse) -> str:
        """The next line of an answer."""
        try:
            return answer.readline(LONGEST).decode(errors="replace")
        except (OSError, HTTPException) as error:
            raise Gone(f"{self.address} does not answer any more") from error

    def ask(self, path: str, **more: Any) -> dict[str, Any]:
        """What the server answers, as JSON."""
        with self.open(path, **more) as answer:
            try:
                found = json.loads(answer.read(LONGEST))
            except (OSError, HTTPException) as error:
                raise Gone(f"{self.address} does not answer any more") from error
            except ValueError as error:
                raise self.stranger() from error
        if not isinstance(found, dict):
            raise self.stranger()
        return found

    def open(self, path: str, **more: Any) -> HTTPResponse:
        """Ask the server for something; what it refuses is said in its own words."""
        request = urllib.request.Request(self.address + path, **more)  # noqa: S310 (http or https only)
        try:
            answer: HTTPResponse = self.opener.open(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            with error:
                kind = Gone if error.code >= BROKEN else ArenaError
                raise kind(f"{self.address}: {refusal(error)}") from None
        except (OSError, HTTPException) as error:
            why = getattr(error, "reason", None) or str(error) or "it hung up"
            raise Gone(f"{self.address} cannot be reached: {why}") from error
        return answer

    def stranger(self) -> ArenaError:
        """What is said of an answer that no ladder gives."""
        return ArenaError(f"{self.address} is no ladder's server; is the address right?")


def is_this_machine(host: str) -> bool:
    """Whether what is sent to a host stays on this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.rstrip(".").lower() == "localhost"


def refusal(error: urllib.error.HTTPError) -> str:
    """Why a server refuses something."""
    try:
        told = json.loads(error.read(LONGEST))["error"]
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return f"it answers {error.code} {error.reason}"
    return str(told)
