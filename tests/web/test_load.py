"""A server under load: its memory, its log and its disk stay small, and others are answered."""

import os
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.web.laddering import empty, serving
from tests.web.serving import LONG, Served

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


def memory(there: Served) -> int:
    """Bytes of memory that the server has."""
    status = Path(f"/proc/{there.process.pid}/statm").read_text()
    return int(status.split()[1]) * resource.getpagesize()


def files(there: Served) -> int:
    """Files that the server has open."""
    return len(os.listdir(f"/proc/{there.process.pid}/fd"))


def ask(there: Served, source: str, path: str = "/healthz") -> int:
    """What a client at another address is answered."""
    connection = HTTPConnection("127.0.0.1", there.port, timeout=5, source_address=(source, 0))
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


@contextmanager
def crowd(there: Served, source: str, count: int = CROWD) -> Iterator[list[socket.socket]]:
    """Connections from an address that ask for nothing."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                socket.create_connection(("127.0.0.1", there.port), LONG, (source, 0))
            )
            for _ in range(count)
        ]


def is_open(connection: socket.socket) -> bool:
    """Whether the server has not ended a connection."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.9"])
def test_idle_connections(tmp_path: Path, source: str) -> None:
    """From a proxy's address, which may have many, and from another, which may not."""
    log = tmp_path / "log.txt"
    with serving(empty(tmp_path / "ladder"), before=FEW_FILES, log=log) as there:
        assert there.ask("/healthz").status == 200
        before = memory(there)
        with crowd(there, source) as connections:
            time.sleep(0.5)
            left = sum(map(is_open, connections))
            assert left == (800 if source == "127.0.0.1" else 64)
            assert files(there) < 1000
            assert [ask(there, "127.0.0.2") for _ in range(20)] == [200] * 20
            assert there.ask("/").status == 200
            assert memory(there) - before < 40 * MIB
        assert log.stat().st_size < 10_000
        assert "Traceback" not in log.read_text()
