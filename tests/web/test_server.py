"""The pages of a run over HTTP: the same as in a folder, guarded, and new when something is."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.report.build import build_report
from arena.store.run import Run
from arena.web.middleware import SECURITY_HEADERS
from tests.cli.runs import BOTS, CELLS, create_run, make_blocks, make_header
from tests.report.html_reader import Page
from tests.web.server_process import ServerProcess, start_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", blocks=4)


@pytest.fixture(scope="module")
def run_server(friday: Path) -> Iterator[ServerProcess]:
    with start_server(friday) as found:
        yield found


@pytest.fixture(scope="module")
def folder(friday: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same site, written down."""
    folder = tmp_path_factory.mktemp("sites") / "site"
    with Run.open(friday) as run:
        build_report(run, folder)
    return folder


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/standings/sticheln_3-seats.html", "text/html; charset=utf-8"),
        ("/bots/0-ann.html?x=1", "text/html; charset=utf-8"),
        ("/game.html?game=1", "text/html; charset=utf-8"),
        ("/static/site.css", "text/css; charset=utf-8"),
        ("/static/icon.svg", "image/svg+xml"),
        ("/standings.json", "application/json"),
        ("/standings.csv", "text/csv; charset=utf-8"),
        ("/games.csv", "text/csv; charset=utf-8"),
        ("/lists/0-0.js", "javascript"),
        ("/packs/0.js", "javascript"),
        ("/bots.js", "javascript"),
    ],
)
def test_existing_paths(run_server: ServerProcess, path: str, kind: str) -> None:
    answer = run_server.request(path)
    assert answer.status == 200
    told = answer.headers["content-type"]
    assert told == kind or (kind == "javascript" and told.partition(";")[0].endswith("javascript"))
    assert answer.content


def test_every_file_is_served(run_server: ServerProcess, folder: Path) -> None:
    """Byte by byte, but for pages, which follow the run."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            answer = run_server.request(f"/{file.relative_to(folder)}")
            assert answer.status == 200
            if file.suffix == ".html":
                assert "this page follows the run" in Page(answer.content).text
            else:
                assert answer.content == file.read_bytes()


@pytest.mark.parametrize("path", ["/", "/nothing", "/games.csv", "/events", "/static/site.js"])
def test_every_answer_is_guarded(run_server: ServerProcess, path: str) -> None:
    """Nothing may be loaded from elsewhere, and nobody may put these pages into a frame."""
    method = "POST" if path == "/events" else "GET"
    headers = run_server.request(path, method).headers
    for name, value in SECURITY_HEADERS.items():
        assert headers[name] == value
    assert "server" not in headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert not any(
        "unsafe" in value or "*" in value or "http" in value for value in policy.values()
    )


@pytest.mark.parametrize("path", ["/", "/static/site.css", "/lists/index.js", "/packs/0.js"])
def test_etags_avoid_sending_a_page_again(run_server: ServerProcess, path: str) -> None:
    first = run_server.request(path)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    again = run_server.request(path, If_None_Match=tag)
    assert (again.status, again.content, again.headers["etag"]) == (304, b"", tag)
    assert run_server.request(path, If_None_Match='"other"').content == first.content


def test_head_requests(run_server: ServerProcess) -> None:
    answer = run_server.request("/", "HEAD")
    assert (answer.status, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(run_server.request("/").content)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/", "/games.csv", "/events"])
def test_other_methods_are_rejected(run_server: ServerProcess, method: str, path: str) -> None:
    assert run_server.request(path, method).status == 405


@pytest.mark.parametrize(
    "path",
    [
        *("/nothing", "/run.db", "/../run.db", "/..", "/../../../../etc/passwd", "//etc/passwd"),
        *("/%2e%2e/run.db", "/%2e%2e%2frun.db", "/..%2frun.db", "/static/%2e%2e/%2e%2e/site.py"),
        *("/static/..%2f..%2fpages.py", "/static/....//site.py", "/static/%2e%2e%5csite.py"),
        *("/%2fetc%2fpasswd", "/%00", "/index.html%00", "/index.html/", "/static/", "/%ff%fe"),
        *("/packs/zz.js", "/lists/99-0.js", "/lists/0-99.js", "/packs/%2e%2e/index.html"),
        *("/events/", "/games.csv/", "/GAMES.csv", "/<script>alert(1)</script>"),
    ],
)
def test_missing_paths(run_server: ServerProcess, path: str) -> None:
    answer = run_server.request(path.replace(" ", "%20"))
    assert answer.status == 404
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("there is no page ")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_no_header_comes_in_by_a_path(run_server: ServerProcess) -> None:
    answer = run_server.request("/%0d%0aX-Forged:%20yes")
    assert answer.status == 404
    assert "X-Forged" not in answer.headers


def test_many_at_once(run_server: ServerProcess, folder: Path) -> None:
    """All clients get the whole file at the same time."""
    whole = (folder / "games.csv").read_bytes()
    with ThreadPoolExecutor(8) as crowd:
        answers = list(crowd.map(run_server.request, ["/games.csv", "/"] * 12))
    assert {answer.status for answer in answers} == {200}
    assert {answer.content for answer in answers[::2]} == {whole}


def test_new_blocks_are_announced(tmp_path: Path) -> None:
    """Blocks are added while the run is served: who listens is told, and finds them."""
    about = make_header()
    folder = create_run(tmp_path / "friday", about=about, cells=CELLS[:1], blocks=3)
    with start_server(folder) as server, server.events() as first, server.events() as second:
        assert (next(first), next(second)) == ("data: 1", "data: 1")
        before = server.request("/")
        assert "3 blocks" in Page(before.content).text.replace("\u00a0", " ")
        assert server.request("/standings/stick-em.html").status == 404
        with Run.open_for_writing(folder) as run:
            run.add(make_blocks(about, CELLS[3], 2, BOTS, 6.0))
        assert (next(first), next(second)) == ("data: 2", "data: 2")
        after = server.request("/", If_None_Match=before.headers["etag"])
        assert after.status == 200
        assert "5 blocks" in Page(after.content).text.replace("\u00a0", " ")
        assert server.request("/standings/stick-em.html").status == 200
        with server.events() as third:
            assert next(third) == "data: 2"
        assert server.end() == (130, "\n")


def test_a_run_that_cannot_be_read_any_more(tmp_path: Path) -> None:
    """It is said, and what was made before is still there."""
    folder = create_run(tmp_path / "friday", cells=CELLS[:1], blocks=2)
    with start_server(folder) as server:
        page = server.request("/")
        (folder / "run.db").rename(folder / "away.db")
        assert server.request("/").content == page.content
        answer = server.request("/packs/0.js")
        assert answer.status == 503
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.text == "the run cannot be read just now; try again\n"
        (folder / "away.db").rename(folder / "run.db")
        assert server.request("/packs/0.js").status == 200
