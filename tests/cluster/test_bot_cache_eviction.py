"""A shelf is cleared up by size, never while a bot is held, and whoever was killed at it."""

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.bots.digest import bot_digest
from arena.cluster import bot_cache
from arena.cluster.bot_cache import BotCache, BotNotCached, disk_usage
from tests.cluster import bots
from tests.cluster.bot_caches import COPY, OPEN, Holder, making, put, there
from tests.tournaments.small_runs import wait_for

pytestmark = pytest.mark.slow


def size(shelf: BotCache) -> int:
    """What all bots take up."""
    return sum(disk_usage(shelf.root / name) for name in there(shelf))


def large(place: Path, kib: int = 100) -> Path:
    """A bot that takes up room."""
    return bots.script(place, f"# {place}\n" + "x" * (kib << 10))


def test_who_was_not_played_for_longest_makes_room(shelf: BotCache, tmp_path: Path) -> None:
    places = [large(tmp_path / f"{name}.py") for name in "abcd"]
    keys = [bot_digest(place) for place in places]
    for place in places[:3]:
        put(shelf, place)
    shelf.max_bytes = size(shelf) + 1000
    put(shelf, places[0])
    put(shelf, places[3])
    assert there(shelf) == {keys[0], keys[2], keys[3]}
    put(shelf, places[1])
    assert there(shelf) == {keys[0], keys[1], keys[3]}
    with pytest.raises(BotNotCached), shelf.hold_bot(bots.entry(places[2]), OPEN, {}):
        pass


def test_one_large_bot_may_cost_many(shelf: BotCache, tmp_path: Path) -> None:
    small = [large(tmp_path / f"{name}.py", 20) for name in "abcdef"]
    for place in small:
        put(shelf, place)
    shelf.max_bytes = size(shelf)
    last = large(tmp_path / "last.py", 60)
    put(shelf, last)
    assert there(shelf) == {bot_digest(small[4]), bot_digest(small[5]), bot_digest(last)} | {
        bot_digest(small[3])
    }
    assert size(shelf) <= shelf.max_bytes


def test_what_is_held_stays(shelf: BotCache, tmp_path: Path) -> None:
    shelf.max_bytes = 0
    places = [large(tmp_path / f"{name}.py") for name in "abc"]
    with ExitStack() as stack:
        held = []
        for place in places:
            (entry,), bundles = bots.sent(place)
            held.append(stack.enter_context(shelf.hold_bot(entry, OPEN, bundles)))
        assert all(bot.path.exists() for bot in held)
        assert len(there(shelf)) == 3
    put(shelf, large(tmp_path / "d.py"))
    assert there(shelf) == {bot_digest(tmp_path / "d.py")}


def test_what_another_process_holds_stays_until_it_dies(
    shelf: BotCache, tmp_path: Path, holders: list[Holder]
) -> None:
    shelf.max_bytes = 0
    holders.append(Holder(shelf, large(tmp_path / "a.py")))
    home = holders[0].folder()
    put(shelf, large(tmp_path / "b.py"))
    assert home.is_dir()
    holders.pop().close()
    put(shelf, large(tmp_path / "c.py"))
    assert there(shelf) == {bot_digest(tmp_path / "c.py")}


def test_a_build_counts(shelf: BotCache, tmp_path: Path) -> None:
    build = making("head -c 300000 /dev/zero > fat")
    place = bots.folder(tmp_path / "fox", COPY, build_sh=build, source_txt="x")
    put(shelf, place)
    assert size(shelf) > 300_000


def test_two_that_clear_up_at_the_same_time(shelf: BotCache, tmp_path: Path) -> None:
    """Two processes that both found a bot superfluous remove it one after the other."""
    put(shelf, large(tmp_path / "a.py"))
    (lock,) = shelf.root.glob("*.lock")
    assert BotCache(shelf.root).evict_bot(lock)
    shelf.evict_bot(lock)
    assert there(shelf) == set()


def test_a_removal_that_was_killed(shelf: BotCache, tmp_path: Path) -> None:
    shelf.max_bytes = 0
    first = large(tmp_path / "a.py")
    put(shelf, first)
    left = shelf.root / f".gone-{bot_digest(first)}"
    left.mkdir()
    (left / "rest").touch()
    put(shelf, large(tmp_path / "b.py"))
    assert there(shelf) == {left.name, bot_digest(tmp_path / "b.py")}, "somebody may still be at it"
    os.utime(left, (1, 1))
    put(shelf, large(tmp_path / "c.py"))
    assert there(shelf) == {bot_digest(tmp_path / "c.py")}


def test_what_was_being_unpacked_by_one_that_was_killed(
    shelf: BotCache, tmp_path: Path, holders: list[Holder], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.max_bytes = 0
    with monkeypatch.context() as patch:
        # The other process is a copy of this one: it waits before it puts the bot in its place.
        patch.setattr(bot_cache, "make_folders_readable", lambda _: signal.pause())
        holders.append(Holder(shelf, large(tmp_path / "a.py")))
    wait_for(lambda: list(shelf.root.glob(".unpacking-*/bot/a.py")))
    holders.pop().close()
    assert not (shelf.root / bot_digest(tmp_path / "a.py")).exists(), "it was killed too late"
    (left,) = shelf.root.glob(".unpacking-*")
    os.utime(left, (1, 1))
    put(shelf, large(tmp_path / "b.py"))
    assert there(shelf) == {bot_digest(tmp_path / "b.py")}
