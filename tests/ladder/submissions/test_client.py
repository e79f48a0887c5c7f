"""A server as those see it who send a bot there, however it behaves."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.ladder.models import SubmissionMessage
from arena.ladder.submissions import client
from arena.ladder.submissions.client import LadderClient

TOKEN = "stich_secret"
Script = Callable[["Exchange"], None]


class Exchange(BaseHTTPRequestHandler):
    """Answers as a test wants it, and remembers what it was asked."""

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["content-length"])))

    def answer(self, body: bytes) -> None:
        server = self.server
        assert isinstance(server, Server)
        headers = {name.lower(): value for name, value in self.headers.items()}
        server.asked.append((self.command, self.path, headers, body))
        server.script(self)

    def send(self, body: str, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class Server(ThreadingHTTPServer):
    """A server with a script."""

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.script = script
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/ladder"


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    with Server(script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(client, "TIMEOUT", 20.0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "my bot.py"
    found.write_bytes(b"print()")
    return found


def event(number: int, said: str) -> str:
    return f"id: 20300101000000-{number}\nevent: said\ndata: {said}\n\n"


STEPS = [json.dumps({"step": f"step {number}", "passed": True}) for number in range(3)]
END = "event: end\ndata: {}\n\n"


def orderly(exchange: Exchange, state: str = "accepted", stream: str = "") -> None:
    """What a server does with which nothing is wrong."""
    if exchange.command == "POST":
        exchange.send('{"id": "a-b_c"}', 202)
    elif exchange.path.endswith("/events"):
        exchange.send(stream or ": hello\n\n" + "".join(map(event, range(3), STEPS)) + END)
    else:
        exchange.send(json.dumps({"state": state}))


def send_bot(server: Server, file: Path) -> tuple[str, list[str]]:
    heard: list[SubmissionMessage] = []
    fate = LadderClient(server.address, TOKEN).submit(file, "ann", "ä & b", heard.append)
    return fate, [said.step for said in heard]


@pytest.mark.parametrize("state", ["accepted", "refused", "broken"])
def test_a_bot_is_sent_and_answered(file: Path, state: str) -> None:
    with serving(lambda exchange: orderly(exchange, state)) as server:
        assert send_bot(server, file) == (state, ["step 0", "step 1", "step 2"])
    (method, path, headers, body), *rest = server.asked
    assert (method, body) == ("POST", b"print()")
    assert path == "/ladder/api/bots?name=ann&message=%C3%A4%20%26%20b&file=my%20bot.py"
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert not [path for _, path, *_ in server.asked if TOKEN in path]
    assert all("authorization" not in headers for _, _, headers, _ in rest)


def test_a_connection_that_breaks_is_gone_on_with(file: Path) -> None:
    breaks = iter([event(0, STEPS[0]), ":\n\n", event(1, STEPS[1])[:30], event(1, STEPS[1])])

    def script(exchange: Exchange) -> None:
        state = "accepted"
        stream = event(2, STEPS[2]) + END
        if exchange.path.endswith("/events"):
            stream = next(breaks, stream)
        elif len(server.asked) < 10:
            state = "running"
        orderly(exchange, state, stream)

    with serving(script) as server:
        assert send_bot(server, file) == ("accepted", ["step 0", "step 1", "step 2"])
    heard = [headers.get("last-event-id") for _, path, headers, _ in server.asked if "ev" in path]
    assert heard[:5] == [None, *[f"20300101000000-{number}" for number in (0, 0, 0, 1)]]


def test_a_server_that_goes_away(file: Path) -> None:
    def script(exchange: Exchange) -> None:
        if exchange.command == "POST":
            orderly(exchange)
        else:
            exchange.connection.shutdown(socket.SHUT_RDWR)

    with (
        serving(script) as server,
        pytest.raises(ArenaError, match=r"does not answer any more; submission a-b_c may still be"),
    ):
        send_bot(server, file)
    assert len(server.asked) == 1 + client.MAX_TRIES


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, '{"error": "the token is not known"}', ": the token is not known"),
        (413, '{"error": "it is larger than 10 MiB"}', ": it is larger than 10 MiB"),
        (404, "<html>", ": it answers 404 Not Found"),
        (500, "[]", ": it answers 500 Internal Server Error"),
        (200, "<html>", " is not the server of a ladder; is the address right?"),
        (200, "[]", " is not the server of a ladder; is the address right?"),
        (200, "{}", " is not the server of a ladder; is the address right?"),
        (200, '{"id": 3}', " is not the server of a ladder; is the address right?"),
        (
            200,
            '{"id": "' + "x" * (2 << 20) + '"}',
            " is not the server of a ladder; is the address right?",
        ),
    ],
)
def test_error_answers_of_a_server(file: Path, status: int, body: str, said: str) -> None:
    with (
        serving(lambda exchange: exchange.send(body, status)) as server,
        pytest.raises(ArenaError) as error,
    ):
        send_bot(server, file)
    assert str(error.value) == f"{server.address}{said}"


@pytest.mark.parametrize("body", ["{", "[]", '{"passed": true}', '{"step": 3}', "\udcff"])
def test_answers_of_servers_that_are_not_ladders(file: Path, body: str) -> None:
    stream = event(0, body).encode(errors="surrogateescape").decode(errors="replace")
    with (
        serving(lambda exchange: orderly(exchange, stream=stream)) as server,
        pytest.raises(ArenaError, match="is not the server of a ladder"),
    ):
        send_bot(server, file)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(file: Path, status: int) -> None:
    with serving(orderly) as thief:
        aside = f"{thief.address}/api/bots"
        with (
            serving(lambda exchange: exchange.send("", status, Location=aside)) as server,
            pytest.raises(ArenaError, match=f"it answers {status} "),
        ):
            send_bot(server, file)
    assert thief.asked == []


def test_an_unreachable_server(file: Path) -> None:
    with serving(orderly) as server:
        pass
    with pytest.raises(ArenaError, match=r"/ladder cannot be reached: .*Connection refused$"):
        send_bot(server, file)


@pytest.mark.parametrize(
    "address",
    [
        *("ftp://host/", "http://", "https:///x", "file:///etc/passwd", "http://[::1", "//host"),
        *("http://host:99999999/", "http://host:x/", "http://a\nb/", "http://ä..b/", "x://y"),
        f"http://{'a' * 70}/",
    ],
)
def test_invalid_addresses(address: str) -> None:
    with pytest.raises(ArenaError, match="is no address of a server; it takes https://HOST/PATH"):
        LadderClient(address, TOKEN)


@pytest.mark.parametrize(
    "address",
    [
        *("http://ladder.example/x", "http://192.0.2.1:8000", "http://[2001:db8::1]/"),
        *("HTTP://ladder.example", "http://localhost.example", "http://127.0.0.1.example"),
        *("http://0.0.0.0", "http://localhost@ladder.example"),
    ],
)
def test_no_token_is_sent_to_others_without_encryption(address: str) -> None:
    with pytest.raises(ArenaError, match=r"without encryption.*; use https://, or --insecure if"):
        LadderClient(address, TOKEN)
    LadderClient(address, TOKEN, insecure=True)


@pytest.mark.parametrize(
    "address",
    [
        *("https://ladder.example", "http://localhost:8000", "http://LOCALHOST.", "http://[::1]"),
        *("http://127.0.0.1/x", "http://127.8.9.1"),
    ],
)
def test_addresses_that_may_receive_a_token(address: str) -> None:
    LadderClient(address, TOKEN)


@pytest.mark.parametrize("token", ["a\r\nHost: b", "ä", "\x1b[31m"])
def test_invalid_tokens(token: str) -> None:
    with pytest.raises(ArenaError, match=r"^the token cannot be one; it takes what 'arena ladder"):
        LadderClient("https://host", token)


def test_words_that_are_not_utf_8(file: Path) -> None:
    with serving(orderly) as server:
        fate = LadderClient(server.address, TOKEN).submit(file, "", "\udcff", lambda _said: None)
    assert fate == "accepted"
    assert "message=%3F" in server.asked[0][1]
