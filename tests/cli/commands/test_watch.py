"""`arena watch` begins at once, says what is wrong in one sentence, and ends at Ctrl-C."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.options import open_listener
from tests.cli.invoke import invoke_arena
from tests.cli.runs import CELLS, create_run
from tests.suite.stages import soak_only
from tests.tournaments.small_runs import wait_for
from tests.web.server_process import ROOT, server_command, start_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", cells=CELLS[:1], blocks=2)


def check_refused(words: tuple[object, ...], *said: str) -> None:
    """It is one sentence, and the status that mistakes have."""
    done = invoke_arena("watch", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    for part in said:
        assert part in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status", "watched"),
    [
        (signal.SIGINT, (130, "\n"), False),
        soak_only((signal.SIGINT, (130, "\n"), True)),
        (signal.SIGTERM, (143, ""), True),
    ],
)
def test_signals_end_the_server(
    friday: Path, number: int, status: tuple[int, str], watched: bool
) -> None:
    """Also while pages are open that follow the run, of which it lets go."""
    with start_server(friday) as there:
        assert there.line == f"http://127.0.0.1:{there.port}/ follows {friday}; Ctrl-C ends it\n"
        if not watched:
            assert there.request("/").status == 200
            assert there.end(number) == status
            return
        with there.events() as lines:
            assert next(lines) == "data: 1"
            assert there.end(number) == status
            assert list(lines) == []


@pytest.mark.slow
def test_it_is_opened_in_a_browser(
    friday: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which finds the page there: it may ask before the server is ready."""
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys, urllib.request\n"
        "status = urllib.request.urlopen(sys.argv[1]).status\n"
        f"pathlib.Path({str(seen)!r}).write_text(f'{{sys.argv[1]}} {{status}}')\n"
    )
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s &")
    with start_server(friday, "--open") as there:
        there.request("/")
        wait_for(lambda: seen.exists() and seen.read_text())
        assert seen.read_text() == f"http://127.0.0.1:{there.port}/ 200"


@pytest.mark.slow
def test_the_only_run_there_is(friday: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one").symlink_to(friday)
    before = f"import os; os.chdir({str(tmp_path)!r})\n"
    words = server_command("--port", "0", before=before)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        line = process.stdout.readline()
        process.terminate()
    assert " follows runs/one; " in line


def test_a_port_that_is_taken(friday: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        check_refused(
            (friday, "--port", port), f"127.0.0.1:{port} cannot be", "Address already in use"
        )


@pytest.mark.parametrize("host", ["no-such-host.invalid", "x" * 70, "a..b", "203.0.113.77"])
def test_invalid_hosts(friday: Path, host: str) -> None:
    check_refused(
        (friday, "--host", host, "--port", 0), f"{host}:0 cannot be listened on: ", "--host"
    )


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_invalid_ports(friday: Path, port: str) -> None:
    assert invoke_arena("watch", friday, "--port", port).exit_code == 2


def test_a_folder_that_is_not_a_run(tmp_path: Path) -> None:
    check_refused((tmp_path, "--port", 0), "is not a run")
    (tmp_path / "run.db").write_text("hello")
    check_refused((tmp_path, "--port", 0), "not the file of a run")


def test_early_connections_wait() -> None:
    with (
        open_listener("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
    ):
        pass


def test_an_ipv6_address() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"there is no IPv6 here: {os.strerror(error.errno or 0)}")
    with open_listener("::1", 0) as listening:
        assert listening.family == socket.AF_INET6


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_missing_packages_are_reported(friday: Path, missing: str) -> None:
    """It says what to install, before anything else is looked at."""
    before = f"import sys; sys.modules[{missing!r}] = None\n"
    done = subprocess.run(
        server_command(friday, "--port", "0", before=before),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: arena watch needs two more packages: run pip install 'stichkampf[web]'; "
        "arena report needs none\n"
    )


def test_other_commands_do_not_import_web_packages(friday: Path, tmp_path: Path) -> None:
    before = "import sys; sys.modules['starlette'] = sys.modules['uvicorn'] = None\n"
    words = server_command(before=before)[:-1]
    done = subprocess.run(
        [*words, "report", str(friday), "-o", str(tmp_path / "site")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
