"""What is unpacked is as it was packed, and nothing that is wrong is unpacked."""

import bz2
import io
import lzma
import os
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.archives.limits import DEFAULT_LIMITS, BadArchive, UnpackLimits
from arena.archives.unpack_child import UnpackResult, unpack_bytes
from arena.bots.digest import bot_digest
from tests.archives.archive_builders import (
    TarEntry,
    ZipEntry,
    build_tar,
    build_zip,
    gnu_long_name,
    gzip_compress,
    lzma_compress,
    pax_header,
)
from tests.archives.hostile_uploads import HOSTILE, Case
from tests.suite.tools import require

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder to unpack to, beside and above which nothing must come."""
    place = tmp_path / "above" / "folder"
    place.mkdir(parents=True)
    yield place
    assert [path.name for path in tmp_path.iterdir() if path.name != "bot"] == ["above"]
    assert [path.name for path in place.parent.iterdir()] == ["folder"]
    assert not Path("/stichkampf-outside").exists()


def into(
    folder: Path, upload: bytes, name: str = "bot.py", allowed: UnpackLimits = DEFAULT_LIMITS
) -> UnpackResult:
    """Unpack in this process."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return unpack_bytes(upload, name, opened, allowed)
    finally:
        os.close(opened)


def tree(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder: files with their content, folders without."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("case", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_uploads_are_refused(folder: Path, case: Case) -> None:
    with pytest.raises(BadArchive) as refused:
        into(folder, case.made(), case.name, case.allowed)
    said = str(refused.value)
    assert case.words in said
    assert said.isprintable()
    for path in folder.rglob("*"):
        assert stat.S_IFMT(path.lstat().st_mode) in {stat.S_IFREG, stat.S_IFDIR}


LONG = "a folder with a name/" * 6 + "and a file"
BOT = {
    "bot.yaml": b"name: x\nrun: [./main]\n",
    "main": b"#!/bin/sh\n",
    "empty": b"",
    "deep/er/weights": bytes(range(256)) * 999,
    "Schlüssel/♠ und ♥.txt": "Stück".encode(),
    LONG: b"far",
}


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot in a folder."""
    place = tmp_path / "bot"
    for name, content in BOT.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    (place / "main").chmod(0o4711)
    return place


def by_zipfile(method: int) -> Callable[[Path], bytes]:
    """A zip archive as Python writes it."""

    def made(bot: Path) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", method) as archive:
            for path in sorted(bot.rglob("*")):
                archive.write(path, path.relative_to(bot))
        return packed.getvalue()

    return made


def by_tarfile(mode: str, layout: int) -> Callable[[Path], bytes]:
    """A tar archive as Python writes it."""

    def made(bot: Path) -> bytes:
        packed = io.BytesIO()
        write_mode: Any = f"w:{mode}"  # tarfile wants one of several literals
        with tarfile.open(mode=write_mode, fileobj=packed, format=layout) as archive:
            archive.add(bot, ".")
        return packed.getvalue()

    return made


def by_program(*argv: str, needed: Sequence[str] = ("tar",)) -> Callable[[Path], bytes]:
    """An archive as a program writes it to its stdout, for which tools are needed."""

    def made(bot: Path) -> bytes:
        for tool in needed:
            require(tool)
        return subprocess.run(argv, cwd=bot, check=True, capture_output=True).stdout

    return made


GOOD: dict[str, tuple[str, Callable[[Path], bytes]]] = {
    "stored": ("zip", by_zipfile(zipfile.ZIP_STORED)),
    "deflated": ("zip", by_zipfile(zipfile.ZIP_DEFLATED)),
    "bzip2": ("zip", by_zipfile(zipfile.ZIP_BZIP2)),
    "LZMA": ("zip", by_zipfile(zipfile.ZIP_LZMA)),
    "zip": ("zip", by_program("zip", "-q", "-r", "-", ".", needed=["zip"])),
    "pax": ("tar", by_tarfile("", tarfile.PAX_FORMAT)),
    "gnu": ("tar", by_tarfile("", tarfile.GNU_FORMAT)),
    "ustar": ("tar", by_tarfile("", tarfile.USTAR_FORMAT)),
    "pax.gz": ("tar.gz", by_tarfile("gz", tarfile.PAX_FORMAT)),
    "gnu.bz2": ("tar.bz2", by_tarfile("bz2", tarfile.GNU_FORMAT)),
    "pax.xz": ("tar.xz", by_tarfile("xz", tarfile.PAX_FORMAT)),
    "tar": ("tar", by_program("tar", "c", ".")),
    "tar with a star": ("tar", by_program("sh", "-c", "tar c *")),
    "tar as POSIX has it": ("tar", by_program("tar", "c", "--format=posix", ".")),
    "tar and gzip": ("tar.gz", by_program("tar", "cz", ".", needed=["tar", "gzip"])),
    "tar and bzip2": ("tar.bz2", by_program("tar", "cj", ".", needed=["tar", "bzip2"])),
    "tar and xz at its best": (
        "tar.xz",
        by_program("tar", "c", "-Ixz -9e", ".", needed=["tar", "xz"]),
    ),
}


@pytest.mark.parametrize(("kind", "made"), GOOD.values(), ids=GOOD.keys())
def test_good_uploads_are_unpacked(
    folder: Path, bot: Path, kind: str, made: Callable[[Path], bytes]
) -> None:
    answer = into(folder, made(bot))
    assert answer == UnpackResult(kind, len(BOT), sum(map(len, BOT.values())))
    assert tree(folder) == tree(bot)
    assert bot_digest(folder) == bot_digest(bot)
    for path in folder.rglob("*"):
        runs = path.is_dir() or path.name == "main"
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if runs else 0o644), path


ACCEPTED: dict[str, tuple[bytes, dict[str, bytes | None]]] = {
    "droppings": (
        build_zip("a", "__MACOSX/._a", ".DS_Store", "._b", ".git/config", "d/__pycache__/a.pyc"),
        {"a": b"x"},
    ),
    "links in what is left out": (
        build_tar(
            "a", TarEntry(".git/link", b"", b"2", link=b"/etc"), TarEntry(".hg/x", b"y" * 999)
        ),
        {"a": b"x"},
    ),
    "odd names in what is left out": (build_zip("a", ".git/aux", ".git/b:c"), {"a": b"x"}),
    "archives in archives": (
        build_zip(ZipEntry("b.zip", build_zip("../x"))),
        {"b.zip": build_zip("../x")},
    ),
    "no folders, and late ones": (
        build_zip("a/b/c", ZipEntry("a/b/", b""), ZipEntry("a/", b""), ZipEntry("a/", b"")),
        {"a": None, "a/b": None, "a/b/c": b"x"},
    ),
    "folders by their mode": (
        build_zip("b", ZipEntry("a", b"", mode=0o40755)),
        {"a": None, "b": b"x"},
    ),
    "a comment": (build_zip("a", comment=b"PK\x05\x06 " * 9), {"a": b"x"}),
    "gaps as streams leave them": (build_zip("a", "b", gap=bytes(16)), {"a": b"x", "b": b"x"}),
    "LZMA without an end": (
        build_zip(ZipEntry("a", b"y" * 99999, 14, packed=lzma_compress(b"y" * 99999))),
        {"a": b"y" * 99999},
    ),
    "old folders": (
        build_tar(TarEntry("a/", b"", b"\0", magic=bytes(8)), TarEntry("a/b", b"x", b"\0")),
        {"a": None, "a/b": b"x"},
    ),
    "a long name": (build_tar(gnu_long_name(b"l" * 150), "short"), {"l" * 150: b"x"}),
    "headers about all": (
        build_tar(
            pax_header(("comment", b"0" * 40), kind=b"g"), pax_header(("mtime", b"1.5")), "a"
        ),
        {"a": b"x"},
    ),
    "headers beside files": (
        build_tar(pax_header(("LIBARCHIVE.xattr.x", b"y" * 5000), ("path", b"b")), "a"),
        {"b": b"x"},
    ),
    "one block of zeros": (build_tar("a", end=bytes(512)), {"a": b"x"}),
    "zeros behind": (gzip_compress(build_tar("a")) + bytes(100), {"a": b"x"}),
    "several streams": (
        gzip_compress(build_tar("a")[:700])
        + gzip_compress(b"")
        + gzip_compress(build_tar("a")[700:]),
        {"a": b"x"},
    ),
    "several of bzip2": (
        bz2.compress(build_tar("a")[:700]) + bz2.compress(build_tar("a")[700:]),
        {"a": b"x"},
    ),
    "several of xz": (
        lzma.compress(build_tar("a")[:700]) + lzma.compress(build_tar("a")[700:]),
        {"a": b"x"},
    ),
    "zeros that are packed well": (
        gzip_compress(build_tar(TarEntry("a", bytes(10**6)))),
        {"a": bytes(10**6)},
    ),
}


@pytest.mark.parametrize(("upload", "expected"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_accepted(folder: Path, upload: bytes, expected: dict[str, bytes | None]) -> None:
    answer = into(folder, upload)
    assert tree(folder) == expected
    assert answer.files == sum(content is not None for content in expected.values())


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        (b"#!/bin/sh\n", 0o755),
        (b"\x7fELF\x02\x01", 0o755),
        (b"print()\n", 0o644),
        (b"#!/usr/bin/env python3\n" + build_zip("__main__.py"), 0o755),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_executable_files(folder: Path, content: bytes, mode: int, packed: bool) -> None:
    """A script by how it begins, and a file too where the archive does not tell."""
    upload = build_zip(ZipEntry("bot.py", content, mode=0)) if packed else content
    assert into(folder, upload).kind == ("zip" if packed else "script")
    assert tree(folder) == {"bot.py": content}
    assert stat.S_IMODE((folder / "bot.py").stat().st_mode) == mode


def test_file_modes_do_not_depend_on_the_umask(folder: Path) -> None:
    before = os.umask(0o077)
    try:
        into(
            folder,
            build_tar(TarEntry("d/a", mode=b"0006777\0"), TarEntry("d/b", mode=b"0001077\0")),
        )
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert modes == {"d": 0o755, "a": 0o755, "b": 0o644}


def test_existing_files_are_not_overwritten(folder: Path, tmp_path: Path) -> None:
    """Neither a file nor what a link leads to, though the folder should have been empty."""
    (folder / "d").symlink_to(tmp_path / "above")
    (folder / "l").symlink_to(tmp_path / "above" / "new")
    (folder / "f").write_bytes(b"mine")
    for name in ("d/x", "l", "f"):
        with pytest.raises(OSError, match=r"exists|Not a directory"):
            into(folder, build_tar(name))
    assert (folder / "f").read_bytes() == b"mine"


SEEDS = {
    "zip": build_zip(
        ZipEntry("a/b", b"hello" * 99, 8),
        ZipEntry("c", b"x" * 99, 12, packed=bz2.compress(b"x" * 99)),
        ZipEntry("d", b"z" * 99, 14, flags=2, packed=lzma_compress(b"z" * 99)),
        ZipEntry("e/", b""),
    ),
    "tar": build_tar(
        pax_header(("path", b"p" * 150)), "x", gnu_long_name(b"n"), "y", TarEntry("z/", b"", b"5")
    ),
    "tar.gz": gzip_compress(
        build_tar("a", TarEntry("b/c", b"hello" * 99), TarEntry("d", b"", b"5"))
    ),
    "tar.xz": lzma.compress(build_tar("a", TarEntry("b/c", b"hello" * 99))),
    "tar.bz2": bz2.compress(build_tar("a", TarEntry("b/c", b"hello" * 99))),
}


@pytest.mark.parametrize("kind", SEEDS)
@settings(max_examples=100)
@given(st.data())
def test_any_change_is_unpacked_or_refused(kind: str, data: st.DataObject) -> None:
    """Whatever bytes are changed, put in, or cut off."""
    upload = bytearray(SEEDS[kind])
    places = st.integers(0, len(upload) - 1)
    for place in data.draw(st.lists(places, max_size=8)):
        upload[place] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        upload[data.draw(places) :] = data.draw(st.binary(max_size=40))
    allowed = UnpackLimits(total=1 << 16, file=1 << 15, entries=20)
    with TemporaryDirectory() as folder, suppress(BadArchive):
        answer = into(Path(folder), bytes(upload), allowed=allowed)
        found = tree(Path(folder))
        contents = [content for content in found.values() if content is not None]
        assert (answer.files, answer.size) == (len(contents), sum(map(len, contents)))
        assert len(found) <= allowed.entries
        assert answer.size <= allowed.total
