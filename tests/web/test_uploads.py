"""Uploads are received in parts, within limits of size and time; errors reach the client."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse

from arena.web import uploads
from arena.web.api_errors import ApiError
from arena.web.uploads import PART_BYTES, RequestBody, receive_parts, send_refusal

LENGTH, CHUNKED = {"content-length": "6"}, {"transfer-encoding": "chunked"}

Step = tuple[float, bytes]
"""Seconds to wait, and what comes then."""


def request(steps: Sequence[Step], headers: dict[str, str], *, gone: bool = False) -> Request:
    """A question whose body comes like this, and perhaps breaks off."""
    left = list(steps)

    async def receive() -> dict[str, Any]:
        if not left:
            return {"type": "http.disconnect"}
        wait, body = left.pop(0)
        await asyncio.sleep(wait)
        return {"type": "http.request", "body": body, "more_body": bool(left) or gone}

    named = [(name.encode(), text.encode()) for name, text in headers.items()]
    return Request({"type": "http", "method": "POST", "headers": named}, RequestBody(receive))


def received(asked: Request, most: int) -> list[bytes]:
    async def read() -> list[bytes]:
        return [part async for part in receive_parts(asked, most)]

    return asyncio.run(read())


def test_chunks_of_a_body() -> None:
    """Small pieces are handed on together, large ones at once, and none is empty."""
    steps = [(0, b""), (0, b"abc"), (0, b""), (0, b"def")]
    assert received(request(steps, LENGTH), 6) == [b"abcdef"]
    chunks = received(request([(0, b"x" * PART_BYTES)] * 3, CHUNKED), 3 * PART_BYTES)
    assert chunks == [b"x" * PART_BYTES] * 3
    assert received(request([(0, b"")], {"content-length": "0"}), 6) == []


@pytest.mark.parametrize(
    ("headers", "steps", "status"),
    [
        ({}, [(0, b"")], 411),
        ({"content-length": "7"}, [], 413),
        ({"content-length": "9" * 30}, [], 413),
        (CHUNKED, [(0, b"1234"), (0, b"567")], 413),
        (LENGTH, [(0, b"12"), (0.3, b"3456")], 408),
        (LENGTH, [(0.04, b"")] * 20, 408),
    ],
)
def test_refused_uploads(
    headers: dict[str, str], steps: list[Step], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "PART_TIMEOUT", 0.1)
    monkeypatch.setattr(uploads, "UPLOAD_TIMEOUT", 0.4)
    with pytest.raises(ApiError) as caught:
        received(request(steps, headers), 6)
    assert caught.value.status == status
    assert caught.value.headers["connection"] == "close"


def test_a_client_that_disconnects() -> None:
    with pytest.raises(ClientDisconnect):
        received(request([(0, b"12")], LENGTH, gone=True), 6)


@pytest.mark.parametrize(("headers", "read"), [({}, True), ({"expect": "100-continue"}, False)])
def test_a_refused_upload_is_read_to_its_end(headers: dict[str, str], read: bool) -> None:
    """The answer is there at once, and the rest is read: else it might never be seen."""
    asked = request([(0, b"a")] * 4, headers)
    body = asked.receive
    assert isinstance(body, RequestBody)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append((message["type"], message.get("body"), body.is_over))

    asyncio.run(send_refusal(PlainTextResponse("no", 401), asked, body, send))
    assert sent == [
        ("http.response.start", None, False),
        ("http.response.body", b"no", False),
        ("http.response.body", b"", read),
    ]


def test_reading_a_refused_upload_is_limited_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LINGER_SECONDS", 0.1)
    asked = request([(0.02, b"a")] * 10_000, LENGTH)
    body = asked.receive
    assert isinstance(body, RequestBody)

    async def send(_: Any) -> None:
        pass

    asyncio.run(asyncio.wait_for(send_refusal(PlainTextResponse("no", 401), asked, body, send), 60))
    assert not body.is_over
