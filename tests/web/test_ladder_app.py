"""A ladder over HTTP: everything is there, guarded, below a prefix too, and nothing else is."""

import json
import re
from pathlib import Path

import pytest

from arena.web.middleware import SECURITY_HEADERS
from tests.report.html_reader import Page
from tests.web.ladders import copy_ladder, serve_ladder
from tests.web.server_process import ServerProcess

pytestmark = pytest.mark.slow

PAGES = ("/", "/nights.html", "/bots.html", "/submit", "/api", "/static/site.css")
OURS = ("/static/submit.js", "/static/submit.css", "/static/api.css")
QUESTIONS = ("/api/standings", "/api/bots", "/api/games", "/api/nights", "/healthz")
DESCRIPTION = "/api/openapi.json"


@pytest.mark.parametrize("path", [*PAGES, *OURS, *QUESTIONS, DESCRIPTION])
def test_existing_paths(ladder_server: ServerProcess, path: str) -> None:
    answer = ladder_server.request(path)
    assert answer.status == 200
    head = ladder_server.request(path, "HEAD")
    assert (head.status, head.content) == (200, b"")
    for name in ("content-type", "content-length"):
        assert head.headers[name] == answer.headers[name]
    if path in (*QUESTIONS, DESCRIPTION):
        assert answer.headers["content-type"] == "application/json"
        assert isinstance(answer.json, dict)


@pytest.mark.parametrize(
    "path", [*PAGES, *QUESTIONS, "/api/nothing", "/nothing", "/events", "/api/bots/nobody"]
)
def test_every_answer_is_guarded(ladder_server: ServerProcess, path: str) -> None:
    for method in ("HEAD", "DELETE"):
        headers = ladder_server.request(path, method).headers
        for name, value in SECURITY_HEADERS.items():
            assert headers[name] == value
        assert not {"server", "set-cookie", "access-control-allow-origin"} & {
            name.lower() for name in headers
        }


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", "GET, HEAD"),
        ("/submit", "GET, HEAD"),
        ("/static/submit.js", "GET, HEAD"),
        ("/api", "GET, HEAD"),
        ("/api/bots", "GET, HEAD, POST"),
        ("/api/bots/random", "GET, HEAD"),
        ("/api/submissions/xxxxxxxxxxxxxxxxxxxxxx", "GET, HEAD"),
        ("/healthz", "GET, HEAD"),
    ],
)
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FROB"])
def test_other_methods(ladder_server: ServerProcess, path: str, allowed: str, method: str) -> None:
    answer = ladder_server.request(path, method)
    assert answer.status == 405
    assert sorted(answer.headers["allow"].split(", ")) == allowed.split(", ")
    if path.startswith(("/api", "/healthz")):
        assert set(answer.json) == {"error"}


@pytest.mark.parametrize(
    "path",
    [
        *("/api/", "/api/nothing", "/api/bots/", "/api/games/1/2", "/api/../run.db", "/api//bots"),
        *("/api/submissions", "/api/submissions/", "/api/%2e%2e/%2e%2e/run.db", "/api/<b>"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_missing_paths(ladder_server: ServerProcess, path: str, method: str) -> None:
    answer = ladder_server.request(path, method)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == {"error"}


def test_files_of_the_ladder_are_not_served(ladder_server: ServerProcess) -> None:
    for path in (
        "/ladder.yaml",
        "/run.db",
        "/serve.lock",
        "/bots/",
        "/incoming/",
        "/logs/serve.txt",
    ):
        assert ladder_server.request(path).status == 404


def test_pages_lead_to_one_another(ladder_server: ServerProcess) -> None:
    """All that they load and link to is there, and no page has a script or style in itself."""
    for path in ("/", "/submit", "/api"):
        page = ladder_server.request(path).text
        assert not re.search(
            r"<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=|javascript:", page
        )
        for link in re.findall(r'(?:href|src)="([^"#][^"]*)"', page):
            assert not re.match(r"[a-z]+:|//|/", link), link
            assert ladder_server.request(f"/{link}").status == 200, link


def test_a_host_is_not_believed(ladder_server: ServerProcess) -> None:
    for path in ("/", "/submit", "/api", DESCRIPTION, "/api/", "/healthz"):
        answer = ladder_server.request(path, Host="evil.example", X_Forwarded_Host="evil.example")
        assert "evil.example" not in answer.text + str(answer.headers)


def test_events_announce_changes(ladder_server: ServerProcess) -> None:
    with ladder_server.events() as lines:
        assert next(lines) == "data: 1"
    answer = ladder_server.request("/events", "HEAD")
    assert (answer.status, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"


def test_below_a_prefix(ladder: Path, tmp_path: Path) -> None:
    """Whether or not a proxy takes it away."""
    with serve_ladder(copy_ladder(ladder, tmp_path / "ladder"), "--prefix", "/our/ladder") as there:
        assert there.line.startswith(f"http://127.0.0.1:{there.port}/our/ladder/ ")
        answer = there.request("/our/ladder", Host="evil.example")
        assert (answer.status, answer.headers["location"]) == (308, "/our/ladder/")
        for path in ("/", "/submit", "/api", "/static/submit.js", "/api/standings", "/healthz"):
            assert there.request(f"/our/ladder{path}").status == 200
            assert there.request(path).status == 200
        assert (
            there.request("/our/ladder/api/nothing").headers["content-type"] == "application/json"
        )
        assert there.request("/other/api/standings").status == 404
        assert there.request(f"/our/ladder{DESCRIPTION}").json["servers"] == [
            {"url": "/our/ladder"}
        ]
        page = Page(there.request("/our/ladder/submit").content)
        assert "Submit a bot" in page.text


def test_requests_are_logged(ladder: Path, tmp_path: Path) -> None:
    """With the address for which a proxy asks; without tokens, ids, or what is behind the ?."""
    log = tmp_path / "log.txt"
    with serve_ladder(copy_ladder(ladder, tmp_path / "ladder"), log=log) as there:
        there.request("/healthz")
        there.request("/healthz", X_Forwarded_For="198.51.100.1, 203.0.113.7")
        there.request("/api/bots?file=x&token=secret1", "POST", b"", Authorization="Bearer secret2")
        there.request("/api/submissions/abcdSECRETSECRETSECRET")
        there.request("/%0d%0aforged%1b[31m")
        assert there.end()[0] == 130
    lines = [line.split(" INFO ")[1] for line in log.read_text().splitlines() if " INFO " in line]
    assert [re.sub(r" [\d.]+ ms$", "", line) for line in lines] == [
        "127.0.0.1 GET /healthz 200",
        "203.0.113.7 GET /healthz 200",
        "127.0.0.1 POST /api/bots 422",
        "127.0.0.1 GET /api/submissions/abcd… 404",
        "127.0.0.1 GET /␍␊forged␛[31m 404",
    ]
    assert "secret" not in log.read_text().lower()


def test_json_is_harmless_at_a_terminal(ladder_server: ServerProcess) -> None:
    answer = ladder_server.request("/api/bots?%1b[31m%e2%80%ae=1")
    assert answer.status == 422
    assert answer.content.isascii() or "\u202e" not in answer.text
    assert b"\x1b" not in answer.content
    assert json.loads(answer.content)
