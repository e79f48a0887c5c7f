"""The log of requests: one line each, without secrets, in which nothing of strangers' acts."""

import asyncio
import logging
import time
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from arena.web.middleware import AccessLog, LogThrottle


async def nothing() -> dict[str, Any]:
    return {"type": "http.request"}


async def nowhere(_: Any) -> None:
    pass


def logged(path: str, caplog: pytest.LogCaptureFixture, **more: Any) -> str:
    scope: Scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    scope.update({"client": ("192.0.2.1", 1), **more})
    caplog.clear()
    with caplog.at_level(logging.INFO, "arena.web.middleware"):
        asyncio.run(AccessLog(PlainTextResponse("x", 404))(scope, nothing, nowhere))
    (record,) = caplog.records
    return record.getMessage()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "192.0.2.1 GET / 404"),
        ("/api/submissions/AbCdEfGhIjKlMnOpQrStUv", "192.0.2.1 GET /api/submissions/AbCd… 404"),
        (
            "/x/api/submissions/AbCdEfGhIjKl/events",
            "192.0.2.1 GET /x/api/submissions/AbCd…/events 404",
        ),
        ("/a\r\nGET /b 200\x1b[31m\u202e", "192.0.2.1 GET /a␍␊GET /b 200␛[31m� 404"),
    ],
)
def test_a_log_line(path: str, said: str, caplog: pytest.LogCaptureFixture) -> None:
    line = logged(path, caplog, query_string=b"token=secret")
    assert line.startswith(f"{said} ")
    assert line.endswith(" ms")
    assert "secret" not in line


def test_a_long_path(caplog: pytest.LogCaptureFixture) -> None:
    assert len(logged("/" + "x" * 60_000, caplog)) < 300


@pytest.mark.parametrize(
    ("client", "said"),
    [
        (("2001:db8::1", 0), "2001:db8::1 "),
        (None, "- "),
        (("x" * 9 + "\n\x1b" * 90, 0), "xxxxxxxxx␊␛"),
    ],
)
def test_an_address(
    client: tuple[str, int] | None, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What a proxy says is not trusted more than what clients say."""
    line = logged("/", caplog, client=client)
    assert line.startswith(said)
    assert len(line) < 100
    assert line.isprintable()


def test_repeated_log_messages_are_throttled(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    throttle = LogThrottle()

    def passes(text: str, *words: object) -> str | None:
        record = logging.LogRecord("web", logging.WARNING, "", 0, text, words, None)
        return record.getMessage() if throttle.filter(record) else None

    assert passes("refused %s", "192.0.2.1") == "refused 192.0.2.1"
    assert passes("another") == "another"
    for number in range(5000):
        assert passes("refused %s", number) is None
    moment += 60
    assert passes("refused %s", "b") == "refused b (5,000 more like this were not logged)"
    for number in range(3000):
        passes(f"text {number}")
    assert len(throttle.last_logged) <= 1001


def test_a_client_that_disconnects_early(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: Scope, _receive: Receive, _send: Send) -> None:
        raise ZeroDivisionError

    scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    with caplog.at_level(logging.INFO, "arena.web.middleware"), pytest.raises(ZeroDivisionError):
        asyncio.run(AccessLog(broken)(scope, nothing, nowhere))
    assert caplog.records[-1].getMessage().startswith("- GET / - ")
