"""Unpack an upload in a child process with limited memory, CPU time and file size."""

import re
import resource
import signal
import sys
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from arena.archives import tar
from arena.archives import zip as archives_zip
from arena.archives.decompress import DECODERS, ByteSource, decompress_all, split_stored
from arena.archives.extract import (
    ExtractionTree,
    check_portable,
    is_tool_file,
    parse_path,
    raw_name_text,
)
from arena.archives.limits import (
    FILE_KIND,
    FOLDER_KIND,
    ArchiveEntry,
    BadArchive,
    UnpackBudget,
    UnpackLimits,
    format_bytes,
)
from arena.archives.tar import BLOCK_SIZE, is_header
from arena.bots.bootstrap import lower_rlimits
from arena.bots.reaper import die_with_parent

SCRIPT = "script"
SCRIPT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What a script may be called."""

SIGNATURES = {
    "zip": re.compile(rb"PK\x03\x04|PK\x05\x06"),
    "tar.gz": re.compile(rb"\x1f\x8b\x08"),
    "tar.bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)"),
    "tar.xz": re.compile(rb"\xfd7zXZ\x00"),
}
"""How the kinds begin that are unpacked."""

UNSUPPORTED_SIGNATURES = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "RAR",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "LZ4",
    b"LZIP\x01": "lzip",
    b"\x1f\x9d": "compress",
    b"MSCF\x00": "cabinet",
    b"PK\x07\x08": "split zip",
}
"""How other archives begin, which are not scripts either."""


MIN_FILE_LIMIT = 64 << 10
"""Bytes that may be written to stdout and stderr, however small files have to be."""


class UnpackOrder(Struct, frozen=True):
    """The order to unpack the upload on stdin."""

    folder: int
    """The number of the open folder that is to be filled."""
    name: str
    """The upload's own, if a script may have it."""
    limits: UnpackLimits
    parent: int
    """The process that is waiting."""


class UnpackResult(Struct, frozen=True, omit_defaults=True):
    """The result of unpacking."""

    kind: str = ""
    files: int = 0
    size: int = 0
    rejection: str = ""
    """Why the upload is rejected; empty if it is not."""
    failure: str = ""
    """Why unpacking failed on this machine; empty if it did not."""


def main() -> None:
    """Unpack stdin as the first argument says, and answer on stdout."""
    order = msgspec.json.decode(sys.argv[1], type=UnpackOrder)
    die_with_parent(order.parent, signal.SIGKILL)
    lower_rlimits(
        {
            resource.RLIMIT_AS: order.limits.memory,
            resource.RLIMIT_CPU: order.limits.cpu,
            resource.RLIMIT_FSIZE: max(order.limits.file, MIN_FILE_LIMIT),
            resource.RLIMIT_NOFILE: 64,
            resource.RLIMIT_NPROC: 0,
            resource.RLIMIT_CORE: 0,
        }
    )
    try:
        upload = sys.stdin.buffer.read(order.limits.size + 1)
        answer = unpack_bytes(upload, order.name, order.folder, order.limits)
    except BadArchive as error:
        answer = UnpackResult(rejection=str(error))
    except MemoryError:
        memory = format_bytes(order.limits.memory)
        answer = UnpackResult(
            rejection=f"it takes more than {memory} of memory to unpack; pack it simply"
        )
    except OSError as error:
        answer = UnpackResult(failure=error.strerror or str(error))
    sys.stdout.buffer.write(msgspec.json.encode(answer))


def unpack_bytes(upload: bytes, name: str, folder: int, limits: UnpackLimits) -> UnpackResult:
    """Unpack an upload into an open folder that is empty."""
    kind = detect_kind(upload, limits)
    tree = ExtractionTree(folder, limits)
    if kind == SCRIPT:
        if not SCRIPT_NAME.fullmatch(name):
            raise BadArchive(
                "it is taken for a script, whose name has to consist of letters, digits, dots, "
                "dashes and underscores; rename it, or upload a zip or tar.gz archive"
            )
        check_portable((name,))
        tree.write_file((name,), split_stored(memoryview(upload)), is_executable=None)
    else:
        for entry in read_entries(kind, memoryview(upload), limits):
            extract_entry(tree, entry)
    if not tree.file_count:
        raise BadArchive("there are no files in it; pack the bot's folder and upload that")
    return UnpackResult(kind, tree.file_count, tree.total_bytes)


def detect_kind(upload: bytes, limits: UnpackLimits) -> str:
    """Detect the kind of an upload by its first bytes."""
    if len(upload) > limits.size:
        raise BadArchive(f"it is bigger than {format_bytes(limits.size)}; make it smaller")
    if not upload:
        raise BadArchive("it is empty; choose another file")
    for begin, program in UNSUPPORTED_SIGNATURES.items():
        if upload.startswith(begin):
            raise BadArchive(f"it is an archive of the kind {program}; pack it as zip or tar.gz")
    for kind, begins in SIGNATURES.items():
        if begins.match(upload):
            return kind
    return "tar" if is_header(upload[:BLOCK_SIZE]) else SCRIPT


def read_entries(kind: str, upload: memoryview, limits: UnpackLimits) -> Iterator[ArchiveEntry]:
    """Read the entries of an archive of this kind."""
    budget = UnpackBudget(len(upload), limits)
    if kind == "zip":
        return archives_zip.read_entries(upload, budget)
    pieces = decompress_all(upload, DECODERS[kind]) if kind in DECODERS else split_stored(upload)
    return tar.read_entries(ByteSource(budget.count_bytes(pieces)), budget)


def extract_entry(tree: ExtractionTree, entry: ArchiveEntry) -> None:
    """Unpack an entry, unless a tool has left it behind."""
    path = parse_path(entry.name, tree.limits)
    if is_tool_file(path):
        return
    check_portable(path)
    if entry.kind == FOLDER_KIND:
        tree.make_folder(path)
    elif entry.kind != FILE_KIND:
        raise BadArchive(
            f"{raw_name_text(entry.name)} is {entry.kind}; put a file or a folder in its place"
        )
    elif not path or entry.name.endswith(b"/"):
        raise BadArchive(
            f"{raw_name_text(entry.name)} is a file with the name of a folder; pack it again"
        )
    else:
        tree.write_file(path, entry.content, is_executable=entry.is_executable)
