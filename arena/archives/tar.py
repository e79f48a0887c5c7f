"""Read tar archives and their headers strictly."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from arena.archives.decompress import ByteSource
from arena.archives.extract import raw_name_text
from arena.archives.limits import FILE_KIND, FOLDER_KIND, ArchiveEntry, BadArchive, UnpackBudget

BLOCK_SIZE = 512
CHECKSUM = slice(148, 156)
USTAR = b"ustar\x0000"
OCTAL = re.compile(rb" *([0-7]+)[ \0]*")
LENGTH = re.compile(rb"([1-9][0-9]{0,6}) ")

MAX_RECORDS = 100
"""Records of one header; some tools add the extended attributes of a file."""

SPARSE_PREFIXES = (b"GNU.sparse.", b"SCHILY.realsize")
"""How the keys begin of files that are bigger than what is packed of them."""


class TarHeader(NamedTuple):
    """The fields of a header block."""

    name: bytes
    mode: int
    size: int
    kind: bytes


def parse_header(block: bytes) -> TarHeader:
    """Parse a header block, whose checksum has to be right."""
    name = parse_text(block[:100])
    if parse_number(block[CHECKSUM], name) != sum(block) - sum(block[CHECKSUM]) + 8 * ord(" "):
        raise damaged_header(name)
    if block[257:265] == USTAR and (prefix := parse_text(block[345:500])):
        name = prefix + b"/" + name
    return TarHeader(
        name, parse_number(block[100:108], name), parse_number(block[124:136], name), block[156:157]
    )


def is_header(block: bytes) -> bool:
    """Whether a block is a valid header of a tar archive."""
    try:
        return len(block) == BLOCK_SIZE and bool(parse_header(block))
    except BadArchive:
        return False


def parse_text(field: bytes) -> bytes:
    """A text in a block, which ends with a zero unless it fills its field."""
    return field.partition(b"\0")[0]


def parse_number(field: bytes, name: bytes) -> int:
    """A number in a block; some files that are too big anyway have it in another form."""
    found = OCTAL.fullmatch(field)
    if found is None:
        raise damaged_header(name)
    return int(found[1], 8)


def parse_records(raw: bytes, name: bytes) -> dict[bytes, bytes]:
    """Parse the records of an extended header; each begins with its own length."""
    records: dict[bytes, bytes] = {}
    place = 0
    while place < len(raw):
        found = LENGTH.match(raw, place)
        end = place + int(found[1]) if found else len(raw) + 1
        record = raw[found.end() if found else end : end]
        key, equals, value = record.removesuffix(b"\n").partition(b"=")
        if end > len(raw) or not (equals and record.endswith(b"\n")) or len(records) == MAX_RECORDS:
            raise damaged_header(name)
        records[key] = value
        place = end
    return records


def apply_records(header: TarHeader, records: dict[bytes, bytes]) -> TarHeader:
    """Return a header with the values that extended headers have for the same entry."""
    size = records.get(b"size", b"%d" % header.size)
    if not size.isdigit() or len(size) > 12:
        raise damaged_header(header.name)
    return header._replace(name=records.get(b"path", header.name), size=int(size))


def is_sparse(records: dict[bytes, bytes]) -> bool:
    """Whether the records of an extended header describe a sparse file."""
    return any(key.startswith(SPARSE_PREFIXES) for key in records)


def damaged_header(name: bytes) -> BadArchive:
    """The error of a header that cannot be right."""
    entry = raw_name_text(name) or "an entry without a name"
    return BadArchive(f"the header of {entry} is damaged; pack and upload it again")


LONG_NAME, LONG_LINK, PAX_NEXT, PAX_GLOBAL = b"L", b"K", b"x", b"g"
"""The kinds of extended headers: of the next entry, or (PAX_GLOBAL) of all entries."""

MAX_EXTENDED_HEADER = 1 << 20
"""Bytes of an extended header."""

ENTRY_KINDS = {
    b"0": FILE_KIND,
    b"\0": FILE_KIND,
    b"5": FOLDER_KIND,
    b"1": "a hard link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a pipe",
    b"S": "a sparse file",
}


def read_entries(source: ByteSource, budget: UnpackBudget) -> Iterator[ArchiveEntry]:
    """Read the entries of an archive, up to the zeros that are its end."""
    pending_records: dict[bytes, dict[bytes, bytes]] = {}
    while any(block := source.read(BLOCK_SIZE)):
        budget.count_entry()
        header = parse_header(block)
        if header.kind in {LONG_NAME, LONG_LINK, PAX_NEXT, PAX_GLOBAL}:
            if header.kind in pending_records:
                raise damaged_header(header.name)
            records = read_extended_header(header, source)
            if header.kind != PAX_GLOBAL:
                pending_records[header.kind] = records
            continue
        records = {key: value for each in pending_records.values() for key, value in each.items()}
        header = apply_records(header, records)
        what = "a sparse file" if is_sparse(records) else entry_kind(header)
        pending_records = {}
        content = source.read_pieces(header.size)
        yield ArchiveEntry(header.name, what, bool(header.mode & 0o100), content)
        if header.size and what != FILE_KIND:
            raise damaged_header(header.name)
        for _ in content:  # content that the caller did not read
            pass
        source.skip(-header.size % BLOCK_SIZE)
    if pending_records or not source.has_only_zeros():
        raise BadArchive("there is something behind the end of the tar archive; pack it again")


def entry_kind(header: TarHeader) -> str:
    """Return the kind of an entry; in the oldest format a slash at the end marks a folder."""
    if header.kind == b"\0" and header.name.endswith(b"/"):
        return FOLDER_KIND
    return ENTRY_KINDS.get(header.kind, "of a kind that only few programs know")


def read_extended_header(header: TarHeader, source: ByteSource) -> dict[bytes, bytes]:
    """Read the records of an extended header, by key."""
    if header.size > MAX_EXTENDED_HEADER:
        raise damaged_header(header.name)
    raw = source.read(header.size)
    source.skip(-header.size % BLOCK_SIZE)
    if header.kind == LONG_LINK:
        return {}  # links are refused, wherever they lead
    if header.kind == LONG_NAME:
        return {b"path": raw.removesuffix(b"\0")}
    records = parse_records(raw, header.name)
    if header.kind == PAX_GLOBAL and (records.keys() & {b"path", b"size"} or is_sparse(records)):
        raise BadArchive("it gives one name or size to all of its files; pack it again")
    return records
