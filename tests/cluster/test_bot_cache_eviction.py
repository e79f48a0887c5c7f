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
from tests.cluster.bot_caches import (
    BUILD_MANIFEST,
    NO_SANDBOX,
    BotHolder,
    add_bot,
    build_script,
    cached_digests,
)
from tests.tournaments.small_runs import wait_for

pytestmark = pytest.mark.slow


def size(cache: BotCache) -> int:
    """What all bots take up."""
    return sum(disk_usage(cache.root / name) for name in cached_digests(cache))


def large(place: Path, kib: int = 100) -> Path:
    """A bot that takes up room."""
    return bots.write_script(place, f"# {place}\n" + "x" * (kib << 10))


def test_the_least_recently_played_bot_is_evicted(cache: BotCache, tmp_path: Path) -> None:
    places = [large(tmp_path / f"{name}.py") for name in "abcd"]
    keys = [bot_digest(place) for place in places]
    for place in places[:3]:
        add_bot(cache, place)
    cache.max_bytes = size(cache) + 1000
    add_bot(cache, places[0])
    add_bot(cache, places[3])
    assert cached_digests(cache) == {keys[0], keys[2], keys[3]}
    add_bot(cache, places[1])
    assert cached_digests(cache) == {keys[0], keys[1], keys[3]}
    with pytest.raises(BotNotCached), cache.hold_bot(bots.make_entry(places[2]), NO_SANDBOX, {}):
        pass


def test_a_large_bot_may_evict_many(cache: BotCache, tmp_path: Path) -> None:
    small = [large(tmp_path / f"{name}.py", 20) for name in "abcdef"]
    for place in small:
        add_bot(cache, place)
    cache.max_bytes = size(cache)
    last = large(tmp_path / "last.py", 60)
    add_bot(cache, last)
    assert cached_digests(cache) == {
        bot_digest(small[4]),
        bot_digest(small[5]),
        bot_digest(last),
    } | {bot_digest(small[3])}
    assert size(cache) <= cache.max_bytes


def test_held_bots_are_not_evicted(cache: BotCache, tmp_path: Path) -> None:
    cache.max_bytes = 0
    places = [large(tmp_path / f"{name}.py") for name in "abc"]
    with ExitStack() as stack:
        held = []
        for place in places:
            (entry,), bundles = bots.bundle_bots(place)
            held.append(stack.enter_context(cache.hold_bot(entry, NO_SANDBOX, bundles)))
        assert all(bot.path.exists() for bot in held)
        assert len(cached_digests(cache)) == 3
    add_bot(cache, large(tmp_path / "d.py"))
    assert cached_digests(cache) == {bot_digest(tmp_path / "d.py")}


def test_bots_held_by_another_process_are_not_evicted(
    cache: BotCache, tmp_path: Path, holders: list[BotHolder]
) -> None:
    cache.max_bytes = 0
    holders.append(BotHolder(cache, large(tmp_path / "a.py")))
    home = holders[0].folder()
    add_bot(cache, large(tmp_path / "b.py"))
    assert home.is_dir()
    holders.pop().close()
    add_bot(cache, large(tmp_path / "c.py"))
    assert cached_digests(cache) == {bot_digest(tmp_path / "c.py")}


def test_a_build_counts(cache: BotCache, tmp_path: Path) -> None:
    build = build_script("head -c 300000 /dev/zero > fat")
    place = bots.write_bot_folder(tmp_path / "fox", BUILD_MANIFEST, build_sh=build, source_txt="x")
    add_bot(cache, place)
    assert size(cache) > 300_000


def test_two_processes_evict_at_the_same_time(cache: BotCache, tmp_path: Path) -> None:
    """Two processes that both found a bot superfluous remove it one after the other."""
    add_bot(cache, large(tmp_path / "a.py"))
    (lock,) = cache.root.glob("*.lock")
    assert BotCache(cache.root).evict_bot(lock)
    cache.evict_bot(lock)
    assert cached_digests(cache) == set()


def test_a_removal_that_was_killed(cache: BotCache, tmp_path: Path) -> None:
    cache.max_bytes = 0
    first = large(tmp_path / "a.py")
    add_bot(cache, first)
    left = cache.root / f".gone-{bot_digest(first)}"
    left.mkdir()
    (left / "rest").touch()
    add_bot(cache, large(tmp_path / "b.py"))
    assert cached_digests(cache) == {left.name, bot_digest(tmp_path / "b.py")}, (
        "somebody may still be at it"
    )
    os.utime(left, (1, 1))
    add_bot(cache, large(tmp_path / "c.py"))
    assert cached_digests(cache) == {bot_digest(tmp_path / "c.py")}


def test_leftovers_of_killed_unpacking_are_removed(
    cache: BotCache, tmp_path: Path, holders: list[BotHolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.max_bytes = 0
    with monkeypatch.context() as patch:
        # The other process is a copy of this one: it waits before it puts the bot in its place.
        patch.setattr(bot_cache, "make_folders_readable", lambda _: signal.pause())
        holders.append(BotHolder(cache, large(tmp_path / "a.py")))
    wait_for(lambda: list(cache.root.glob(".unpacking-*/bot/a.py")))
    holders.pop().close()
    assert not (cache.root / bot_digest(tmp_path / "a.py")).exists(), "it was killed too late"
    (left,) = cache.root.glob(".unpacking-*")
    os.utime(left, (1, 1))
    add_bot(cache, large(tmp_path / "b.py"))
    assert cached_digests(cache) == {bot_digest(tmp_path / "b.py")}
