"""A prefix: with it or without it, everything is found, and it is told what stands before."""

import asyncio
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from arena.web.middleware import PathPrefix


async def nothing() -> dict[str, Any]:
    return {"type": "http.request"}


def send_request(path: str, prefix: str) -> tuple[list[Scope], list[Any]]:
    """What comes through, and what is answered before."""
    seen: list[Scope] = []
    sent: list[Any] = []

    async def inner(scope: Scope, _: Receive, _send: Send) -> None:
        seen.append(scope)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "root_path": "", "headers": []}
    asyncio.run(PathPrefix(inner, prefix)(scope, nothing, send))
    return seen, sent


@pytest.mark.parametrize(
    ("path", "prefix", "whole"),
    [
        ("/api/bots", "", "/api/bots"),
        ("/api/bots", "/a/b", "/a/b/api/bots"),
        ("/a/b/api/bots", "/a/b", "/a/b/api/bots"),
        ("/a/b/", "/a/b", "/a/b/"),
        ("/", "/a/b", "/a/b/"),
        ("/a/bc", "/a/b", "/a/b/a/bc"),
    ],
)
def test_requests_below_the_prefix(path: str, prefix: str, whole: str) -> None:
    (seen,), sent = send_request(path, prefix)
    assert (seen["path"], seen["root_path"], sent) == (whole, prefix, [])


def test_a_request_for_the_prefix_itself() -> None:
    """Links begin where a page stands, which is below."""
    seen, sent = send_request("/a/b", "/a/b")
    assert seen == []
    assert sent[0]["status"] == 308
    assert (b"location", b"/a/b/") in sent[0]["headers"]
