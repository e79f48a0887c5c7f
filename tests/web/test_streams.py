"""Streams: nobody misses what is new, and nothing is left open when nobody listens any more."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from arena.store.run import Run
from arena.web import streams
from arena.web.limits import LimitReached
from arena.web.site_cache import SiteCache
from arena.web.streams import StreamLimit, stream_chunks, version_events
from tests.cli.runs import BOTS, CELLS, create_run, make_blocks, make_header
from tests.web.server_process import next_event


@pytest.fixture
def friday(tmp_path: Path) -> Path:
    return create_run(tmp_path / "friday", cells=CELLS[:1], blocks=2)


def test_versions(friday: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that comes while another is being told is told."""
    monkeypatch.setattr(streams, "KEEPALIVE_SECONDS", 0.05)

    async def listen() -> None:
        shown = SiteCache.of_run(friday)
        told = version_events(shown)
        assert await next_event(told) == "data: 1\n\n"
        shown.publish(shown.current)
        assert await next_event(told) == "data: 2\n\n"
        assert await next_event(told) == ": nothing new\n\n"
        waiting = asyncio.create_task(next_event(told))
        await asyncio.sleep(0)
        shown.publish(shown.current)
        shown.publish(shown.current)
        found = [await waiting]
        while "data: 4\n\n" not in found:
            found.append(await next_event(told))
        assert set(found) <= {"data: 3\n\n", "data: 4\n\n", ": nothing new\n\n"}
        monkeypatch.setattr(streams, "KEEPALIVE_SECONDS", 60.0)
        last = asyncio.create_task(next_event(told))
        await asyncio.sleep(0.01)
        shown.stop()
        with pytest.raises(StopAsyncIteration):
            await last

    asyncio.run(listen())


def test_a_sheet_is_read_in_one_thread(friday: Path) -> None:
    """However many are read at once: SQLite allows no other."""
    with Run.open_for_writing(friday) as run:
        run.add(make_blocks(make_header(), CELLS[1], 2, BOTS, 6.0))
    shown = SiteCache.of_run(friday)

    async def read() -> bytes:
        return b"".join([chunk async for chunk in stream_chunks(shown.games_csv())])

    async def crowd() -> list[bytes]:
        return await asyncio.gather(*(read() for _ in range(12)))

    (found,) = set(asyncio.run(crowd()))
    assert found == b"".join(shown.games_csv())


def test_an_abandoned_csv_download_is_closed(friday: Path) -> None:
    shown, closed = SiteCache.of_run(friday), asyncio.Event()

    def chunks(loop: asyncio.AbstractEventLoop) -> Generator[bytes, None, None]:
        try:
            yield from shown.games_csv()
        finally:
            loop.call_soon_threadsafe(closed.set)

    async def leave() -> None:
        told = stream_chunks(chunks(asyncio.get_running_loop()))
        assert (await anext(told)).startswith(b"game,")
        await told.aclose()
        await asyncio.wait_for(closed.wait(), 60)

    asyncio.run(leave())


def make_request(method: str = "GET") -> Request:
    return Request({"type": "http", "method": method, "headers": [], "path": "/"})


def test_the_limit_on_streams() -> None:
    """One that ends, in whatever way, makes room for another."""
    closed = 0

    async def endless() -> AsyncGenerator[str, None]:
        nonlocal closed
        try:
            while True:
                yield "data: 1\n\n"
                await asyncio.sleep(60)
        finally:
            closed += 1

    async def crowd() -> None:
        kept, gone = StreamLimit(2), asyncio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(_: Any) -> None:
            pass

        scope = make_request().scope
        going = [
            asyncio.create_task(kept.event_stream(make_request(), endless())(scope, receive, send))
            for _ in range(2)
        ]
        while kept.count < 2:
            await asyncio.sleep(0)
        with pytest.raises(LimitReached):
            kept.event_stream(make_request(), endless())
        assert kept.event_stream(make_request("HEAD"), endless()).status_code == 200
        gone.set()
        await asyncio.gather(*going)
        assert kept.count == 0
        assert kept.event_stream(make_request(), endless()).status_code == 200

    asyncio.run(crowd())
    assert closed == 2
