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
    Item,
    Member,
    deflated,
    gzipped,
    hungry,
    long_name,
    lzma_packed,
    pax,
    tarred,
    zipped,
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
    inner = zipped("inner")[: 30 + 5 + 1]
    return zipped(Member("outer", inner), Member("inner", offset=30 + 5))


def kernel() -> bytes:
    """A thousand entries that share one stream of zeros."""
    shared = Member("0", ZEROS, 8)
    others = [Member(str(number), ZEROS, 8, packed=b"", offset=0) for number in range(1, 1000)]
    return zipped(shared, *others)


def bomb(count: int = 20) -> bytes:
    """A tar archive of zeros."""
    return tarred(*(Item(f"f{number}", ZEROS) for number in range(count)))


def damaged(content: bytes, place: int) -> bytes:
    """The same with one other byte."""
    changed = bytearray(content)
    changed[place] ^= 0x55
    return bytes(changed)


def names(text: str | bytes) -> dict[str, Callable[[], bytes]]:
    """An archive of each kind with an entry of this name."""
    raw = text.encode() if isinstance(text, str) else text
    return {
        "zip": lambda: zipped("good", Member(raw)),
        "tar": lambda: tarred("good", Item(raw)),
        "pax": lambda: gzipped(tarred("good", pax(("path", raw)), Item("fine"))),
        "gnu": lambda: tarred("good", long_name(raw), Item("fine")),
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
    "zip, name: none": Case(lambda: zipped("good", ""), "names no file"),
    "zip, name: zero": Case(lambda: zipped("good.py\0.png"), "do not show"),
    "gnu, name: zero": Case(lambda: tarred(long_name(b"a\0b"), "fine"), "do not show"),
    "pax, name: zero": Case(lambda: tarred(pax(("path", b"a\0b")), "fine"), "do not show"),
    "tar, name: none": Case(lambda: tarred("good", ""), "names no file"),
    "tar, name: prefix": Case(lambda: tarred(Item("x", prefix=b"../..")), "leads out of"),
    "tar, name: rooted prefix": Case(lambda: tarred(Item("x", prefix=b"/etc")), "absolute"),
    "zip, link": Case(
        lambda: zipped("good", Member("l", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)),
        "l is a link; put a file",
    ),
    "zip, pipe": Case(lambda: zipped(Member("p", mode=stat.S_IFIFO | 0o644)), "p is a pipe"),
    "zip, device": Case(lambda: zipped(Member("d", mode=stat.S_IFCHR | 0o644)), "d is a device"),
    "zip, socket": Case(lambda: zipped(Member("s", mode=stat.S_IFSOCK)), "a device or a socket"),
    "zip, through a link": Case(
        lambda: zipped(Member("l", b"..", mode=stat.S_IFLNK | 0o777), "l/outside"), "l is a link"
    ),
    **{
        f"tar, kind {kind!r}": Case(partial(tarred, "good", Item("odd", b"", kind)), words)
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
        lambda: tarred(Item("l", b"", b"2", link=b".."), "l/outside"), "l is a link"
    ),
    "tar, sparse by key": Case(
        lambda: tarred(pax(("GNU.sparse.major", b"1"), ("GNU.sparse.realsize", b"9" * 9)), "s"),
        "s is a sparse file",
    ),
    "zip, twice": Case(lambda: zipped("a", "b", "a"), "a is in it twice"),
    "tar, twice": Case(lambda: tarred("a", "b", "a"), "a is in it twice"),
    "tar, twice by a dot": Case(lambda: tarred("a", "./a"), "a is in it twice"),
    "zip, case": Case(lambda: zipped("Bot.py", "bot.py"), "bot.py and Bot.py differ only in case"),
    "tar, case of folders": Case(lambda: tarred("A/x", "a/y"), "a and A differ only in case"),
    "zip, sharp s": Case(lambda: zipped("straße", "STRASSE"), "differ only in case"),
    "zip, normalisation": Case(lambda: zipped("caf\u00e9", "cafe\u0301"), "differ only in case"),
    "tar, ligature": Case(lambda: tarred("ﬁle", "file"), "differ only in case"),
    "zip, file and folder": Case(lambda: zipped("x", "x/y"), "x is both a file and a folder"),
    "tar, folder and file": Case(lambda: tarred("x/y", "x"), "x is both a file and a folder"),
    "tar, folder over file": Case(lambda: tarred("x", Item("x", b"", b"5")), "both a file and"),
    "zip, encrypted": Case(lambda: zipped(Member("e", ENCRYPTED, flags=1)), "e is encrypted"),
    "zip, strongly": Case(lambda: zipped(Member("e", flags=1 << 6 | 1)), "e is encrypted"),
    "zip, AES": Case(lambda: zipped(Member("e", method=99)), "e is encrypted"),
    "zip, deflate64": Case(lambda: zipped(Member("e", method=9)), "packed in a rare way"),
    "zip, zstd": Case(lambda: zipped(Member("e", method=93)), "packed in a rare way"),
    "zip, more than said": Case(
        lambda: zipped(Member("liar", LIAR, 8, size=10)), "liar is not as long as"
    ),
    "zip, less than said": Case(
        lambda: zipped(Member("liar", LIAR, 8, size=5001)), "liar is not as long as"
    ),
    "zip, stored and lying": Case(
        lambda: zipped(Member("liar", LIAR, size=10)), "liar is not as long as"
    ),
    "zip, wrong sum": Case(lambda: zipped(Member("f", crc=1)), "f is damaged"),
    "zip, wrong stream": Case(
        lambda: zipped(Member("f", LIAR, 8, packed=b"\xff" * 20)), "f is damaged"
    ),
    "zip, half a stream": Case(
        lambda: zipped(Member("f", LIAR, 8, packed=deflated(LIAR)[:-4])), "f ends before it is"
    ),
    "zip, more than a stream": Case(
        lambda: zipped(Member("f", LIAR, 8, packed=deflated(LIAR) + b"more")), "behind the end of f"
    ),
    "zip, wrong bzip2": Case(lambda: zipped(Member("f", LIAR, 12)), "f is damaged"),
    "zip, hungry LZMA": Case(
        lambda: zipped(Member("f", LIAR, 14, flags=2, packed=lzma_packed(LIAR, 0xFFFFFFFF))),
        "f takes more than 80 MiB of memory",
    ),
    "zip, LZMA of no settings": Case(
        lambda: zipped(Member("f", LIAR, 14, flags=2, packed=lzma_packed(LIAR, None, 255))),
        "f is damaged",
    ),
    "zip, LZMA of no length": Case(lambda: zipped(Member("f", b"", 14)), "f is damaged"),
    "zip, wrong LZMA": Case(
        lambda: zipped(Member("f", LIAR, 14, packed=lzma_packed(LIAR)[:9] + LIAR)), "f "
    ),
    "zip, overlapping": Case(overlapping, "inner lies where another file is"),
    "zip, one stream for all": Case(kernel, "1 lies where another file is"),
    "zip, into the list": Case(
        lambda: zipped("a", Member("b", packed_size=20)), "the list and b contradict"
    ),
    "zip, behind the list": Case(lambda: zipped(Member("b", offset=10**6)), "list at its end is"),
    "zip, two names": Case(
        lambda: zipped(Member("good", local_name=b"evil")), "the list and good contradict"
    ),
    "zip, two methods": Case(
        lambda: zipped(Member("good", local_method=8)), "the list and good contradict"
    ),
    "zip, bomb": Case(
        lambda: zipped(*(Member(f"f{number}", ZEROS, 8) for number in range(20))),
        "more than 200 times its size",
    ),
    "zip, bzip2 bomb": Case(
        lambda: zipped(Member("f", bytes(20 * MIB), 12, packed=bz2.compress(bytes(20 * MIB)))),
        "more than 200 times its size",
    ),
    "zip, LZMA bomb": Case(
        lambda: zipped(
            Member("f", bytes(20 * MIB), 14, flags=2, packed=lzma_packed(bytes(20 * MIB)))
        ),
        "more than 200 times its size",
    ),
    "zip, big file": Case(
        lambda: zipped(Member("big", bytes(MIB + 1), 8)), "big is bigger than 1 MiB", SMALL
    ),
    "zip, big in sum": Case(
        lambda: zipped("a", *(Member(n, ZEROS) for n in "bcd")), "more than 2 MiB", SMALL
    ),
    "zip, crowd": Case(lambda: zipped(*map(str, range(2001))), "more than 2000 files"),
    "zip, crowd of folders": Case(
        lambda: zipped(*("/".join(map(str, range(n, n + 15))) for n in range(200))),
        "more than 2000 files",
    ),
    "zip, crowd left out": Case(
        lambda: zipped("bot.yaml", *(f".git/{n}" for n in range(51))), "more than 50 files", SMALL
    ),
    "zip, folder with content": Case(lambda: zipped(Member("d/")), "d/ is a folder that has"),
    "zip, nothing": Case(zipped, "no files in it"),
    "zip, folders only": Case(lambda: zipped(Member("a/", b""), Member("b/", b"")), "no files"),
    "zip, droppings only": Case(
        lambda: zipped("__MACOSX/._a", ".DS_Store", ".git/HEAD", "a/__pycache__/b.pyc"), "no files"
    ),
    "zip, cut": Case(lambda: zipped("a", "b", "c")[:-30], "list at its end is missing"),
    "zip, cut to its start": Case(lambda: zipped("a")[:5], "list at its end is missing"),
    "zip, something behind": Case(lambda: zipped("a") + b"more", "list at its end is missing"),
    "zip, wrong list": Case(lambda: zipped("a", signature=b"PK\x01\x03"), "list at its end is dam"),
    "zip, more in the list": Case(lambda: zipped("a", entries=2), "list at its end is damaged"),
    "zip, less in the list": Case(lambda: zipped("a", "b", entries=1), "list at its end is dam"),
    "zip, list elsewhere": Case(lambda: zipped("a", start=3), "list at its end is damaged"),
    "zip, parts": Case(lambda: zipped("a", disk=1), "one of several parts"),
    "zip, zip64": Case(lambda: zipped("a", start=0xFFFFFFFF), "zip64"),
    "tar, wrong sum": Case(lambda: tarred("a", Item("b", checksum=b"000001\0 ")), "header of b is"),
    "tar, no sum": Case(lambda: tarred("a", Item("b", checksum=b"\xff" * 8)), "header of b is"),
    "tar, no size": Case(lambda: tarred("a", Item("b", size=b"-" + b"7" * 11)), "header of b is"),
    "tar, huge size": Case(lambda: tarred(Item("b", size=b"7" * 11 + b"\0")), "ends before it is"),
    "tar, binary size": Case(
        lambda: tarred("a", Item("b", size=b"\x80" + bytes(10) + b"\1")), "header of b is"
    ),
    "tar, negative size": Case(
        lambda: tarred("a", Item("b", size=b"\xff" * 12)), "header of b is damaged"
    ),
    "tar, no mode": Case(lambda: tarred("a", Item("b", mode=b"rw-r--r-")), "header of b is"),
    "tar, cut in a file": Case(lambda: tarred(Item("a", LIAR))[:2000], "ends before it is"),
    "tar, cut between": Case(lambda: tarred("a", "b", end=b""), "ends before it is complete"),
    "tar, something behind": Case(lambda: tarred("a") + tarred("b"), "behind the end of the tar"),
    "tar, file called a folder": Case(lambda: tarred("a", "d/"), "d/ is a file with the name of"),
    "tar, file called nothing": Case(lambda: tarred("a", "./"), "./ is a file with the name of a"),
    "tar, folder with content": Case(
        lambda: tarred("a", Item("d", b"x", b"5")), "header of d is damaged"
    ),
    "tar, name of nothing": Case(lambda: tarred("a", long_name(b"b")), "behind the end of the tar"),
    "tar, two long names": Case(lambda: tarred(long_name(b"a"), long_name(b"b"), "c"), "damaged"),
    "tar, two pax headers": Case(
        lambda: tarred(pax(("path", b"a")), pax(("path", b"b")), "c"), "header of PaxHeader is"
    ),
    "tar, huge long name": Case(
        lambda: tarred(Item("@LongLink", size=b"7" * 11 + b"\0", kind=b"L")), "damaged"
    ),
    "pax, one name for all": Case(
        lambda: tarred(pax(("path", b"../x"), kind=b"g"), "a"), "one name or size to all"
    ),
    "pax, one size for all": Case(
        lambda: tarred(pax(("size", b"0"), kind=b"g"), "a"), "one name or size to all"
    ),
    "pax, more than there is": Case(lambda: tarred(pax(("size", b"9" * 9)), "a"), "ends before it"),
    "pax, less than there is": Case(
        lambda: tarred(pax(("size", b"0")), Item("a", b"junk")), "header of junk is damaged"
    ),
    "pax, negative size": Case(lambda: tarred(pax(("size", b"-512")), "a"), "header of a is dam"),
    "pax, endless size": Case(lambda: tarred(pax(("size", b"9" * 5000)), "a"), "header of a is"),
    "pax, no length": Case(lambda: tarred(pax(b"path=a\n"), "a"), "header of PaxHeader is"),
    "pax, length of zero": Case(lambda: tarred(pax(b"0 path=a\n"), "a"), "header of PaxHeader is"),
    "pax, length of more": Case(lambda: tarred(pax(b"99 path=a\n"), "a"), "header of PaxHeader is"),
    "pax, endless length": Case(
        lambda: tarred(pax(b"9" * 5000 + b" path=a\n"), "a"), "header of PaxHeader is"
    ),
    "pax, many keys": Case(
        lambda: tarred(pax(*((f"k{n}", b"") for n in range(101))), "a"), "header of PaxHeader is"
    ),
    "tar, crowd": Case(lambda: tarred(*map(str, range(2001))), "more than 2000 files"),
    "tar, big file": Case(
        lambda: tarred(Item("big", bytes(MIB + 1))), "big is bigger than 1 MiB", SMALL
    ),
    "tar, big in sum": Case(lambda: tarred(Item("a", ZEROS), Item("b", ZEROS)), "2 MiB", SMALL),
    "tar, big though left out": Case(
        lambda: gzipped(tarred("a", Item(".git/a", bytes(3 * MIB)))), "more than 2 MiB", SMALL
    ),
    "tar.gz, bomb": Case(lambda: gzipped(bomb()), "more than 200 times its size"),
    "tar.bz2, bomb": Case(lambda: bz2.compress(bomb()), "more than 200 times its size"),
    "tar.xz, bomb": Case(lambda: lzma.compress(bomb(), preset=0), "more than 200 times its size"),
    "tar.gz, bomb of zeros behind the end": Case(
        lambda: gzipped(tarred("a") + bytes(20 * MIB)), "more than 200 times its size"
    ),
    "tar.gz, big in sum": Case(
        lambda: gzipped(bomb(65)), "more than 64 MiB", UnpackLimits(ratio=10_000)
    ),
    "tar.xz, hungry": Case(lambda: hungry(tarred("a")), "it takes more than 80 MiB of memory"),
    "tar.gz, no tar": Case(lambda: gzipped(b"print('hello')\n" * 100), "is damaged"),
    "tar.gz, short": Case(lambda: gzipped(b"print('hello')\n"), "ends before it is complete"),
    "tar.gz, zip inside": Case(lambda: gzipped(zipped("a") * 9), "is damaged"),
    "tar.gz, nothing": Case(lambda: gzipped(bytes(10240)), "no files in it"),
    "tar.gz, of nothing": Case(lambda: gzipped(b""), "ends before it is complete"),
    "tar.gz, cut": Case(lambda: gzipped(tarred("a", "b"))[:-12], "ends before it is complete"),
    "tar.gz, wrong sum": Case(
        lambda: damaged(gzipped(tarred("a")), -6), "it is damaged; pack and upload"
    ),
    "tar.gz, something behind": Case(lambda: gzipped(tarred("a")) + b"more", "it is damaged"),
    "tar.gz, something later": Case(lambda: gzipped(tarred("a")) + bytes(9) + b"more", "behind"),
    "tar.gz, many streams": Case(
        lambda: gzipped(tarred("a")) + gzipped(b"") * 5000, "more than 4096 streams"
    ),
    "tar.bz2, cut": Case(lambda: bz2.compress(tarred("a", "b"))[:-12], "ends before it"),
    "tar.bz2, wrong": Case(lambda: damaged(bz2.compress(tarred("a")), 30), "it is damaged"),
    "tar.xz, cut": Case(lambda: lzma.compress(tarred("a"))[:-20], "ends before it is"),
    "tar.xz, wrong": Case(lambda: damaged(lzma.compress(tarred("a")), 40), "it is damaged"),
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
