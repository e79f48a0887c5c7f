"""The unpacking of an upload, in a process of its own that may use little and answers briefly."""

import re
import resource
import signal
import sys
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from arena.bots.guard import die_with_parent
from arena.ladder.uploads import tars, zips
from arena.ladder.uploads.allowance import Allowed, BadArchive, Budget, amount
from arena.ladder.uploads.entry import FILE, FOLDER, Entry
from arena.ladder.uploads.header import BLOCK, is_header
from arena.ladder.uploads.names import check_portable, is_left_out, path_of, told
from arena.ladder.uploads.source import Source
from arena.ladder.uploads.streams import COMPRESSED, joined, sliced
from arena.ladder.uploads.tree import Tree

SCRIPT = "script"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What a script may be called."""

BEGINNINGS = {
    "zip": re.compile(rb"PK\x03\x04|PK\x05\x06"),
    "tar.gz": re.compile(rb"\x1f\x8b\x08"),
    "tar.bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)"),
    "tar.xz": re.compile(rb"\xfd7zXZ\x00"),
}
"""How the kinds begin that are unpacked."""

FOREIGN = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "RAR",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "LZ4",
    b"LZIP\x01": "lzip",
    b"\x1f\x9d": "compress",
    b"MSCF\x00": "cabinet",
    b"PK\x07\x08": "split zip",
}
"""How other archives begin, which are no scripts either."""


SAID = 64 << 10
"""Bytes that may be written to stdout and stderr, however small files have to be."""


class Order(Struct, frozen=True):
    """What is to be done with the upload on stdin."""

    folder: int
    """The number of the open folder that is to be filled."""
    name: str
    """The upload's own, if a script may have it."""
    allowed: Allowed
    parent: int
    """The process that is waiting."""


class Answer(Struct, frozen=True, omit_defaults=True):
    """What came of it."""

    kind: str = ""
    files: int = 0
    size: int = 0
    refused: str = ""
    """What is wrong with the upload."""
    failed: str = ""
    """What is wrong here."""


def main() -> None:
    """Unpack stdin as the first argument says, and answer on stdout."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    die_with_parent(order.parent, signal.SIGKILL)
    limit(order.allowed)
    try:
        upload = sys.stdin.buffer.read(order.allowed.size + 1)
        answer = unpack(upload, order.name, order.folder, order.allowed)
    except BadArchive as error:
        answer = Answer(refused=str(error))
    except MemoryError:
        memory = amount(order.allowed.memory)
        answer = Answer(refused=f"it takes more than {memory} of memory to unpack; pack it simply")
    except OSError as error:
        answer = Answer(failed=error.strerror or str(error))
    sys.stdout.buffer.write(msgspec.json.encode(answer))


def limit(allowed: Allowed) -> None:
    """Have the kernel hold this process to what it may use, before it reads anything."""
    for kind, most in {
        resource.RLIMIT_AS: allowed.memory,
        resource.RLIMIT_CPU: allowed.cpu,
        resource.RLIMIT_FSIZE: max(allowed.file, SAID),
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_CORE: 0,
    }.items():
        _, hard = resource.getrlimit(kind)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, hard if kind == resource.RLIMIT_CPU else least))


def unpack(upload: bytes, name: str, folder: int, allowed: Allowed) -> Answer:
    """Fill an open folder that is empty with what an upload holds."""
    kind = kind_of(upload, allowed)
    tree = Tree(folder, allowed)
    if kind == SCRIPT:
        if not NAME.fullmatch(name):
            raise BadArchive(
                "it is taken for a script, whose name has to consist of letters, digits, dots, "
                "dashes and underscores; rename it, or upload a zip or tar.gz archive"
            )
        check_portable((name,))
        tree.file((name,), sliced(memoryview(upload)), executable=None)
    else:
        for entry in entries(kind, memoryview(upload), allowed):
            put(tree, entry)
    if not tree.files:
        raise BadArchive("there are no files in it; pack the bot's folder and upload that")
    return Answer(kind, tree.files, tree.size)


def kind_of(upload: bytes, allowed: Allowed) -> str:
    """What an upload is, by how it begins."""
    if len(upload) > allowed.size:
        raise BadArchive(f"it is bigger than {amount(allowed.size)}; make it smaller")
    if not upload:
        raise BadArchive("it is empty; choose another file")
    for begin, program in FOREIGN.items():
        if upload.startswith(begin):
            raise BadArchive(f"it is an archive of the kind {program}; pack it as zip or tar.gz")
    for kind, begins in BEGINNINGS.items():
        if begins.match(upload):
            return kind
    return "tar" if is_header(upload[:BLOCK]) else SCRIPT


def entries(kind: str, upload: memoryview, allowed: Allowed) -> Iterator[Entry]:
    """Everything in an archive of this kind."""
    budget = Budget(len(upload), allowed)
    if kind == "zip":
        return zips.entries(upload, budget)
    pieces = joined(upload, COMPRESSED[kind]) if kind in COMPRESSED else sliced(upload)
    return tars.entries(Source(budget.counted(pieces)), budget)


def put(tree: Tree, entry: Entry) -> None:
    """Unpack an entry, unless a tool has left it behind."""
    path = path_of(entry.name, tree.allowed)
    if is_left_out(path):
        return
    check_portable(path)
    if entry.what == FOLDER:
        tree.folder(path)
    elif entry.what != FILE:
        raise BadArchive(f"{told(entry.name)} is {entry.what}; put a file or a folder in its place")
    elif not path or entry.name.endswith(b"/"):
        raise BadArchive(f"{told(entry.name)} is a file with the name of a folder; pack it again")
    else:
        tree.file(path, entry.content, executable=entry.executable)
