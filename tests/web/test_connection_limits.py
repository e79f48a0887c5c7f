"""Connections: those that do not go on are ended, and malformed requests are rejected."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.runs import CELLS, create_run
from tests.tournaments.small_runs import wait_for
from tests.web.ladders import create_ladder, serve_ladder
from tests.web.server_process import TIMEOUT, ServerProcess, start_server

pytestmark = pytest.mark.slow

QUICK = "import arena.web.server as p; p.REQUEST_TIMEOUT, p.WRITE_TIMEOUT = 1.0, 2.0\n"
LISTENING = "0A"
"""A state in the kernel's list of sockets."""


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose games.csv has some MB."""
    folder = tmp_path_factory.mktemp("runs") / "friday"
    return create_run(folder, cells=CELLS[:2], blocks=2000)


def over(there: ServerProcess, *pieces: bytes, rest: float = 0.2) -> bytes:
    """What comes back until the connection is over, though somebody sends on piece by piece."""
    with closing(there.connect()) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(rest)
        return drained(connection)


def held(there: ServerProcess) -> int:
    """How many connections the server holds; those that it has ended belong to no process."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    port = f":{there.port:04X}"
    return sum(row[1].endswith(port) and row[3] != LISTENING and row[9] != "0" for row in rows)


@contextmanager
def asking_for_the_sheet(there: ServerProcess) -> Iterator[socket.socket]:
    """A connection on whose side the system holds little, and which is being answered."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.settimeout(TIMEOUT)
        connection.connect(("127.0.0.1", there.port))
        connection.sendall(b"GET /games.csv HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(1) == b"H"
        yield connection


def drained(connection: socket.socket) -> bytes:
    """What is left to be read."""
    content = bytearray()
    with suppress(ConnectionResetError):
        while chunk := connection.recv(1 << 20):
            content += chunk
    return bytes(content)


def test_idle_connections_are_closed(tmp_path: Path) -> None:
    """Nothing, a question that never ends, and one that does not follow another."""
    folder = create_run(tmp_path / "friday", cells=CELLS[:1], blocks=2)
    with start_server(folder, before=QUICK) as there:
        assert over(there) == b""
        assert over(there, *[b"G"] * 20) == b""
        assert over(there, b"GET / HTTP/1.1\r\n", *[b"X: y\r\n"] * 20) == b""
        whole = b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
        assert over(there, whole).startswith(b"HTTP/1.1 200 OK\r\n")
        assert there.request("/").status == 200


def test_event_streams_are_not_idle_connections(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "friday", cells=CELLS[:1], blocks=2)
    with start_server(folder, before=QUICK) as there, there.events() as lines:
        assert next(lines) == "data: 1"
        time.sleep(2.0)
        assert there.end() == (130, "\n")


def test_a_client_that_does_not_read(friday: Path) -> None:
    """A download ends if its client does not read; others get theirs as always."""
    with start_server(friday, before=QUICK) as there, asking_for_the_sheet(there) as connection:
        whole = there.request("/games.csv").content
        wait_for(lambda: not held(there))
        assert len(drained(connection)) < len(whole)


def test_a_client_that_reads_too_slowly(friday: Path) -> None:
    """A client that reads steadily, but too slowly for all of the file, is disconnected."""
    slow = "import arena.web.server as p; p.RESPONSE_TIMEOUT = 2.0\n"
    with start_server(friday, before=slow) as there:
        begun = time.monotonic()
        with asking_for_the_sheet(there) as connection:
            content = bytearray()
            while held(there):
                assert time.monotonic() < begun + TIMEOUT
                content += connection.recv(1 << 13)
                time.sleep(0.05)
            assert time.monotonic() - begun > 1.5
            content += drained(connection)
        assert b"\r\n0\r\n" not in content


BODY = b"5\r\nhello\r\n0\r\n\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerProcess, Path]]:
    """A ladder that is served, and its log."""
    folder = tmp_path_factory.mktemp("strict")
    with serve_ladder(create_ladder(folder / "ladder"), log=folder / "log.txt") as there:
        yield there, folder / "log.txt"


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /api/bots HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n" + BODY,
        b"GET / HTTP/1.1\r\nHost: x\r\ntransfer-encoding: chunked\r\ncontent-LENGTH: 20\r\n\r\n"
        + BODY,
        b"GET / HTTP/1.1\nHost: x\n\n",
        b"GET / HTTP/1.1\r\nHost: x\nX-Hidden: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: y\n\r\n",
        b"nonsense\r\n\r\n",
    ],
)
def test_requests_that_others_may_read_in_another_way(
    ladder: tuple[ServerProcess, Path], request_: bytes
) -> None:
    """Nothing behind them is read."""
    there, log = ladder
    for before in (b"", NEXT):
        found = over(there, before + request_ + NEXT)
        assert found.count(b"HTTP/1.1 ") == (2 if before else 1)
        assert b"HTTP/1.1 400 Bad Request" in found
    assert "Traceback" not in log.read_text()


def test_line_ends_in_a_body_are_not_looked_at(ladder: tuple[ServerProcess, Path]) -> None:
    there, _ = ladder
    asked = b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\na\nb\n\n\n"
    found = over(there, asked + NEXT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    assert found.count(b"HTTP/1.1 200 OK") == 2


def test_a_body_that_becomes_malformed(ladder: tuple[ServerProcess, Path]) -> None:
    """Before or after there was an answer."""
    there, log = ladder
    head = b"POST /api/bots HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    for pieces in ((head + b"rubbish",), (head, b"rubbish\r\n"), (head + BODY[:8], b"\r\nzz\r\n")):
        assert over(there, *pieces).count(b"HTTP/1.1 4") == 1
    assert there.request("/healthz").status == 200
    assert "Traceback" not in log.read_text()


def test_a_flood_of_them_is_logged_once(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with serve_ladder(create_ladder(tmp_path / "ladder"), log=log) as there:
        for _ in range(100):
            assert over(there, b"nonsense\r\n\r\n", rest=0)
        upgrade = there.request("/healthz", Connection="Upgrade", Upgrade="websocket")
        assert upgrade.status == 200
        wait_for(lambda: "/healthz" in log.read_text())
    lines = log.read_text().splitlines()
    assert sum("Invalid HTTP request" in line for line in lines) == 1
    assert len(lines) == 2


def test_a_server_without_files_says_so_once(tmp_path: Path) -> None:
    """What it cannot accept waits, and the log does not grow."""
    log = tmp_path / "log.txt"
    few = "import arena.web.server as s; s.raise_file_limit = lambda: 10_000\n"
    few += "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))\n"
    with serve_ladder(create_ladder(tmp_path / "ladder"), before=few, log=log) as there:
        with ExitStack() as stack:
            for _ in range(80):
                stack.enter_context(closing(there.connect()))
            wait_for(lambda: "out of file descriptors" in log.read_text())
            time.sleep(2.5)  # it tries to accept again each second
        assert there.request("/").status == 200
        text = log.read_text()
    assert text.count("out of file descriptors: no connection can be accepted") == 1
    assert "Traceback" not in text
    assert len(text) < 5000


def test_as_many_files_as_are_allowed() -> None:
    program = """if True:
        import resource
        from arena.web.server import raise_file_limit
        for limits in ((100, 5000), (100, 100)):
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            print(raise_file_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"5000", b"5000", b"100", b"100"]
