"""Pages over HTTP: each is made once for all who ask, and too many who ask are told to wait."""

import asyncio
import threading
from pathlib import Path

import pytest
from starlette.requests import Request

from arena.web.limits import ConcurrencyLimit
from arena.web.pages import SiteEndpoints
from arena.web.site_cache import SiteCache, TaggedContent
from arena.web.streams import StreamLimit
from tests.cli.runs import CELLS, create_run


@pytest.fixture
def showing(tmp_path: Path) -> SiteCache:
    return SiteCache.of_run(create_run(tmp_path / "friday", cells=CELLS[:1], blocks=2))


def make_request(path: str) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "headers": [],
            "path": f"/{path}",
            "path_params": {"path": path},
        }
    )


def test_a_page_is_made_once_for_all(showing: SiteCache, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    content = SiteCache.content

    def counted(self: SiteCache, path: str) -> TaggedContent:
        made.append(path)
        return content(self, path)

    monkeypatch.setattr(SiteCache, "content", counted)

    async def crowd() -> None:
        pages = SiteEndpoints(showing)
        paths = ["", "index.html", "run.html", "nothing"] * 25
        answers = await asyncio.gather(*(pages.page(make_request(path)) for path in paths))
        assert [answer.status_code for answer in answers] == [200, 200, 200, 404] * 25
        assert pages.pending == {}

    asyncio.run(crowd())
    assert sorted(made) == ["index.html", "nothing", "run.html"]


def test_too_many_requests_at_once(showing: SiteCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there already is still to be had."""
    go_on = threading.Event()
    content = SiteCache.content

    def slow(self: SiteCache, path: str) -> TaggedContent:
        go_on.wait(60)
        return content(self, path)

    async def crowd() -> None:
        pages = SiteEndpoints(showing)
        pages.render_limit = ConcurrencyLimit(1, 1)
        pages.downloads = pages.listeners = StreamLimit(0)
        await pages.page(make_request("index.html"))
        monkeypatch.setattr(SiteCache, "content", slow)
        waiting = [
            asyncio.create_task(pages.page(make_request(path)))
            for path in ("run.html", "bots.html")
        ]
        await asyncio.sleep(0.05)
        for answer in (
            await pages.page(make_request("seats.html")),
            await pages.games_csv(make_request("games.csv")),
            await pages.events(make_request("events")),
        ):
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) > 0
        assert (await pages.page(make_request("index.html"))).status_code == 200
        go_on.set()
        assert [(await task).status_code for task in waiting] == [200, 200]
        assert (await pages.page(make_request("seats.html"))).status_code == 200

    asyncio.run(crowd())
