"""A server under load: its memory, its log and its disk stay small, and others are answered."""

import os
import resource
import socket
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from arena.ladder.folder import UPLOADS_FOLDER
from arena.store import database
from arena.store.run import Run
from tests.cli.runs import BOTS, CELLS, create_run, make_blocks, make_header
from tests.web.ladders import (
    SHORT_RETRIES,
    create_ladder,
    create_token,
    make_zip,
    post_bot,
    serve_ladder,
    wait_for_result,
)
from tests.web.server_process import TIMEOUT, ServerProcess, start_server

pytestmark = pytest.mark.slow

MIB = 1 << 20
FEW_FILES = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))\n"
CROWD = 1100


@pytest.fixture(autouse=True)
def many_files() -> Iterator[None]:
    """Let this process open as many connections as a test wants."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * CROWD:
        pytest.skip(f"this process may open {hard} files only: ulimit -n")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * CROWD), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def memory(there: ServerProcess) -> int:
    """Bytes of memory that the server has."""
    status = Path(f"/proc/{there.process.pid}/statm").read_text()
    return int(status.split()[1]) * resource.getpagesize()


def files(there: ServerProcess) -> int:
    """Files that the server has open."""
    return len([*Path(f"/proc/{there.process.pid}/fd").iterdir()])


def ask(there: ServerProcess, source: str, path: str = "/healthz") -> int:
    """What a client at another address is answered."""
    connection = HTTPConnection(
        "127.0.0.1", there.port, timeout=TIMEOUT, source_address=(source, 0)
    )
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def connect(there: ServerProcess, source: str = "127.0.0.1") -> socket.socket:
    """A connection on whose side the system holds little that is not read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    connection.settimeout(TIMEOUT)
    connection.bind((source, 0))
    connection.connect(("127.0.0.1", there.port))
    return connection


@contextmanager
def crowd(there: ServerProcess, source: str, count: int = CROWD) -> Iterator[list[socket.socket]]:
    """Connections from an address that ask for nothing."""
    with ExitStack() as stack:
        yield [stack.enter_context(connect(there, source)) for _ in range(count)]


def is_open(connection: socket.socket) -> bool:
    """Whether the server has not ended a connection."""
    connection.settimeout(0)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


@pytest.mark.parametrize(("source", "most"), [("127.0.0.1", 800), ("127.0.0.9", 20)])
def test_idle_connections(tmp_path: Path, source: str, most: int) -> None:
    """From a proxy's address, which may have many, and from another, which may not."""
    log = tmp_path / "log.txt"
    limit = "--per-address", "20"
    with serve_ladder(
        create_ladder(tmp_path / "ladder"), *limit, before=FEW_FILES, log=log
    ) as there:
        assert there.request("/healthz").status == 200
        before = memory(there)
        with crowd(there, source) as connections:
            end = time.monotonic() + TIMEOUT
            while (left := sum(map(is_open, connections))) > most and time.monotonic() < end:
                time.sleep(0.1)
            assert left == most
            assert files(there) < 1000
            assert [ask(there, "127.0.0.2") for _ in range(20)] == [200] * 20
            assert there.request("/").status == 200
            assert memory(there) - before < 40 * MIB
        assert log.stat().st_size < 10_000
        assert "Traceback" not in log.read_text()


@pytest.mark.soak
def test_readers_that_do_not_read(tmp_path: Path) -> None:
    """Many ask for about 5 MB each, which the server does not cache, and take nothing."""
    folder = create_run(tmp_path / "friday", cells=CELLS[:1], blocks=32)
    with start_server(folder) as there:
        with closing(sqlite3.connect(folder / database.RUN_FILE)) as file, file:
            file.execute("UPDATE kept SET games = randomblob(2000000)")
        sizes = [len(there.request(f"/packs/{name:x}.js").content) for name in range(16)]
        assert sum(sizes) > 80_000_000
        before = memory(there)
        with crowd(there, "127.0.0.1", 240) as connections:
            for number, connection in enumerate(connections):
                path = f"/packs/{number % 16:x}.js"
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                time.sleep(0.01)
            time.sleep(1)
            assert there.request("/").status == 200
            grown = memory(there) - before
        assert grown < 240 * MIB, grown
        assert there.request("/packs/1.js").status == 200


def read_slowly(connection: socket.socket, seconds: float) -> int:
    """Read some 60 kB a second; how many bytes came."""
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        count += len(connection.recv(6000))
        time.sleep(0.1)
    return count


@pytest.mark.soak
def test_a_slow_reader_of_the_sheet(tmp_path: Path) -> None:
    """What is written meanwhile goes from the log into the file."""
    folder = create_run(tmp_path / "friday", cells=CELLS[1:2], blocks=1500)
    log = folder / f"{database.RUN_FILE}-wal"
    with (
        start_server(folder) as there,
        connect(there) as connection,
        ThreadPoolExecutor() as reader,
    ):
        connection.sendall(b"GET /games.csv HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(1)
        reading = reader.submit(read_slowly, connection, 2)
        with Run.open_for_writing(folder) as run:
            for cell in CELLS[2:]:
                run.add(make_blocks(make_header(), cell, 300, BOTS, 6.0))
            found = run.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            assert found == (0, 0, 0)
            assert log.stat().st_size == 0
        assert reading.result() > 0


def test_parallel_uploads(tmp_path: Path) -> None:
    """Twenty owners send a bot at once, thirty others something without a token."""
    folder = create_ladder(tmp_path / "ladder")
    owners = [create_token(folder, f"owner{number}") for number in range(20)]
    log = tmp_path / "log.txt"
    with serve_ladder(folder, log=log) as there:
        assert there.request("/healthz").status == 200
        before = memory(there)
        most = 0

        def send(shown: str) -> int:
            nonlocal most
            body = os.urandom(900_000)
            found = there.request(
                "/api/bots?file=a.zip", "POST", body, Authorization=f"Bearer {shown}"
            )
            most = max(most, len([*(folder / UPLOADS_FOLDER).iterdir()]))
            return found.status

        with ThreadPoolExecutor(50) as senders:
            statuses = list(senders.map(send, owners + ["wrong"] * 30))
        assert set(statuses[:20]) <= {202, 429, 503}
        assert 202 in statuses[:20]
        assert set(statuses[20:]) <= {401, 429}
        assert most <= 6 + 8  # those that wait, and those that are just sent
        assert memory(there) - before < 60 * MIB
        assert there.request("/healthz").status == 200
        assert "Traceback" not in log.read_text()
    assert log.stat().st_size < 20_000


def test_a_huge_key(tmp_path: Path) -> None:
    """What is said of a manifest with a key of 3 MB is short, however often it is asked for."""
    folder = create_ladder(tmp_path / "ladder")
    shown = create_token(folder)
    with serve_ladder(folder, before=SHORT_RETRIES) as there:
        before = memory(there)
        body = make_zip(bot__yaml=f"{'k' * 3_000_000}: 1\nrun: [python3, a.py]\n", a__py="")
        taken = post_bot(there, shown, body, "file=a.zip")
        found = wait_for_result(there, taken["id"])
        assert found["state"] == "refused"
        path = f"/api/submissions/{taken['id']}"
        with ThreadPoolExecutor(20) as readers:
            sizes = [len(one.content) for one in readers.map(there.request, [path] * 100)]
        assert max(sizes) < 30_000
        with there.events(f"{path}/events") as lines:
            assert sum(map(len, lines)) < 60_000
        assert memory(there) - before < 40 * MIB
