"""Patience: who holds a connection without asking or taking anything loses it, and nobody else."""

import socket
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.cli.runs import CELLS, played
from tests.web.serving import Served, served

pytestmark = pytest.mark.slow

QUICK = "import arena.web.patience as p; p.ASKING, p.TAKING = 0.5, 0.5\n"


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose games are some MB as a sheet."""
    folder = tmp_path_factory.mktemp("runs") / "friday"
    return played(folder, cells=CELLS[:2], blocks=6000)


def over(there: Served, *pieces: bytes, rest: float = 0.2) -> bytes:
    """What comes back until the connection is over, though somebody sends on piece by piece."""
    with closing(there.connect()) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(rest)
        return drained(connection)


def drained(connection: socket.socket) -> bytes:
    """What is left to be read."""
    content = bytearray()
    with suppress(ConnectionResetError):
        while chunk := connection.recv(1 << 20):
            content += chunk
    return bytes(content)


def test_who_does_not_ask(tmp_path: Path) -> None:
    """Nothing, a question that never ends, and one that does not follow another."""
    folder = played(tmp_path / "friday", cells=CELLS[:1], blocks=2)
    with served(folder, before=QUICK) as there:
        assert over(there) == b""
        assert over(there, *[b"G"] * 20) == b""
        assert over(there, b"GET / HTTP/1.1\r\n", *[b"X: y\r\n"] * 20) == b""
        whole = b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
        assert over(there, whole).startswith(b"HTTP/1.1 200 OK\r\n")
        assert there.ask("/").status == 200


def test_who_waits_for_an_answer_is_not_one_of_them(tmp_path: Path) -> None:
    folder = played(tmp_path / "friday", cells=CELLS[:1], blocks=2)
    with served(folder, before=QUICK) as there, there.events() as lines:
        assert next(lines) == "data: 1"
        time.sleep(1.5)
        assert there.end() == (130, "\n")


def test_who_takes_nothing(friday: Path) -> None:
    """The sheet is sent to somebody who does not read, which ends; and to others as always."""
    with served(friday, before=QUICK) as there, closing(there.connect()) as connection:
        connection.sendall(b"GET /games.csv HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(3)
        whole = there.ask("/games.csv").content
        assert len(drained(connection)) < len(whole)
