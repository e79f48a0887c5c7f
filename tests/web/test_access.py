"""The log of requests: one line each, without secrets, in which nothing of strangers' acts."""

import asyncio
import logging
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from arena.web.access import Logged


async def nothing() -> dict[str, Any]:
    return {"type": "http.request"}


async def nowhere(_: Any) -> None:
    pass


def logged(path: str, caplog: pytest.LogCaptureFixture, **more: Any) -> str:
    scope = {"type": "http", "method": "GET", "path": path, "headers": [], **more}
    caplog.clear()
    with caplog.at_level(logging.INFO, "arena.web.access"):
        asyncio.run(Logged(PlainTextResponse("x", 404))(scope, nothing, nowhere))
    (record,) = caplog.records
    return record.getMessage()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "GET / 404"),
        ("/api/submissions/AbCdEfGhIjKlMnOpQrStUv", "GET /api/submissions/AbCd… 404"),
        ("/x/api/submissions/AbCdEfGhIjKl/events", "GET /x/api/submissions/AbCd…/events 404"),
        ("/a\r\nGET /b 200\x1b[31m\u202e", "GET /a␍␊GET /b 200␛[31m� 404"),
    ],
)
def test_a_line(path: str, said: str, caplog: pytest.LogCaptureFixture) -> None:
    line = logged(path, caplog, query_string=b"token=secret")
    assert line.startswith(f"{said} ")
    assert line.endswith(" ms")
    assert "secret" not in line


def test_a_long_path(caplog: pytest.LogCaptureFixture) -> None:
    assert len(logged("/" + "x" * 60_000, caplog)) < 300


def test_somebody_who_leaves_before_there_is_an_answer(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: Scope, _receive: Receive, _send: Send) -> None:
        raise ZeroDivisionError

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    with caplog.at_level(logging.INFO, "arena.web.access"), pytest.raises(ZeroDivisionError):
        asyncio.run(Logged(broken)(scope, nothing, nowhere))
    assert caplog.records[-1].getMessage().startswith("GET / - ")
