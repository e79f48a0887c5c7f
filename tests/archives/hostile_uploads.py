"""Uploads that are refused, each with words of the sentence that says why."""

import bz2
import lzma
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arena.archives.limits import DEFAULT_LIMITS, UnpackLimits
from arena.bots.sandbox.limits import MIB
from tests.archives.archive_builders import (
    TarEntry,
    ZipEntry,
    build_tar,
    build_zip,
    deflate,
    gnu_long_name,
    gzip_compress,
    lzma_compress,
    pax_header,
    xz_with_huge_dictionary,
)


class Case(NamedTuple):
    """A hostile upload."""

    made: Callable[[], bytes]
    words: str
    allowed: UnpackLimits = DEFAULT_LIMITS
    name: str = "upload"

    def written(self, file: Path) -> Path:
        """The upload as a file."""
        file.write_bytes(self.made())
        return file


ZEROS = bytes(MIB)
SMALL = UnpackLimits(total=2 * MIB, file=MIB, entries=5, size=4 * MIB, ratio=10_000)
LIAR = b"y" * 5000
ENCRYPTED = b"\x00" * 13


def overlapping() -> bytes:
    """Two entries of which the second lies in the first one's content."""
    inner = build_zip("inner")[: 30 + 5 + 1]
    return build_zip(ZipEntry("outer", inner), ZipEntry("inner", offset=30 + 5))


def kernel() -> bytes:
    """A thousand entries that share one stream of zeros."""
    shared = ZipEntry("0", ZEROS, 8)
    others = [ZipEntry(str(number), ZEROS, 8, packed=b"", offset=0) for number in range(1, 1000)]
    return build_zip(shared, *others)


def bomb(count: int = 20) -> bytes:
    """A tar archive of zeros."""
    return build_tar(*(TarEntry(f"f{number}", ZEROS) for number in range(count)))


def damaged(content: bytes, place: int) -> bytes:
    """The same with one other byte."""
    changed = bytearray(content)
    changed[place] ^= 0x55
    return bytes(changed)


def names(text: str | bytes) -> dict[str, Callable[[], bytes]]:
    """An archive of each kind with an entry of this name."""
    raw = text.encode() if isinstance(text, str) else text
    return {
        "zip": lambda: build_zip("good", ZipEntry(raw)),
        "tar": lambda: build_tar("good", TarEntry(raw)),
        "pax": lambda: gzip_compress(
            build_tar("good", pax_header(("path", raw)), TarEntry("fine"))
        ),
        "gnu": lambda: build_tar("good", gnu_long_name(raw), TarEntry("fine")),
    }


NAMES: dict[str, tuple[str | bytes, str]] = {
    "absolute": ("/stichkampf-outside", "absolute path"),
    "up": ("../outside", "leads out of"),
    "up later": ("a/../../outside", "leads out of"),
    "up only": ("..", "leads out of"),
    "up behind a dot": ("./../outside", "leads out of"),
    "backslash": ("..\\outside", "backslash"),
    "drive": ("C:/outside", "absolute path"),
    "drive without root": ("c:outside", "absolute path"),
    "twice a slash": ("a//b", "names no file"),
    "dot inside": ("a/./b", "names no file"),
    "line feed": ("a\nb", "characters that do not show"),
    "escape": ("\x1b[2Ja", "characters that do not show"),
    "bidi": ("a\u202egnp.exe", "characters that do not show"),
    "no width": ("a\u200bb", "characters that do not show"),
    "not UTF-8": (b"caf\xe9", "not UTF-8"),
    "surrogate": (b"a\xed\xa0\x80", "not UTF-8"),
    "overlong": (b"..\xc0\xafoutside", "not UTF-8"),
    "long path": ("/".join(["n" * 100] * 11), "longer than 1024 bytes"),
    "longest path": ("n/" * 30_000 + "n", "longer than 1024 bytes"),
    "long": ("n" * 201, "longer than 200 bytes"),
    "deep": ("d/" * 16 + "f", "more than 16 folders deep"),
    **{
        f"{name!r}": (name, "is a name that not every system can keep; rename it")
        for name in ("con", "lib/aux.py", "bot.py:evil", "a.")
    },
}

