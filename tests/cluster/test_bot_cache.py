"""Bots on a machine: unpacked once, built once, and looked at again before they are played."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots.build import BuildSettings
from arena.bots.digest import SHORT_DIGITS, bot_digest
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.cluster.bot_cache import SIZE_VARIABLE, BotCache, BotNotCached, size_limit
from arena.cluster.messages import BotEntry
from arena.errors import BadBot, HarnessFailure
from tests.cluster import bots
from tests.cluster.bot_caches import (
    BUILD_MANIFEST,
    NO_SANDBOX,
    BotHolder,
    add_bot,
    build_script,
    cached_digests,
)
from tests.suite.tools import skip_without_sandbox

pytestmark = pytest.mark.slow


@pytest.fixture
def bot_folder(tmp_path: Path) -> Path:
    """A bot that has to be built."""
    return bots.write_bot_folder(
        tmp_path / "fox", BUILD_MANIFEST, build_sh=build_script(), source_txt="#!/bin/sh\n"
    )


def runs(cache: BotCache) -> int:
    """How often something was built."""
    file = cache.root.parent / "builds"
    return len(file.read_text().split()) if file.exists() else 0


def test_a_bot_that_is_not_cached(cache: BotCache, bot_folder: Path) -> None:
    entry = bots.make_entry(bot_folder)
    with (
        pytest.raises(
            BotNotCached, match=f"the bot {entry.digest[:12]} is not on this mach"
        ) as error,
        cache.hold_bot(entry, NO_SANDBOX, {"f" * 64: b""}),
    ):
        pass
    assert error.value.digest == entry.digest
    assert cached_digests(cache) == set()


def test_a_bot_is_sent_once(cache: BotCache, bot_folder: Path) -> None:
    (entry,), bundles = bots.bundle_bots(bot_folder)
    with cache.hold_bot(entry, NO_SANDBOX, bundles) as bot:
        assert bot.version == entry.digest[:SHORT_DIGITS]
        assert Path(bot.argv[0]).read_text() == "#!/bin/sh\n"
    for one in (cache, BotCache(cache.root)):
        with one.hold_bot(entry, NO_SANDBOX, {}) as again:
            assert again == bot
    assert runs(cache) == 1
    assert cached_digests(cache) == {entry.digest}


def test_digests_that_begin_alike(cache: BotCache, bot_folder: Path) -> None:
    """A bot under a digest of which people see the same 12 digits is thrown away."""
    found = add_bot(cache, bot_folder)
    entry = bots.make_entry(bot_folder)
    other = replace(entry, digest=entry.digest[:SHORT_DIGITS] + "0" * 52)
    (cache.root / entry.digest).rename(cache.root / other.digest)
    with pytest.raises(BotNotCached), cache.hold_bot(other, NO_SANDBOX, {}):
        pass
    assert found.digest == entry.digest
    assert cached_digests(cache) == set()


def test_a_cached_bundle_is_not_unpacked_again(cache: BotCache, bot_folder: Path) -> None:
    bot = add_bot(cache, bot_folder)
    before = bot.folder.stat().st_ino
    assert add_bot(cache, bot_folder) == bot
    assert bot.folder.stat().st_ino == before


@pytest.mark.parametrize("name", ["wolf.py", "wolf", "wolf.txt"])
def test_a_script(cache: BotCache, tmp_path: Path, name: str) -> None:
    place = bots.write_script(tmp_path / name, "#!/usr/bin/env python3\n" + bots.INNOCENT_BOT)
    (entry,), bundles = bots.bundle_bots(place)
    entry = BotEntry(entry.digest, "other name", entry.script)
    with cache.hold_bot(entry, NO_SANDBOX, bundles) as bot:
        assert (bot.name, bot.argv[0]) == ("other name", sys.executable)
        assert bot.path.name == name
        assert bot.path.read_text() == place.read_text()
        assert bot.version == entry.digest[:SHORT_DIGITS]


def test_one_bot_under_two_names(cache: BotCache, bot_folder: Path) -> None:
    (entry,), bundles = bots.bundle_bots(bot_folder)
    other = BotEntry(entry.digest, "other")
    with (
        cache.hold_bot(entry, NO_SANDBOX, bundles) as one,
        cache.hold_bot(other, NO_SANDBOX, {}) as two,
    ):
        assert (one.name, two.name) == ("fox", "other")
        assert one.folder == two.folder
    assert runs(cache) == 1


@pytest.mark.needs("cc")
def test_a_real_compiler(cache: BotCache, tmp_path: Path) -> None:
    main = '#include <stdio.h>\nint main(void) { puts("hello"); }\n'
    place = bots.write_bot_folder(
        tmp_path / "c", "run: [./c]\nbuild: [cc, -o, c, main.c]", main_c=main
    )
    bot = add_bot(cache, place)
    assert subprocess.check_output(bot.argv) == b"hello\n"


def test_links_inside_a_bot(cache: BotCache, bot_folder: Path) -> None:
    (bot_folder / "deep").mkdir()
    (bot_folder / "deep" / "up").symlink_to("../source.txt")
    (bot_folder / "all").symlink_to(".")
    bot = add_bot(cache, bot_folder)
    assert (bot.folder / "deep" / "up").read_text() == "#!/bin/sh\n"
    assert (bot.folder / "all").readlink() == Path()


def test_sandbox_user_can_read_cached_bots_despite_the_umask(
    cache: BotCache, tmp_path: Path
) -> None:
    place = bots.write_bot_folder(tmp_path / "fox", "run: [python3, deep/fox.py]")
    (place / "deep").mkdir(mode=0o700)
    (place / "deep" / "fox.py").touch(0o600)
    (place / "here").symlink_to("deep")
    (entry,), bundles = bots.bundle_bots(place)
    cache.root.mkdir(parents=True)
    before = os.umask(0o077)
    try:
        with cache.hold_bot(entry, NO_SANDBOX, bundles) as bot:
            modes = {
                path.name: path.lstat().st_mode & 0o777
                for path in (bot.folder, *bot.folder.rglob("*"))
                if not path.is_symlink()
            }
    finally:
        os.umask(before)
    assert modes == {"bot": 0o755, "deep": 0o755, "fox.py": 0o644, "bot.yaml": 0o644}


def test_a_sandboxed_build_with_a_strict_mask(cache: BotCache, tmp_path: Path) -> None:
    try:
        sandbox = select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    except SandboxUnavailable as why:
        skip_without_sandbox(why)
    build = "mkdir deep && cp source.txt deep/out && chmod 700 deep deep/out\n"
    place = bots.write_bot_folder(
        tmp_path / "fox",
        "run: [./deep/out]\nbuild: [sh, build.sh]",
        build_sh=build,
        source_txt="#!/bin/sh\n",
    )
    (entry,), bundles = bots.bundle_bots(place)
    before = os.umask(0o077)
    try:
        with cache.hold_bot(entry, BuildSettings(sandbox), bundles) as bot:
            assert sandbox.wrap(bot.argv, bot.path), "as root it is refused what nobody can read"
    finally:
        os.umask(before)


def test_damaged_bundles_leave_nothing(cache: BotCache, bot_folder: Path, tmp_path: Path) -> None:
    (entry,), bundles = bots.bundle_bots(bot_folder)
    (_,), others = bots.bundle_bots(bots.write_script(tmp_path / "wolf.py"))
    packed = bundles[entry.digest]
    for spoiled in (b"", packed[: len(packed) // 2], *others.values()):
        with (
            pytest.raises(HarnessFailure, match=r"^a bundle "),
            cache.hold_bot(entry, NO_SANDBOX, {entry.digest: spoiled}),
        ):
            pass
        assert cached_digests(cache) == set()
    add_bot(cache, bot_folder)
    assert cached_digests(cache) == {entry.digest}


def test_a_build_that_fails_can_be_tried_again(cache: BotCache, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = build_script(f"test -e {ready} || exit 3")
    place = bots.write_bot_folder(tmp_path / "fox", BUILD_MANIFEST, build_sh=script, source_txt="x")
    for _ in range(2):
        with pytest.raises(BadBot, match="failed with exit status 3"):
            add_bot(cache, place)
    ready.touch()
    add_bot(cache, place)
    assert runs(cache) == 3


def test_a_deleted_bot_is_built_again(cache: BotCache, bot_folder: Path) -> None:
    """Somebody may clear up a cache by hand."""
    bot = add_bot(cache, bot_folder)
    subprocess.run(["rm", "-r", bot.folder], check=True)
    (entry,), _ = bots.bundle_bots(bot_folder)
    with cache.hold_bot(entry, NO_SANDBOX, {}) as again:
        assert Path(again.argv[0]).exists()
    assert runs(cache) == 2
    subprocess.run(["rm", "-r", cache.root], check=True)
    with pytest.raises(BotNotCached), cache.hold_bot(entry, NO_SANDBOX, {}):
        pass
    assert add_bot(cache, bot_folder) == bot


def test_processes_that_come_at_the_same_time(
    cache: BotCache, tmp_path: Path, holders: list[BotHolder]
) -> None:
    place = bots.write_bot_folder(
        tmp_path / "fox",
        BUILD_MANIFEST,
        build_sh=build_script("sleep 0.3"),
        source_txt="#!/bin/sh\n",
    )
    holders += [BotHolder(cache, place) for _ in range(4)]
    assert len({one.folder() for one in holders}) == 1
    assert runs(cache) == 1
    assert sorted(path.name for path in cache.root.iterdir()) == sorted(
        [bot_digest(place), f"{bot_digest(place)}.lock"]
    )


@pytest.mark.parametrize(
    ("text", "mib"), [("", 2048), ("7", 7), ("0", 0), ("-1", 2048), ("1.5", 2048), ("x", 2048)]
)
def test_the_size_limit(monkeypatch: pytest.MonkeyPatch, text: str, mib: int) -> None:
    monkeypatch.setenv(SIZE_VARIABLE, text)
    assert size_limit() == mib << 20
    assert BotCache(Path("/nowhere")).max_bytes == mib << 20


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert BotCache().root == tmp_path / "stichkampf" / "shelf"


def test_a_bot_that_has_changed_in_the_cache(cache: BotCache, tmp_path: Path) -> None:
    """Without a sandbox a bot can write into its own folder, and caches are cleared by others."""
    place = bots.write_bot_folder(
        tmp_path / "fox", "run: [python3, fox.py]", fox_py=bots.INNOCENT_BOT
    )
    bot = add_bot(cache, place)
    (bot.folder / "fox.py").write_text("print('another bot')")
    (entry,), bundles = bots.bundle_bots(place)
    fresh: Mapping[str, bytes] = bundles
    try:
        with BotCache(cache.root).hold_bot(entry, NO_SANDBOX, {}) as again:
            assert again.version == entry.digest[:SHORT_DIGITS]
    except BotNotCached:
        with BotCache(cache.root).hold_bot(entry, NO_SANDBOX, fresh) as again:
            assert again.version == entry.digest[:SHORT_DIGITS]


def test_a_lock_that_is_shared_is_open_to_be_read(cache: BotCache) -> None:
    with cache.lock_bot("0" * 64):
        fds = [path for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
        (held,) = (int(path.name) for path in fds if path.readlink().name.endswith("0.lock"))
        mode = fcntl.fcntl(held, fcntl.F_GETFL) & os.O_ACCMODE
    assert mode in {os.O_RDONLY, os.O_RDWR}
