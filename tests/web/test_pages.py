"""Pages over HTTP: each is made once for all who ask, and too many who ask are told to wait."""

import asyncio
import threading
from pathlib import Path

import pytest
from starlette.requests import Request

from arena.web.pages import SitePages
from arena.web.places import Places
from arena.web.showing import Content, Showing
from arena.web.streams import Streams
from tests.cli.runs import CELLS, played


@pytest.fixture
def showing(tmp_path: Path) -> Showing:
    return Showing.of_run(played(tmp_path / "friday", cells=CELLS[:1], blocks=2))


def asked(path: str) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "headers": [],
            "path": f"/{path}",
            "path_params": {"path": path},
        }
    )


def test_a_page_is_made_once_for_all(showing: Showing, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    content = Showing.content

    def counted(self: Showing, path: str) -> Content:
        made.append(path)
        return content(self, path)

    monkeypatch.setattr(Showing, "content", counted)

    async def crowd() -> None:
        pages = SitePages(showing)
        paths = ["", "index.html", "run.html", "nothing"] * 25
        answers = await asyncio.gather(*(pages.page(asked(path)) for path in paths))
        assert [answer.status_code for answer in answers] == [200, 200, 200, 404] * 25
        assert pages.going == {}

    asyncio.run(crowd())
    assert sorted(made) == ["index.html", "nothing", "run.html"]


def test_too_many_who_ask(showing: Showing, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there already is still to be had."""
    go_on = threading.Event()
    content = Showing.content

    def slow(self: Showing, path: str) -> Content:
        go_on.wait(60)
        return content(self, path)

    async def crowd() -> None:
        pages = SitePages(showing)
        pages.places = Places(1, 1)
        pages.sheets = pages.listeners = Streams(0)
        await pages.page(asked("index.html"))
        monkeypatch.setattr(Showing, "content", slow)
        waiting = [
            asyncio.create_task(pages.page(asked(path))) for path in ("run.html", "bots.html")
        ]
        await asyncio.sleep(0.05)
        for answer in (
            await pages.page(asked("seats.html")),
            await pages.sheet(asked("games.csv")),
            await pages.events(asked("events")),
        ):
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) > 0
        assert (await pages.page(asked("index.html"))).status_code == 200
        go_on.set()
        assert [(await task).status_code for task in waiting] == [200, 200]
        assert (await pages.page(asked("seats.html"))).status_code == 200

    asyncio.run(crowd())