HOSTILE: dict[str, Case] = {
    **{
        f"{kind}, name: {what}": Case(made, words)
        for what, (name, words) in NAMES.items()
        for kind, made in names(name).items()
        if kind != "tar" or len(name) <= 100
    },
    "zip, name: none": Case(lambda: build_zip("good", ""), "names no file"),
    "zip, name: zero": Case(lambda: build_zip("good.py\0.png"), "do not show"),
    "gnu, name: zero": Case(lambda: build_tar(gnu_long_name(b"a\0b"), "fine"), "do not show"),
    "pax, name: zero": Case(
        lambda: build_tar(pax_header(("path", b"a\0b")), "fine"), "do not show"
    ),
    "tar, name: none": Case(lambda: build_tar("good", ""), "names no file"),
    "tar, name: prefix": Case(lambda: build_tar(TarEntry("x", prefix=b"../..")), "leads out of"),
    "tar, name: rooted prefix": Case(lambda: build_tar(TarEntry("x", prefix=b"/etc")), "absolute"),
    "zip, link": Case(
        lambda: build_zip("good", ZipEntry("l", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)),
        "l is a link; put a file",
    ),
    "zip, pipe": Case(lambda: build_zip(ZipEntry("p", mode=stat.S_IFIFO | 0o644)), "p is a pipe"),
    "zip, device": Case(
        lambda: build_zip(ZipEntry("d", mode=stat.S_IFCHR | 0o644)), "d is a device"
    ),
    "zip, socket": Case(
        lambda: build_zip(ZipEntry("s", mode=stat.S_IFSOCK)), "a device or a socket"
    ),
    "zip, through a link": Case(
        lambda: build_zip(ZipEntry("l", b"..", mode=stat.S_IFLNK | 0o777), "l/outside"),
        "l is a link",
    ),
    **{
        f"tar, kind {kind!r}": Case(partial(build_tar, "good", TarEntry("odd", b"", kind)), words)
        for kind, words in {
            b"1": "odd is a hard link",
            b"2": "odd is a link",
            b"3": "odd is a device",
            b"4": "odd is a device",
            b"6": "odd is a pipe",
            b"7": "odd is of a kind",
            b"S": "odd is a sparse file",
            b"M": "odd is of a kind",
            b"Z": "odd is of a kind",
            b"\xff": "odd is of a kind",
        }.items()
    },
    "tar, through a link": Case(
        lambda: build_tar(TarEntry("l", b"", b"2", link=b".."), "l/outside"), "l is a link"
    ),
    "tar, sparse by key": Case(
        lambda: build_tar(
            pax_header(("GNU.sparse.major", b"1"), ("GNU.sparse.realsize", b"9" * 9)), "s"
        ),
        "s is a sparse file",
    ),
    "zip, twice": Case(lambda: build_zip("a", "b", "a"), "a is in it twice"),
    "tar, twice": Case(lambda: build_tar("a", "b", "a"), "a is in it twice"),
    "tar, twice by a dot": Case(lambda: build_tar("a", "./a"), "a is in it twice"),
    "zip, case": Case(
        lambda: build_zip("Bot.py", "bot.py"), "bot.py and Bot.py differ only in case"
    ),
    "tar, case of folders": Case(lambda: build_tar("A/x", "a/y"), "a and A differ only in case"),
    "zip, sharp s": Case(lambda: build_zip("straße", "STRASSE"), "differ only in case"),
    "zip, normalisation": Case(lambda: build_zip("caf\u00e9", "cafe\u0301"), "differ only in case"),
    "tar, ligature": Case(lambda: build_tar("ﬁle", "file"), "differ only in case"),
    "zip, file and folder": Case(lambda: build_zip("x", "x/y"), "x is both a file and a folder"),
    "tar, folder and file": Case(lambda: build_tar("x/y", "x"), "x is both a file and a folder"),
    "tar, folder over file": Case(
        lambda: build_tar("x", TarEntry("x", b"", b"5")), "both a file and"
    ),
    "zip, encrypted": Case(lambda: build_zip(ZipEntry("e", ENCRYPTED, flags=1)), "e is encrypted"),
    "zip, strongly": Case(lambda: build_zip(ZipEntry("e", flags=1 << 6 | 1)), "e is encrypted"),
    "zip, AES": Case(lambda: build_zip(ZipEntry("e", method=99)), "e is encrypted"),
    "zip, deflate64": Case(lambda: build_zip(ZipEntry("e", method=9)), "packed in a rare way"),
    "zip, zstd": Case(lambda: build_zip(ZipEntry("e", method=93)), "packed in a rare way"),
    "zip, more than said": Case(
        lambda: build_zip(ZipEntry("liar", LIAR, 8, size=10)), "liar is not as long as"
    ),
    "zip, less than said": Case(
        lambda: build_zip(ZipEntry("liar", LIAR, 8, size=5001)), "liar is not as long as"
    ),
    "zip, stored and lying": Case(
        lambda: build_zip(ZipEntry("liar", LIAR, size=10)), "liar is not as long as"
    ),
    "zip, wrong sum": Case(lambda: build_zip(ZipEntry("f", crc=1)), "f is damaged"),
    "zip, wrong stream": Case(
        lambda: build_zip(ZipEntry("f", LIAR, 8, packed=b"\xff" * 20)), "f is damaged"
    ),
    "zip, half a stream": Case(
        lambda: build_zip(ZipEntry("f", LIAR, 8, packed=deflate(LIAR)[:-4])), "f ends before it is"
    ),
    "zip, more than a stream": Case(
        lambda: build_zip(ZipEntry("f", LIAR, 8, packed=deflate(LIAR) + b"more")),
        "behind the end of f",
    ),
    "zip, wrong bzip2": Case(lambda: build_zip(ZipEntry("f", LIAR, 12)), "f is damaged"),
    "zip, hungry LZMA": Case(
        lambda: build_zip(ZipEntry("f", LIAR, 14, flags=2, packed=lzma_compress(LIAR, 0xFFFFFFFF))),
        "f takes more than 80 MiB of memory",
    ),
    "zip, LZMA of no settings": Case(
        lambda: build_zip(ZipEntry("f", LIAR, 14, flags=2, packed=lzma_compress(LIAR, None, 255))),
        "f is damaged",
    ),
    "zip, LZMA of no length": Case(lambda: build_zip(ZipEntry("f", b"", 14)), "f is damaged"),
    "zip, wrong LZMA": Case(
        lambda: build_zip(ZipEntry("f", LIAR, 14, packed=lzma_compress(LIAR)[:9] + LIAR)), "f "
    ),
    "zip, overlapping": Case(overlapping, "inner lies where another file is"),
    "zip, one stream for all": Case(kernel, "1 lies where another file is"),
    "zip, into the list": Case(
        lambda: build_zip("a", ZipEntry("b", packed_size=20)), "the list and b contradict"
    ),
    "zip, behind the list": Case(
        lambda: build_zip(ZipEntry("b", offset=10**6)), "list at its end is"
    ),
    "zip, two names": Case(
        lambda: build_zip(ZipEntry("good", local_name=b"evil")), "the list and good contradict"
    ),
    "zip, two methods": Case(
        lambda: build_zip(ZipEntry("good", local_method=8)), "the list and good contradict"
    ),
    "zip, bomb": Case(
        lambda: build_zip(*(ZipEntry(f"f{number}", ZEROS, 8) for number in range(20))),
        "more than 200 times its size",
    ),
    "zip, bzip2 bomb": Case(
        lambda: build_zip(ZipEntry("f", bytes(20 * MIB), 12, packed=bz2.compress(bytes(20 * MIB)))),
        "more than 200 times its size",
    ),
    "zip, LZMA bomb": Case(
        lambda: build_zip(
            ZipEntry("f", bytes(20 * MIB), 14, flags=2, packed=lzma_compress(bytes(20 * MIB)))
        ),
        "more than 200 times its size",
    ),
    "zip, big file": Case(
        lambda: build_zip(ZipEntry("big", bytes(MIB + 1), 8)), "big is bigger than 1 MiB", SMALL
    ),
    "zip, big in sum": Case(
        lambda: build_zip("a", *(ZipEntry(n, ZEROS) for n in "bcd")), "more than 2 MiB", SMALL
    ),
    "zip, crowd": Case(lambda: build_zip(*map(str, range(2001))), "more than 2000 files"),
    "zip, crowd of folders": Case(
        lambda: build_zip(*("/".join(map(str, range(n, n + 15))) for n in range(200))),
        "more than 2000 files",
    ),
    "zip, crowd left out": Case(
        lambda: build_zip("bot.yaml", *(f".git/{n}" for n in range(51))),
        "more than 50 files",
        SMALL,
    ),
    "zip, folder with content": Case(lambda: build_zip(ZipEntry("d/")), "d/ is a folder that has"),
    "zip, nothing": Case(build_zip, "no files in it"),
    "zip, folders only": Case(
        lambda: build_zip(ZipEntry("a/", b""), ZipEntry("b/", b"")), "no files"
    ),
    "zip, droppings only": Case(
        lambda: build_zip("__MACOSX/._a", ".DS_Store", ".git/HEAD", "a/__pycache__/b.pyc"),
        "no files",
    ),
    "zip, cut": Case(lambda: build_zip("a", "b", "c")[:-30], "list at its end is missing"),
    "zip, cut to its start": Case(lambda: build_zip("a")[:5], "list at its end is missing"),
    "zip, something behind": Case(lambda: build_zip("a") + b"more", "list at its end is missing"),
    "zip, wrong list": Case(
        lambda: build_zip("a", signature=b"PK\x01\x03"), "list at its end is dam"
    ),
    "zip, more in the list": Case(lambda: build_zip("a", entries=2), "list at its end is damaged"),
    "zip, less in the list": Case(lambda: build_zip("a", "b", entries=1), "list at its end is dam"),
    "zip, list elsewhere": Case(lambda: build_zip("a", start=3), "list at its end is damaged"),
    "zip, parts": Case(lambda: build_zip("a", disk=1), "one of several parts"),
    "zip, zip64": Case(lambda: build_zip("a", start=0xFFFFFFFF), "zip64"),
    "tar, wrong sum": Case(
        lambda: build_tar("a", TarEntry("b", checksum=b"000001\0 ")), "header of b is"
    ),
    "tar, no sum": Case(
        lambda: build_tar("a", TarEntry("b", checksum=b"\xff" * 8)), "header of b is"
    ),
    "tar, no size": Case(
        lambda: build_tar("a", TarEntry("b", size=b"-" + b"7" * 11)), "header of b is"
    ),
    "tar, huge size": Case(
        lambda: build_tar(TarEntry("b", size=b"7" * 11 + b"\0")), "ends before it is"
    ),
    "tar, binary size": Case(
        lambda: build_tar("a", TarEntry("b", size=b"\x80" + bytes(10) + b"\1")), "header of b is"
    ),
    "tar, negative size": Case(
        lambda: build_tar("a", TarEntry("b", size=b"\xff" * 12)), "header of b is damaged"
    ),
    "tar, no mode": Case(lambda: build_tar("a", TarEntry("b", mode=b"rw-r--r-")), "header of b is"),
    "tar, cut in a file": Case(lambda: build_tar(TarEntry("a", LIAR))[:2000], "ends before it is"),
    "tar, cut between": Case(lambda: build_tar("a", "b", end=b""), "ends before it is complete"),
    "tar, something behind": Case(
        lambda: build_tar("a") + build_tar("b"), "behind the end of the tar"
    ),
    "tar, file called a folder": Case(
        lambda: build_tar("a", "d/"), "d/ is a file with the name of"
    ),
    "tar, file called nothing": Case(
        lambda: build_tar("a", "./"), "./ is a file with the name of a"
    ),
    "tar, folder with content": Case(
        lambda: build_tar("a", TarEntry("d", b"x", b"5")), "header of d is damaged"
    ),
    "tar, name of nothing": Case(
        lambda: build_tar("a", gnu_long_name(b"b")), "behind the end of the tar"
    ),
    "tar, two long names": Case(
        lambda: build_tar(gnu_long_name(b"a"), gnu_long_name(b"b"), "c"), "damaged"
    ),
    "tar, two pax headers": Case(
        lambda: build_tar(pax_header(("path", b"a")), pax_header(("path", b"b")), "c"),
        "header of PaxHeader is",
    ),
    "tar, huge long name": Case(
        lambda: build_tar(TarEntry("@LongLink", size=b"7" * 11 + b"\0", kind=b"L")), "damaged"
    ),
    "pax, one name for all": Case(
        lambda: build_tar(pax_header(("path", b"../x"), kind=b"g"), "a"), "one name or size to all"
    ),
    "pax, one size for all": Case(
        lambda: build_tar(pax_header(("size", b"0"), kind=b"g"), "a"), "one name or size to all"
    ),
    "pax, more than there is": Case(
        lambda: build_tar(pax_header(("size", b"9" * 9)), "a"), "ends before it"
    ),
    "pax, less than there is": Case(
        lambda: build_tar(pax_header(("size", b"0")), TarEntry("a", b"junk")),
        "header of junk is damaged",
    ),
    "pax, negative size": Case(
        lambda: build_tar(pax_header(("size", b"-512")), "a"), "header of a is dam"
    ),
    "pax, endless size": Case(
        lambda: build_tar(pax_header(("size", b"9" * 5000)), "a"), "header of a is"
    ),
    "pax, no length": Case(
        lambda: build_tar(pax_header(b"path=a\n"), "a"), "header of PaxHeader is"
    ),
    "pax, length of zero": Case(
        lambda: build_tar(pax_header(b"0 path=a\n"), "a"), "header of PaxHeader is"
    ),
    "pax, length of more": Case(
        lambda: build_tar(pax_header(b"99 path=a\n"), "a"), "header of PaxHeader is"
    ),
    "pax, endless length": Case(
        lambda: build_tar(pax_header(b"9" * 5000 + b" path=a\n"), "a"), "header of PaxHeader is"
    ),
    "pax, many keys": Case(
        lambda: build_tar(pax_header(*((f"k{n}", b"") for n in range(101))), "a"),
        "header of PaxHeader is",
    ),
    "tar, crowd": Case(lambda: build_tar(*map(str, range(2001))), "more than 2000 files"),
    "tar, big file": Case(
        lambda: build_tar(TarEntry("big", bytes(MIB + 1))), "big is bigger than 1 MiB", SMALL
    ),
    "tar, big in sum": Case(
        lambda: build_tar(TarEntry("a", ZEROS), TarEntry("b", ZEROS)), "2 MiB", SMALL
    ),
    "tar, big though left out": Case(
        lambda: gzip_compress(build_tar("a", TarEntry(".git/a", bytes(3 * MIB)))),
        "more than 2 MiB",
        SMALL,
    ),
    "tar.gz, bomb": Case(lambda: gzip_compress(bomb()), "more than 200 times its size"),
    "tar.bz2, bomb": Case(lambda: bz2.compress(bomb()), "more than 200 times its size"),
    "tar.xz, bomb": Case(lambda: lzma.compress(bomb(), preset=0), "more than 200 times its size"),
    "tar.gz, bomb of zeros behind the end": Case(
        lambda: gzip_compress(build_tar("a") + bytes(20 * MIB)), "more than 200 times its size"
    ),
    "tar.gz, big in sum": Case(
        lambda: gzip_compress(bomb(65)), "more than 64 MiB", UnpackLimits(ratio=10_000)
    ),
    "tar.xz, hungry": Case(
        lambda: xz_with_huge_dictionary(build_tar("a")), "it takes more than 80 MiB of memory"
    ),
    "tar.gz, no tar": Case(lambda: gzip_compress(b"print('hello')\n" * 100), "is damaged"),
    "tar.gz, short": Case(lambda: gzip_compress(b"print('hello')\n"), "ends before it is complete"),
    "tar.gz, zip inside": Case(lambda: gzip_compress(build_zip("a") * 9), "is damaged"),
    "tar.gz, nothing": Case(lambda: gzip_compress(bytes(10240)), "no files in it"),
    "tar.gz, of nothing": Case(lambda: gzip_compress(b""), "ends before it is complete"),
    "tar.gz, cut": Case(
        lambda: gzip_compress(build_tar("a", "b"))[:-12], "ends before it is complete"
    ),
    "tar.gz, wrong sum": Case(
        lambda: damaged(gzip_compress(build_tar("a")), -6), "it is damaged; pack and upload"
    ),
    "tar.gz, something behind": Case(
        lambda: gzip_compress(build_tar("a")) + b"more", "it is damaged"
    ),
    "tar.gz, something later": Case(
        lambda: gzip_compress(build_tar("a")) + bytes(9) + b"more", "behind"
    ),
    "tar.gz, many streams": Case(
        lambda: gzip_compress(build_tar("a")) + gzip_compress(b"") * 5000, "more than 4096 streams"
    ),
    "tar.bz2, cut": Case(lambda: bz2.compress(build_tar("a", "b"))[:-12], "ends before it"),
    "tar.bz2, wrong": Case(lambda: damaged(bz2.compress(build_tar("a")), 30), "it is damaged"),
    "tar.xz, cut": Case(lambda: lzma.compress(build_tar("a"))[:-20], "ends before it is"),
    "tar.xz, wrong": Case(lambda: damaged(lzma.compress(build_tar("a")), 40), "it is damaged"),
    "empty": Case(lambda: b"", "it is empty"),
    "big": Case(lambda: bytes(4 * MIB + 1), "bigger than 4 MiB", SMALL),
    "script, big": Case(lambda: b"#" * (MIB + 1), "bot.py is bigger than 1 MiB", SMALL, "bot.py"),
    **{
        f"script called {name!r}": Case(lambda: b"#!/bin/sh\n", "taken for a script", name=name)
        for name in ("", ".", "..", "a/..", ".bashrc", "-rf", "a b.py", "x\n", "b\0t.py", "é.py")
    },
    **{
        f"script called {name!r}": Case(lambda: b"x", "not every system can keep", name=name)
        for name in ("aux.py", "con", "bot.")
    },
    "script, long name": Case(lambda: b"x", "taken for a script", name="n" * 101),
    "7z": Case(lambda: b"7z\xbc\xaf\x27\x1c\x00\x04", "of the kind 7z; pack it as zip"),
    "RAR": Case(lambda: b"Rar!\x1a\x07\x01\x00", "of the kind RAR"),
    "zstd": Case(lambda: b"\x28\xb5\x2f\xfd\x00", "of the kind zstd"),
}
