"""Clients with too many wrong tokens have to wait; known tokens are never rejected."""

import time

import pytest
from starlette.requests import Request

from arena.web import bearer_auth
from arena.web.api_errors import ApiError
from arena.web.bearer_auth import MAX_FAILURES, BearerAuth


def make_request(shown: str | None = None, host: str = "192.0.2.1") -> Request:
    headers = [] if shown is None else [(b"authorization", shown.encode())]
    return Request({"type": "http", "headers": headers, "client": (host, 1)})


def auth_error(kept: BearerAuth, request: Request) -> ApiError:
    with pytest.raises(ApiError) as caught:
        kept.read_token(request)
    return caught.value


@pytest.mark.parametrize("shown", ["Bearer abc", "bearer  abc ", "BEARER abc"])
def test_a_token(shown: str) -> None:
    assert BearerAuth().read_token(make_request(shown)) == "abc"


@pytest.mark.parametrize("shown", [None, "", "Bearer", "Bearer  ", "Basic abc", "abc"])
def test_no_token(shown: str | None) -> None:
    """It is no guess, and counts as none."""
    kept = BearerAuth()
    for _ in range(2 * MAX_FAILURES):
        failure = auth_error(kept, make_request(shown))
        assert (failure.status, failure.headers) == (401, {"www-authenticate": "Bearer"})


def test_guessing_tokens_is_throttled(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = BearerAuth()
    moment = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    for _ in range(MAX_FAILURES):
        assert kept.wrong_token_error(make_request("Bearer no")).status == 401
        moment += 1
    for _ in range(2 * MAX_FAILURES):
        failure = kept.wrong_token_error(make_request("Bearer no"))
        assert failure.status == 429
    assert kept.read_token(make_request("Bearer yes")) == "yes"
    assert 0 < int(failure.headers["retry-after"]) <= 60
    assert len(kept.failures["192.0.2.1"]) == MAX_FAILURES
    assert kept.wrong_token_error(make_request("Bearer no", "192.0.2.2")).status == 401
    moment += float(failure.headers["retry-after"])
    assert kept.wrong_token_error(make_request("Bearer no")).status == 401


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
def test_addresses_of_one_client(one: str, other: str, same: bool) -> None:
    """Somebody with many addresses of the sixth version is one client."""
    kept = BearerAuth()
    for _ in range(MAX_FAILURES):
        kept.wrong_token_error(make_request("Bearer no", one))
    assert kept.wrong_token_error(make_request("Bearer no", other)).status == (429 if same else 401)


def test_the_number_of_remembered_clients_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bearer_auth, "MAX_CLIENTS", 3)
    kept = BearerAuth()
    for number in range(10):
        kept.wrong_token_error(make_request("Bearer no", f"192.0.2.{number}"))
    assert list(kept.failures) == ["192.0.2.7", "192.0.2.8", "192.0.2.9"]
