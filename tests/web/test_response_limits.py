"""Answers are sent in parts, within limits of bytes in all and of answers for each address."""

import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web import response_limits
from arena.web.response_limits import PART_BYTES, ResponseLimiter


class Client:
    """Somebody who asks, and takes parts of the answer when it is told to."""

    def __init__(self, app: ASGIApp, path: str = "/", method: str = "GET", **more: Any) -> None:
        self.sizes: list[int] = []
        self.status = 0
        self.whole = bytearray()
        self.more = True
        self.room = asyncio.Semaphore(0)
        scope: Scope = {"type": "http", "method": method, "path": path, "headers": [], **more}
        self.task = asyncio.create_task(self.ask(app, scope))

    async def ask(self, app: ASGIApp, scope: Scope) -> None:
        await app(scope, self.receive, self.send)

    async def receive(self) -> Any:
        await asyncio.sleep(3600)

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        await self.room.acquire()
        self.sizes.append(len(message["body"]))
        self.whole += message["body"]
        self.more = message.get("more_body", False)

    async def read(self) -> None:
        """Take all of it."""
        for _ in range(10_000):
            self.room.release()
        await self.task


async def rest() -> None:
    """Let all others go on as far as they can."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("size", "sizes"),
    [
        (0, [0]),
        (PART_BYTES, [PART_BYTES]),
        (PART_BYTES + 1, [PART_BYTES, 1]),
        (3 * PART_BYTES, [PART_BYTES] * 3),
    ],
)
def test_bodies_are_sent_in_parts(size: int, sizes: list[int]) -> None:
    async def ask() -> None:
        body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        client = Client(ResponseLimiter(Response(body)))
        await client.read()
        assert (client.status, client.sizes, client.more) == (200, sizes, False)
        assert client.whole == body

    asyncio.run(ask())


def test_a_stream_and_a_head() -> None:
    async def ask() -> None:
        streamed = StreamingResponse(iter([b"a" * (PART_BYTES + 5), b"b"]))
        client = Client(ResponseLimiter(streamed))
        await client.read()
        assert client.sizes[:3] == [PART_BYTES, 5, 1]
        assert (len(client.whole), client.more) == (PART_BYTES + 6, False)
        head = Client(ResponseLimiter(Response(b"x" * 3 * PART_BYTES)), method="HEAD")
        await head.read()
        assert head.sizes == [3 * PART_BYTES]  # of which the server sends nothing

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/packs/0.js", b"too much is being sent just now; try again\n"),
        ("/our/api/games", b'{"error":"too much is being sent just now; try again"}'),
    ],
)
def test_the_limit_on_bytes_in_flight(
    path: str, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same body is counted once, small ones are not, and one alone always fits."""
    monkeypatch.setattr(response_limits, "MAX_BYTES_IN_FLIGHT", 5 * PART_BYTES)
    shared = bytes(3 * PART_BYTES)

    async def fresh(scope: Scope, receive: Receive, send: Send) -> None:
        wanted = scope["path"].rpartition("/")[2]
        body = {"shared": shared, "small": b"x", "huge": bytes(99 * PART_BYTES)}.get(wanted)
        await Response(bytes(3 * PART_BYTES) if body is None else body)(scope, receive, send)

    async def crowd() -> None:
        app = ResponseLimiter(fresh)
        first = [Client(app, "/shared") for _ in range(20)]
        await rest()
        refused, small = Client(app, path), Client(app, "/small")
        await asyncio.gather(refused.read(), small.read())
        assert (refused.status, bytes(refused.whole)) == (503, said)
        assert small.status == 200
        first[0].task.cancel()
        await asyncio.gather(*(one.read() for one in first[1:]))
        assert {one.status for one in first} == {200}
        assert app.open_bodies == {}
        huge = Client(app, "/huge")
        await huge.read()
        assert huge.status == 200

    asyncio.run(crowd())


def test_the_limit_on_answers_for_an_address() -> None:
    """Of those for whom a proxy asks; whoever is connected is limited by connections."""

    def told(client: str, peer: str = "127.0.0.1") -> dict[str, Any]:
        return {"client": (client, 7), "state": {response_limits.PEER: (peer, 7)}}

    async def crowd() -> None:
        app = ResponseLimiter(PlainTextResponse("x"), per_address=2)
        for address in ("192.0.2.1", "2001:db8::1"):
            first = [Client(app, **told(address)) for _ in range(2)]
            await rest()
            third, other = Client(app, **told(address)), Client(app, **told("192.0.2.2"))
            direct = [Client(app, **told("127.0.0.1")) for _ in range(5)]
            await asyncio.gather(*(one.read() for one in (third, other, *direct)))
            assert (third.status, other.status) == (503, 200)
            assert {one.status for one in direct} == {200}
            neighbour = Client(app, **told("2001:db8::2"))
            await neighbour.read()
            assert neighbour.status == (503 if ":" in address else 200)
            await asyncio.gather(*(one.read() for one in first))
            assert not app.open_responses

    asyncio.run(crowd())
