"""The desk: costly questions take their turn, and too many of them are told to come again."""

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from arena.ladder import telling
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.places import Places
from arena.web.showing import Showing
from arena.web.turns import Turns
from tests.web.laddering import empty


def desk(folder: Path) -> Desk:
    site, mark = telling.Narrator(folder).site, partial(telling.mark, folder)
    return Desk(Showing(folder, site, mark), Turns(folder))


def test_too_many_who_ask(tmp_path: Path) -> None:
    async def crowd() -> None:
        ours = desk(empty(tmp_path / "ladder"))
        ours.places = Places(2, 1)
        go_on = threading.Event()
        asking = [asyncio.create_task(ours.registered(lambda _: go_on.wait(60))) for _ in range(3)]
        await asyncio.sleep(0.05)
        with pytest.raises(Failure) as caught:
            await ours.stored(lambda run: run.size())
        assert (caught.value.status, caught.value.headers) == (503, {"retry-after": "5"})
        go_on.set()
        assert await asyncio.gather(*asking) == [True] * 3
        assert await ours.stored(lambda run: run.size()) == 0

    asyncio.run(crowd())


def test_what_cannot_be_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Why is written down, and told to nobody."""
    folder = empty(tmp_path / "ladder")

    async def ask() -> None:
        ours = desk(folder)
        (folder / "run.db").rename(folder / "away.db")
        for question in (ours.registered, ours.stored):
            with pytest.raises(Failure) as caught:
                await question(lambda _: None)
            assert caught.value.status == 503
            assert str(tmp_path) not in caught.value.sentence

    asyncio.run(ask())
    assert str(folder) in caplog.text
