"""Bearers: clients with too many wrong tokens have to wait; known tokens are never refused."""

import time

import pytest
from starlette.requests import Request

from arena.web import bearers
from arena.web.api.failures import Failure
from arena.web.bearers import FAILURES, Bearers


def asked(shown: str | None = None, host: str = "192.0.2.1") -> Request:
    headers = [] if shown is None else [(b"authorization", shown.encode())]
    return Request({"type": "http", "headers": headers, "client": (host, 1)})


def refused(kept: Bearers, request: Request) -> Failure:
    with pytest.raises(Failure) as caught:
        kept.shown(request)
    return caught.value


@pytest.mark.parametrize("shown", ["Bearer abc", "bearer  abc ", "BEARER abc"])
def test_a_token(shown: str) -> None:
    assert Bearers().shown(asked(shown)) == "abc"


@pytest.mark.parametrize("shown", [None, "", "Bearer", "Bearer  ", "Basic abc", "abc"])
def test_no_token(shown: str | None) -> None:
    """It is no guess, and counts as none."""
    kept = Bearers()
    for _ in range(2 * FAILURES):
        failure = refused(kept, asked(shown))
        assert (failure.status, failure.headers) == (401, {"www-authenticate": "Bearer"})


def test_who_guesses_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Bearers()
    moment = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    for _ in range(FAILURES):
        assert kept.wrong(asked("Bearer no")).status == 401
        moment += 1
    for _ in range(2 * FAILURES):
        failure = kept.wrong(asked("Bearer no"))
        assert failure.status == 429
    assert kept.shown(asked("Bearer yes")) == "yes"
    assert 0 < int(failure.headers["retry-after"]) <= 60
    assert len(kept.failed["192.0.2.1"]) == FAILURES
    assert kept.wrong(asked("Bearer no", "192.0.2.2")).status == 401
    moment += float(failure.headers["retry-after"])
    assert kept.wrong(asked("Bearer no")).status == 401


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("x" * 5000, "x" * 6000, True),
        ("", "", True),
    ],
)
def test_who_is_the_same(one: str, other: str, same: bool) -> None:
    """Somebody with many addresses of the sixth version is one client."""
    kept = Bearers()
    for _ in range(FAILURES):
        kept.wrong(asked("Bearer no", one))
    assert kept.wrong(asked("Bearer no", other)).status == (429 if same else 401)


def test_not_everybody_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bearers, "REMEMBERED", 3)
    kept = Bearers()
    for number in range(10):
        kept.wrong(asked("Bearer no", f"192.0.2.{number}"))
    assert list(kept.failed) == ["192.0.2.7", "192.0.2.8", "192.0.2.9"]
