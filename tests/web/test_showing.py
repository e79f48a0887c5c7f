"""What is shown of a run: always one whole look at it, and nobody misses the next."""

import asyncio
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest

from arena.report.site import Site
from arena.store.run import Run
from arena.web import app, showing
from arena.web.app import streamed, versions
from arena.web.showing import Showing
from tests.cli.runs import BOTS, CELLS, header, made, played


@pytest.fixture
def friday(tmp_path: Path) -> Path:
    return played(tmp_path / "friday", cells=CELLS[:1], blocks=2)


def more(folder: Path, blocks: int = 2) -> None:
    """Somebody plays on."""
    with Run.write(folder) as run:
        run.add(made(header(), CELLS[1], blocks, BOTS, 6.0))


def test_it_is_stale_when_something_was_played(friday: Path) -> None:
    shown = Showing(friday)
    assert not shown.stale()
    more(friday)
    assert shown.stale()
    shown.show(shown.look())
    assert not shown.stale()
    assert shown.version == 2


def test_a_page_that_is_made_while_another_look_comes(
    friday: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not taken for one of the new look."""
    shown = Showing(friday)
    more(friday)
    newer = shown.look()
    content = Site.content

    def slow(self: Site, path: str, run: Run) -> bytes:
        found = content(self, path, run)
        if self is not newer:
            shown.show(newer)
        return found

    monkeypatch.setattr(Site, "content", slow)
    old, new = shown.content("run.html"), shown.content("run.html")
    assert b"2\xc2\xa0blocks" in old
    assert b"4\xc2\xa0blocks" in new


def test_a_bot_that_joins_in_the_meantime(friday: Path) -> None:
    """Lists are read from the run as it is, of which the last look does not know all."""
    shown = Showing(friday)
    bots = (*BOTS, "zoe")
    with Run.write(friday) as run:
        run.update(header(bots))
        run.add(made(header(bots), CELLS[0], 40, ("zoe", "ann", "bob"), 6.0))
    assert b"Stichkampf.list" in shown.content("lists/0-0.js")
    assert b"zoe" in b"".join(shown.games_sheet())


async def take(told: AsyncIterator[str]) -> str:
    return await asyncio.wait_for(anext(told), 10)


def test_versions(friday: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that comes while another is being told is told."""
    monkeypatch.setattr(app, "ALIVE", 0.05)

    async def listen() -> None:
        shown = Showing(friday)
        told = versions(shown)
        assert await take(told) == "data: 1\n\n"
        shown.show(shown.shown.site)
        assert await take(told) == "data: 2\n\n"
        assert await take(told) == ": nothing new\n\n"
        waiting = asyncio.create_task(take(told))
        await asyncio.sleep(0)
        shown.show(shown.shown.site)
        shown.show(shown.shown.site)
        found = [await waiting]
        while "data: 4\n\n" not in found:
            found.append(await take(told))
        assert set(found) <= {"data: 3\n\n", "data: 4\n\n", ": nothing new\n\n"}
        monkeypatch.setattr(app, "ALIVE", 60.0)
        last = asyncio.create_task(take(told))
        await asyncio.sleep(0.01)
        shown.end()
        with pytest.raises(StopAsyncIteration):
            await last

    asyncio.run(listen())


def test_following(friday: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong at one look, the next is looked at again."""
    monkeypatch.setattr(showing, "REST", 0.02)
    monkeypatch.setattr(showing, "SHARE", 0)

    async def follow() -> None:
        shown = Showing(friday)
        following = asyncio.create_task(shown.follow())
        told = versions(shown)
        assert await take(told) == "data: 1\n\n"
        file = friday / "run.db"
        file.rename(friday / "away.db")
        await asyncio.sleep(0.1)
        (friday / "away.db").rename(file)
        looks = 0

        def fail() -> Site:
            nonlocal looks
            looks += 1
            if looks < 3:
                raise ZeroDivisionError
            return Showing.look(shown)

        monkeypatch.setattr(shown, "look", fail)
        more(friday)
        assert await take(told) == "data: 2\n\n"
        assert shown.shown.site.pages.survey.blocks == 4
        following.cancel()

    asyncio.run(follow())


def test_a_sheet_is_read_in_one_thread(friday: Path) -> None:
    """However many are read at once: SQLite allows no other."""
    more(friday)
    shown = Showing(friday)

    async def read() -> bytes:
        return b"".join([chunk async for chunk in streamed(shown.games_sheet())])

    async def crowd() -> list[bytes]:
        return await asyncio.gather(*(read() for _ in range(12)))

    (found,) = set(asyncio.run(crowd()))
    assert found == b"".join(shown.games_sheet())


def test_a_sheet_that_nobody_reads_to_its_end_is_closed(friday: Path) -> None:
    shown, closed = Showing(friday), asyncio.Event()

    def sheet(loop: asyncio.AbstractEventLoop) -> Generator[bytes, None, None]:
        try:
            yield from shown.games_sheet()
        finally:
            loop.call_soon_threadsafe(closed.set)

    async def leave() -> None:
        told = streamed(sheet(asyncio.get_running_loop()))
        assert (await anext(told)).startswith(b"game,")
        await told.aclose()
        await asyncio.wait_for(closed.wait(), 10)

    asyncio.run(leave())
