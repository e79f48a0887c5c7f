"""A bot cache is cleared up by size, never while a bot is held, and whoever was killed at it."""

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


def size(cache: BotCache) -> int:
    """What all bots take up."""
    return sum(disk_usage(cache.root / name) for name in there(cache))


def large(place: Path, kib: int = 100) -> Path:
    """A bot that takes up room."""
    return bots.script(place, f"# {place}\n" + "x" * (kib << 10))


def test_who_was_not_played_for_longest_makes_room(cache: BotCache, tmp_path: Path) -> None:
    places = [large(tmp_path / f"{name}.py") for name in "abcd"]
    keys = [bot_digest(place) for place in places]
    for place in places[:3]:
        put(cache, place)
    cache.max_bytes = size(cache) + 1000
    put(cache, places[0])
    put(cache, places[3])
    assert there(cache) == {keys[0], keys[2], keys[3]}
    put(cache, places[1])
    assert there(cache) == {keys[0], keys[1], keys[3]}
    with pytest.raises(BotNotCached), cache.hold_bot(bots.entry(places[2]), OPEN, {}):
        pass


def test_one_large_bot_may_cost_many(cache: BotCache, tmp_path: Path) -> None:
    small = [large(tmp_path / f"{name}.py", 20) for name in "abcdef"]
    for place in small:
        put(cache, place)
    cache.max_bytes = size(cache)
    last = large(tmp_path / "last.py", 60)
    put(cache, last)
    assert there(cache) == {bot_digest(small[4]), bot_digest(small[5]), bot_digest(last)} | {
        bot_digest(small[3])
    }
    assert size(cache) <= cache.max_bytes


def test_what_is_held_stays(cache: BotCache, tmp_path: Path) -> None:
    cache.max_bytes = 0
    places = [large(tmp_path / f"{name}.py") for name in "abc"]
    with ExitStack() as stack:
        held = []
        for place in places:
            (entry,), bundles = bots.sent(place)
            held.append(stack.enter_context(cache.hold_bot(entry, OPEN, bundles)))
        assert all(bot.path.exists() for bot in held)
        assert len(there(cache)) == 3
    put(cache, large(tmp_path / "d.py"))
    assert there(cache) == {bot_digest(tmp_path / "d.py")}


def test_what_another_process_holds_stays_until_it_dies(
    cache: BotCache, tmp_path: Path, holders: list[Holder]
) -> None:
    cache.max_bytes = 0
    holders.append(Holder(cache, large(tmp_path / "a.py")))
    home = holders[0].folder()
    put(cache, large(tmp_path / "b.py"))
    assert home.is_dir()
    holders.pop().close()
    put(cache, large(tmp_path / "c.py"))
    assert there(cache) == {bot_digest(tmp_path / "c.py")}


def test_a_build_counts(cache: BotCache, tmp_path: Path) -> None:
    build = making("head -c 300000 /dev/zero > fat")
    place = bots.folder(tmp_path / "fox", COPY, build_sh=build, source_txt="x")
    put(cache, place)
    assert size(cache) > 300_000


def test_two_that_clear_up_at_the_same_time(cache: BotCache, tmp_path: Path) -> None:
    """Two processes that both found a bot superfluous remove it one after the other."""
    put(cache, large(tmp_path / "a.py"))
    (lock,) = cache.root.glob("*.lock")
    assert BotCache(cache.root).evict_bot(lock)
    cache.evict_bot(lock)
    assert there(cache) == set()


def test_a_removal_that_was_killed(cache: BotCache, tmp_path: Path) -> None:
    cache.max_bytes = 0
    first = large(tmp_path / "a.py")
    put(cache, first)
    left = cache.root / f".gone-{bot_digest(first)}"
    left.mkdir()
    (left / "rest").touch()
    put(cache, large(tmp_path / "b.py"))
    assert there(cache) == {left.name, bot_digest(tmp_path / "b.py")}, "somebody may still be at it"
    os.utime(left, (1, 1))
    put(cache, large(tmp_path / "c.py"))
    assert there(cache) == {bot_digest(tmp_path / "c.py")}


def test_what_was_being_unpacked_by_one_that_was_killed(
    cache: BotCache, tmp_path: Path, holders: list[Holder], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.max_bytes = 0
    with monkeypatch.context() as patch:
        # The other process is a copy of this one: it waits before it puts the bot in its place.
        patch.setattr(bot_cache, "make_folders_readable", lambda _: signal.pause())
        holders.append(Holder(cache, large(tmp_path / "a.py")))
    wait_for(lambda: list(cache.root.glob(".unpacking-*/bot/a.py")))
    holders.pop().close()
    assert not (cache.root / bot_digest(tmp_path / "a.py")).exists(), "it was killed too late"
    (left,) = cache.root.glob(".unpacking-*")
    os.utime(left, (1, 1))
    put(cache, large(tmp_path / "b.py"))
    assert there(cache) == {bot_digest(tmp_path / "b.py")}
