"""The headers of tar archives: blocks, and what stands in longer ones about the next entry."""

import re
from typing import NamedTuple

from arena.ladder.uploads.allowance import BadArchive
from arena.ladder.uploads.names import told

BLOCK = 512
CHECKSUM = slice(148, 156)
USTAR = b"ustar\x0000"
OCTAL = re.compile(rb" *([0-7]+)[ \0]*")
LENGTH = re.compile(rb"([1-9][0-9]{0,6}) ")

RECORDS = 100
"""Keys in one header; some tools put in what a file system keeps beside a file."""

SPARSE = (b"GNU.sparse.", b"SCHILY.realsize")
"""How the keys begin of files that are bigger than what is packed of them."""


class Header(NamedTuple):
    """What a block says."""

    name: bytes
    mode: int
    size: int
    kind: bytes


def read(block: bytes) -> Header:
    """What a block says; its sum has to be right."""
    name = text(block[:100])
    if number(block[CHECKSUM], name) != sum(block) - sum(block[CHECKSUM]) + 8 * ord(" "):
        raise damaged(name)
    if block[257:265] == USTAR and (prefix := text(block[345:500])):
        name = prefix + b"/" + name
    return Header(name, number(block[100:108], name), number(block[124:136], name), block[156:157])


def is_header(block: bytes) -> bool:
    """Whether a tar archive begins like this."""
    try:
        return len(block) == BLOCK and bool(read(block))
    except BadArchive:
        return False


def text(field: bytes) -> bytes:
    """A text in a block, which ends with a zero unless it fills its field."""
    return field.partition(b"\0")[0]


def number(field: bytes, name: bytes) -> int:
    """A number in a block; some files that are too big anyway have it in another form."""
    found = OCTAL.fullmatch(field)
    if found is None:
        raise damaged(name)
    return int(found[1], 8)


def records(raw: bytes, name: bytes) -> dict[bytes, bytes]:
    """The keys of a longer header and their values; each record begins with its own length."""
    said: dict[bytes, bytes] = {}
    place = 0
    while place < len(raw):
        found = LENGTH.match(raw, place)
        end = place + int(found[1]) if found else len(raw) + 1
        record = raw[found.end() if found else end : end]
        key, equals, value = record.removesuffix(b"\n").partition(b"=")
        if end > len(raw) or not (equals and record.endswith(b"\n")) or len(said) == RECORDS:
            raise damaged(name)
        said[key] = value
        place = end
    return said


def amended(header: Header, said: dict[bytes, bytes]) -> Header:
    """A header with what longer ones say about the same entry."""
    size = said.get(b"size", b"%d" % header.size)
    if not size.isdigit() or len(size) > 12:
        raise damaged(header.name)
    return header._replace(name=said.get(b"path", header.name), size=int(size))


def is_sparse(said: dict[bytes, bytes]) -> bool:
    """Whether a longer header tells of a sparse file."""
    return any(key.startswith(SPARSE) for key in said)


def damaged(name: bytes) -> BadArchive:
    """The error of a header that cannot be right."""
    entry = told(name) or "an entry without a name"
    return BadArchive(f"the header of {entry} is damaged; pack and upload it again")
