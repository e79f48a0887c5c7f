"""`arena serve` begins at once, says what is wrong in one sentence, and ends at Ctrl-C."""

import signal
import socket
import subprocess
from pathlib import Path

import pytest

from arena.cli.commands.serve import parse_prefix
from arena.errors import ArenaError
from tests.cli.invoke import invoke_arena
from tests.cli.runs import CELLS, create_run
from tests.web.ladders import create_ladder, serve_ladder
from tests.web.server_process import ROOT, server_command

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_ladder(tmp_path_factory.mktemp("ladders") / "ladder")


def check_refused(words: tuple[object, ...], *said: str) -> None:
    """It is one sentence, and the status that mistakes have."""
    done = invoke_arena("serve", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    for part in said:
        assert part in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_the_server(ladder: Path, number: int, status: int, tmp_path: Path) -> None:
    """Also while pages are open that follow it."""
    log = tmp_path / "log.txt"
    with serve_ladder(ladder, log=log) as there:
        assert there.line == (
            f"http://127.0.0.1:{there.port}/ serves Nachbarn, {ladder}; Ctrl-C ends it\n"
        )
        with there.events() as lines:
            assert next(lines) == "data: 1"
            assert there.end(number)[0] == status
            assert list(lines) == []
    assert "Traceback" not in log.read_text()


def test_a_second_server_is_rejected(ladder: Path) -> None:
    with serve_ladder(ladder) as there:
        check_refused(
            (ladder, "--port", 0), f"is served by process {there.process.pid} already; end it first"
        )


def test_folders_that_are_not_ladders(tmp_path: Path) -> None:
    check_refused((tmp_path / "none",), "is not a ladder", "arena ladder init")
    check_refused((create_run(tmp_path / "friday", cells=CELLS[:1], blocks=1),), "is not a ladder")
    folder = create_ladder(tmp_path / "broken")
    (folder / "ladder.yaml").write_text("variants: [nothing]\nseats: 3\n")
    check_refused((folder,), "ladder.yaml", "nothing")
    folder = create_ladder(tmp_path / "empty")
    (folder / "run.db").unlink()
    check_refused((folder, "--port", 0), "run.db")


def test_a_port_that_is_taken(ladder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        check_refused((ladder, "--port", port), f"127.0.0.1:{port} cannot be listened on")


@pytest.mark.parametrize(
    ("given", "prefix"),
    [("", ""), ("/", ""), ("ladder", "/ladder"), ("/ladder/", "/ladder"), ("/a/b-c_1", "/a/b-c_1")],
)
def test_a_prefix(given: str, prefix: str) -> None:
    assert parse_prefix(given) == prefix


@pytest.mark.parametrize("given", ["/a b", "/..", "/a//b", "/<b>", "/a.html", "/\x1b", "http://x"])
def test_invalid_prefixes(given: str) -> None:
    with pytest.raises(ArenaError, match="is no path"):
        parse_prefix(given)


@pytest.mark.parametrize("given", ["/api", "/bots/x", "static", "/submit"])
def test_a_prefix_that_is_a_page(given: str) -> None:
    with pytest.raises(ArenaError, match="take another"):
        parse_prefix(given)


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_missing_packages_are_reported(ladder: Path, missing: str) -> None:
    before = f"import sys; sys.modules[{missing!r}] = None\n"
    done = subprocess.run(
        server_command(ladder, "--port", "0", before=before, name="serve"),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: arena serve needs two more packages: run pip install")
