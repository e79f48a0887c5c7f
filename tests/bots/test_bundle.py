"""A bot travels as bytes and is the same bot elsewhere; nothing is written outside on the way."""

import gzip
import os
import random
import tarfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from arena.bots.bot import builtin_bots
from arena.bots.bundle import pack_bot, unpack_bot
from arena.bots.digest import bot_digest
from arena.errors import BadBot, HarnessFailure

Write = Callable[[tarfile.TarFile], None]
NUMBERS = "".join(f"{number**3}\n" for number in range(1000))


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot in a folder, with links that stay inside it."""
    place = tmp_path / "bot"
    (place / "deep" / "er").mkdir(parents=True)
    (place / "bot.yaml").write_text("name: x\nrun: [./main]\n")
    (place / "main").write_text("#!/bin/sh\n")
    (place / "main").chmod(0o700)
    (place / "deep" / "er" / "weights").write_text(NUMBERS)
    (place / "deep" / "er" / "weights").chmod(0o600)
    (place / "link").symlink_to("main")
    (place / "deep" / "up").symlink_to("../main")
    (place / "all").symlink_to(".")
    (place / "gone").symlink_to("deep/nothing")
    (place / "itself").symlink_to("itself")
    return place


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """An empty folder elsewhere."""
    place = tmp_path / "there"
    place.mkdir()
    return place


def listed(folder: Path) -> dict[str, object]:
    """All files of a folder: their modes and contents, or where they lead."""
    return {
        str(path.relative_to(folder)): path.readlink()
        if path.is_symlink()
        else (path.stat().st_mode & 0o777, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def archive(write: Write) -> bytes:
    """A bundle as somebody else may make it."""
    raw = BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as opened:
        write(opened)
    return raw.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, to: str = "") -> tarfile.TarInfo:
    """Something in such a bundle, without content."""
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, to
    return made


def add(made: tarfile.TarFile, *entries: tarfile.TarInfo) -> None:
    """Put some of these into it."""
    for one in entries:
        made.addfile(one)


def test_a_folder_arrives_as_it_was(bot: Path, target: Path) -> None:
    unpack_bot(pack_bot(bot), target, bot_digest(bot))
    before, after = listed(bot), listed(target)
    assert after.keys() == before.keys()
    for name, what in after.items():
        if isinstance(what, Path):
            assert what == before[name]
        else:
            assert isinstance(what, tuple)
            assert what == (0o755 if name == "main" else 0o644, (bot / name).read_bytes())
    assert bot_digest(target) == bot_digest(bot)


def test_unpacked_modes_ignore_the_umask(bot: Path, target: Path) -> None:
    packed = pack_bot(bot)
    before = os.umask(0o077)
    try:
        unpack_bot(packed, target, bot_digest(bot))
    finally:
        os.umask(before)
    assert (target / "main").stat().st_mode & 0o777 == 0o755
    assert (target / "bot.yaml").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_script(tmp_path: Path, target: Path, mode: int) -> None:
    script = tmp_path / "wolf.py"
    script.write_text("print()\n")
    script.chmod(mode)
    (tmp_path / "beside.py").touch()
    unpack_bot(pack_bot(script), target, bot_digest(script))
    assert listed(target) == {"wolf.py": (mode, b"print()\n")}


def test_a_script_that_would_be_left_out_of_a_folder(tmp_path: Path, target: Path) -> None:
    script = tmp_path / ".DS_Store"
    script.write_text("#!/bin/sh\n")
    unpack_bot(pack_bot(script), target, bot_digest(script))
    assert list(listed(target)) == [".DS_Store"]


def test_ignored_files_are_not_packed(bot: Path, target: Path) -> None:
    (bot / "target").mkdir()
    (bot / "target" / "huge").touch()
    (bot / "deep" / "__pycache__").mkdir()
    (bot / "deep" / "__pycache__" / "x.pyc").touch()
    (bot / "target" / "out").symlink_to("/etc")
    unpack_bot(pack_bot(bot, ["target"]), target, bot_digest(bot, ["target"]))
    assert not (target / "target").exists()
    assert not (target / "deep" / "__pycache__").exists()


@pytest.mark.parametrize(
    "name",
    [
        os.fsdecode(b"\xff\xfe"),
        "\u00e4 b\nc",
        "-rf",
        " ",
        "a" * 255,
        "/".join(["b" * 100] * 4),
        "\\",
        "x" * 99 + "\u00e4",
        "...",
    ],
    ids=ascii,
)
def test_names(tmp_path: Path, target: Path, name: str) -> None:
    bot = tmp_path / "bot"
    (bot / name).parent.mkdir(parents=True)
    (bot / name).write_text("x")
    (bot / "link").symlink_to(name)
    unpack_bot(pack_bot(bot), target, bot_digest(bot))
    assert (target / name).read_text() == "x"
    assert (target / "link").readlink() == Path(name)


def test_the_same_bot_makes_the_same_bytes(bot: Path, tmp_path: Path) -> None:
    packed = pack_bot(bot)
    os.utime(bot / "main", (1, 1))
    (bot / "bot.yaml").chmod(0o600)
    other = bot.rename(tmp_path / "elsewhere")
    assert pack_bot(other) == packed
    assert packed[4:8] == bytes(4), "when it was made does not stand in it"


def test_bots_that_come_with_the_program(tmp_path: Path) -> None:
    """In a checkout, some of their files are links to those of the specification."""
    for name, place in builtin_bots().items():
        (tmp_path / name).mkdir()
        unpack_bot(pack_bot(place), tmp_path / name, bot_digest(place))


@pytest.mark.parametrize("to", ["../secret", "..", "all/all/../../secret", "{0}/main", "/etc"])
def test_a_link_that_leads_out_travels_as_it_is(bot: Path, target: Path, to: str) -> None:
    """What it leads to stays where it is."""
    (bot.parent / "secret").write_text("nobody else is to know")
    (bot / "deep" / "out").symlink_to(to.format(bot))
    packed = pack_bot(bot)
    assert b"nobody else" not in gzip.decompress(packed)
    unpack_bot(packed, target, bot_digest(bot))
    assert (target / "deep" / "out").readlink() == Path(to.format(bot))


def test_a_script_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").touch()
    (tmp_path / "link.py").symlink_to("real.py")
    with pytest.raises(BadBot, match=r"link\.py is a link; name the file itself"):
        pack_bot(tmp_path / "link.py")


def test_a_folder_that_is_a_link(bot: Path, target: Path, tmp_path: Path) -> None:
    (tmp_path / "same").symlink_to("bot")
    unpack_bot(pack_bot(tmp_path / "same"), target, bot_digest(bot))


def test_special_files_are_refused(bot: Path, tmp_path: Path) -> None:
    with pytest.raises(BadBot, match="none: No such file or directory"):
        pack_bot(tmp_path / "none")
    os.mkfifo(bot / "pipe")
    with pytest.raises(BadBot, match="pipe is neither a file, a folder nor a link"):
        pack_bot(bot)


def test_a_bundle_with_a_wrong_digest(bot: Path, target: Path) -> None:
    packed, before = pack_bot(bot), bot_digest(bot)
    (bot / "main").write_text("#!/bin/sh\necho\n")
    with pytest.raises(
        HarnessFailure, match=f"something else than the bot {bot_digest(bot)[:12]}$"
    ):
        unpack_bot(packed, target, bot_digest(bot))
    assert before != bot_digest(bot)


HOSTILE: dict[str, Write] = {
    "above": lambda made: made.addfile(entry("../evil")),
    "above, from inside": lambda made: made.addfile(entry("a/../../evil")),
    "absolute": lambda made: made.addfile(entry("/evil")),
    "a link to a folder above": lambda made: add(
        made, entry("a", tarfile.SYMTYPE, ".."), entry("a/evil")
    ),
    "a link to an absolute folder": lambda made: add(
        made, entry("a", tarfile.SYMTYPE, "/"), entry("a/evil")
    ),
    "a link through a link": lambda made: add(
        made, entry("a", tarfile.SYMTYPE, ".."), entry("a/evil", tarfile.SYMTYPE, "secret")
    ),
    "a link to a file above": lambda made: add(
        made, entry("a", tarfile.SYMTYPE, "../secret"), entry("a")
    ),
    "a folder that is there as a link": lambda made: add(
        made, entry("a", tarfile.SYMTYPE, ".."), entry("a", tarfile.DIRTYPE)
    ),
    "a file below a file": lambda made: add(made, entry("a"), entry("a/b")),
    "one file twice": lambda made: add(made, entry("a"), entry("a")),
    "no name": lambda made: made.addfile(entry("a//b")),
    "itself": lambda made: made.addfile(entry("./a")),
    "a further name": lambda made: made.addfile(entry("a", tarfile.LNKTYPE, "../secret")),
    "a device": lambda made: made.addfile(entry("a", tarfile.CHRTYPE)),
    "a pipe": lambda made: made.addfile(entry("a", tarfile.FIFOTYPE)),
    "nothing": lambda _: None,
    "a link and then a file": lambda made: add(made, entry("b", tarfile.SYMTYPE, "c"), entry("b")),
}


@pytest.mark.parametrize("write", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bundles(tmp_path: Path, target: Path, write: Write) -> None:
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(HarnessFailure, match=r"^a bundle "):
        unpack_bot(archive(write), target, "0" * 64)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret", "there"]
    assert (tmp_path / "secret").read_text() == "secret"
    assert not Path("/evil").exists()


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda packed: packed[: len(packed) // 2],
    "no archive": lambda _: gzip.compress(b"x" * 2000),
    "no gzip": lambda _: b"x" * 2000,
    "two bits of the head": lambda packed: b"\x1f\x8a" + packed[2:],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_bundles(bot: Path, target: Path, damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(HarnessFailure, match=r"^a bundle "):
        unpack_bot(damage(pack_bot(bot)), target, bot_digest(bot))


def test_a_wrong_archive_checksum_is_ignored(bot: Path, target: Path) -> None:
    """The sums behind the last file are not needed, as all of it is hashed."""
    unpack_bot(pack_bot(bot)[:-8] + bytes(8), target, bot_digest(bot))
    assert bot_digest(target) == bot_digest(bot)


@pytest.mark.slow
def test_bytes_that_have_changed(bot: Path, tmp_path: Path) -> None:
    """Wherever a bundle was changed, it is that bundle that is named."""
    packed, chance = pack_bot(bot), random.Random(7)
    for number in range(100):
        spoiled = bytearray(packed)
        spoiled[chance.randrange(10, len(packed))] ^= 1 << chance.randrange(8)
        (tmp_path / str(number)).mkdir()
        with suppress(HarnessFailure):
            unpack_bot(bytes(spoiled), tmp_path / str(number), bot_digest(bot))
            assert bot_digest(tmp_path / str(number)) == bot_digest(bot)
