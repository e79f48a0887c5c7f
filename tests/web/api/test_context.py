"""Costly reads wait for a slot, and too many of them are told to try again later."""

import asyncio
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from arena.ladder import pages
from arena.web.api import health
from arena.web.api.context import ApiContext
from arena.web.api.health import get_health
from arena.web.api.submissions import SubmissionQuery, get_submission
from arena.web.api_errors import ApiError
from arena.web.limits import ConcurrencyLimit
from arena.web.site_cache import SiteCache
from arena.web.submission_queue import SubmissionQueue
from tests.web.ladders import create_ladder

QUESTION = Request({"type": "http", "method": "GET", "path": "/", "headers": []})


def api_context(folder: Path) -> ApiContext:
    site, mark = pages.LadderSite(folder).build_site, partial(pages.ladder_revision, folder)
    return ApiContext(SiteCache(folder, site, mark), SubmissionQueue(folder))


def test_too_many_requests_at_once(tmp_path: Path) -> None:
    async def crowd() -> None:
        ours = api_context(create_ladder(tmp_path / "ladder"))
        ours.read_limit = ours.feed.read_limit = ConcurrencyLimit(2, 1)
        go_on = threading.Event()
        asking = [
            asyncio.create_task(ours.read_registry(lambda _: go_on.wait(60))) for _ in range(3)
        ]
        await asyncio.sleep(0.05)
        with pytest.raises(ApiError) as caught:
            await ours.read_run(lambda run: run.game_count())
        assert (caught.value.status, caught.value.headers) == (503, {"retry-after": "5"})
        for number in range(5):  # each of which is read for itself
            with pytest.raises(ApiError) as caught:
                await get_submission(ours, QUESTION, SubmissionQuery(id=str(number) * 22))
            assert caught.value.status == 503
        assert (await get_health(ours, QUESTION, None)).status_code == 200
        go_on.set()
        assert await asyncio.gather(*asking) == [True] * 3
        assert await ours.read_run(lambda run: run.game_count()) == 0

    asyncio.run(crowd())


def test_parallel_health_requests_share_one_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at once for all who ask meanwhile, and again for those who ask later."""
    looks = 0
    look = health.read_health

    def counted(*given: Any) -> health.Health:
        nonlocal looks
        looks += 1
        return look(*given)

    monkeypatch.setattr(health, "read_health", counted)

    async def crowd() -> None:
        ours = api_context(create_ladder(tmp_path / "ladder"))
        for number in (1, 2):
            answers = await asyncio.gather(*(get_health(ours, QUESTION, None) for _ in range(50)))
            assert {answer.status_code for answer in answers} == {200}
            assert looks == number

    asyncio.run(crowd())


def test_unreadable_ladders(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Why is written down, and told to nobody."""
    folder = create_ladder(tmp_path / "ladder")

    async def ask() -> None:
        ours = api_context(folder)
        (folder / "run.db").rename(folder / "away.db")
        for question in (ours.read_registry, ours.read_run):
            with pytest.raises(ApiError) as caught:
                await question(lambda _: None)
            assert caught.value.status == 503
            assert str(tmp_path) not in caught.value.sentence

    asyncio.run(ask())
    assert str(folder) in caplog.text
