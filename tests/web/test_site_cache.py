"""What is shown of a run: always one whole look at it, and nobody misses the next."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from arena.report.site import Site
from arena.store.run import Run
from arena.web import site_cache
from arena.web.site_cache import CachedSite, SiteCache, TaggedContent
from arena.web.streams import version_events
from tests.cli.runs import BOTS, CELLS, create_run, make_blocks, make_header
from tests.web.server_process import TIMEOUT, next_event


@pytest.fixture
def friday(tmp_path: Path) -> Path:
    return create_run(tmp_path / "friday", cells=CELLS[:1], blocks=2)


def more(folder: Path, blocks: int = 2) -> None:
    """Somebody plays on."""
    with Run.open_for_writing(folder) as run:
        run.add(make_blocks(make_header(), CELLS[1], blocks, BOTS, 6.0))


def test_a_new_block_makes_the_site_stale(friday: Path) -> None:
    shown = SiteCache.of_run(friday)
    assert not shown.is_stale()
    more(friday)
    assert shown.is_stale()
    shown.publish(shown.rebuild())
    assert not shown.is_stale()
    assert shown.version == 2


def test_a_page_that_is_made_while_another_look_comes(
    friday: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not taken for one of the new look."""
    shown = SiteCache.of_run(friday)
    more(friday)
    newer = shown.rebuild()
    content = Site.content

    def slow(self: Site, path: str, run: Run) -> bytes:
        found = content(self, path, run)
        if self is not newer.site:
            shown.publish(newer)
        return found

    monkeypatch.setattr(Site, "content", slow)
    old, new = shown.content("run.html").body, shown.content("run.html").body
    assert b"2\xc2\xa0blocks" in old
    assert b"4\xc2\xa0blocks" in new


def test_a_bot_that_joins_after_the_site_was_built(friday: Path) -> None:
    """Lists are read from the run as it is, which may have more than the current site."""
    shown = SiteCache.of_run(friday)
    bots = (*BOTS, "zoe")
    with Run.open_for_writing(friday) as run:
        run.update(make_header(bots))
        run.add(make_blocks(make_header(bots), CELLS[0], 40, ("zoe", "ann", "bob"), 6.0))
    assert b"Stichkampf.list" in shown.content("lists/0-0.js").body
    assert b"zoe" in b"".join(shown.games_csv())


def test_errors_do_not_stop_polling(
    friday: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever goes wrong at one look, the next is looked at again."""
    missing = OSError(errno.EMFILE, os.strerror(errno.EMFILE), "run.db")
    monkeypatch.setattr(site_cache, "MIN_INTERVAL", 0.02)
    monkeypatch.setattr(site_cache, "PAUSE_FACTOR", 0)

    async def follow() -> None:
        shown = SiteCache.of_run(friday)
        following = asyncio.create_task(shown.rebuild_on_change())
        told = version_events(shown)
        assert await next_event(told) == "data: 1\n\n"
        file = friday / "run.db"
        file.rename(friday / "away.db")
        async with asyncio.timeout(TIMEOUT):
            while not caplog.records:
                await asyncio.sleep(0.01)
        caplog.clear()
        (friday / "away.db").rename(file)
        looks = 0

        def fail() -> CachedSite:
            nonlocal looks
            looks += 1
            if looks < 3:
                raise missing if looks == 1 else ZeroDivisionError
            return SiteCache.rebuild(shown)

        monkeypatch.setattr(shown, "rebuild", fail)
        more(friday)
        assert await next_event(told) == "data: 2\n\n"
        assert shown.current.site.pages.survey.blocks == 4
        following.cancel()

    asyncio.run(follow())
    said = [(one.getMessage(), one.exc_info is not None) for one in caplog.records]
    assert said[-2:] == [(str(missing), False), ("the site cannot be rebuilt", True)]


def test_requested_pages_are_cached(friday: Path) -> None:
    """Pages and styles are kept until the next look; records, of which there are many, are not."""
    shown = SiteCache.of_run(friday)
    paths = ("index.html", "static/site.css", "packs/0.js")
    assert [shown.cached_content(path) for path in paths] == [None] * 3
    found = [shown.content(path) for path in paths]
    assert [shown.cached_content(path) for path in paths] == [*found[:2], None]
    assert all(one == TaggedContent.of(one.body) for one in found)


def test_the_size_of_the_cache_is_limited(friday: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the cache is full pages are rendered each time; static files stay cached."""
    shown = SiteCache.of_run(friday)
    first = shown.content("index.html")
    monkeypatch.setattr(site_cache, "MAX_CACHE_BYTES", len(first.body))
    assert b"2\xc2\xa0blocks" in shown.content("run.html").body
    assert shown.content("static/site.css").body
    assert set(shown.current.rendered_pages) == {"index.html", "static/site.css"}
    assert shown.cached_content("run.html") is None


def test_pages_in_use_are_rebuilt_in_advance(friday: Path) -> None:
    """But not for ever: what nobody reads any more is made when somebody does."""
    shown = SiteCache.of_run(friday)
    assert b"2\xc2\xa0blocks" in shown.content("run.html").body
    shown.content("static/site.css")
    more(friday)
    shown.publish(shown.rebuild())
    assert list(shown.current.rendered_pages) == ["run.html"]
    shown.publish(shown.rebuild())
    assert shown.current.rendered_pages == {}
    shown.content("run.html")
    for _ in range(2):  # also who reads what was prepared reads it
        shown.publish(shown.rebuild())
        found = shown.cached_content("run.html")
        assert found
        assert b"4\xc2\xa0blocks" in found.body


def test_changes_during_a_rebuild_are_seen_next_time(friday: Path) -> None:
    run = SiteCache.of_run(friday)
    looks = 0

    def meanwhile() -> Site:
        nonlocal looks
        looks += 1
        found = run.build_site()
        if looks == 1:
            more(friday)
        return found

    shown = SiteCache(friday, meanwhile, run.read_revision)
    assert shown.is_stale()
    shown.publish(shown.rebuild())
    assert not shown.is_stale()
