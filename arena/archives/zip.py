"""Read zip archives strictly."""

import bz2
import lzma
import zlib
from collections.abc import Iterator
from stat import S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, S_IXUSR
from struct import Struct
from typing import NamedTuple

from arena.archives.decompress import (
    MAX_DICTIONARY,
    Decoder,
    ZlibDecoder,
    decompress_one,
    large_dictionary,
    split_stored,
)
from arena.archives.extract import raw_name_text
from arena.archives.limits import FILE_KIND, FOLDER_KIND, ArchiveEntry, BadArchive, UnpackBudget

END, CENTRAL, LOCAL = Struct("<4s4H2LH"), Struct("<4s6H3L5H2L"), Struct("<4s5H3L2H")
MAX_COMMENT = 0xFFFF
"""Bytes of the longest comment behind the end."""

ZIP64_MARK = 0xFFFFFFFF
"""What stands where a number has no room; no archive that is small enough needs it."""

ENCRYPTED_FLAGS = 1 << 0 | 1 << 6 | 1 << 13
END_MARK_FLAG = 1 << 1
"""The flag of a stream of LZMA that marks its own end."""

STORED, DEFLATE, BZIP2, LZMA, AES = 0, 8, 12, 14, 99
LZMA_HEADER = Struct("<2BHBL")
"""What stands before a stream of LZMA."""

ENTRY_KINDS = {
    0: FILE_KIND,
    S_IFREG: FILE_KIND,
    S_IFDIR: FOLDER_KIND,
    S_IFLNK: "a link",
    S_IFIFO: "a pipe",
}


class ZipMember(NamedTuple):
    """An entry of the central directory, the list at the end of an archive."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    offset: int

    @property
    def printable_name(self) -> str:
        """Its name, for people."""
        return raw_name_text(self.name)


def read_entries(upload: memoryview, budget: UnpackBudget) -> Iterator[ArchiveEntry]:
    """Read the entries of an archive, in the order in which they lie there."""
    listing = find_directory(upload)
    end = 0
    for member in sorted(read_members(upload, listing, budget), key=lambda member: member.offset):
        if member.offset < end:
            raise BadArchive(f"{member.printable_name} lies where another file is; pack it again")
        start, end = content_extent(upload[: listing.start], member)
        content = budget.count_bytes(unpack_member(upload[start:end], member))
        executable = bool(member.mode & S_IXUSR) if member.mode else None
        yield ArchiveEntry(member.name, entry_kind(member), executable, content)


class CentralDirectory(NamedTuple):
    """The list at the end of an archive."""

    start: int
    end: int
    entry_count: int


def read_members(
    upload: memoryview, directory: CentralDirectory, budget: UnpackBudget
) -> Iterator[ZipMember]:
    """Read the entries of the central directory."""
    place, found = directory.start, 0
    while place < directory.end:
        budget.count_entry()
        if place + CENTRAL.size > directory.end:
            raise damaged_directory()
        fields = CENTRAL.unpack_from(upload, place)
        signature, _, _, flags, method, _, _, crc, packed, size, *lengths = fields[:13]
        attributes, offset = fields[15:]
        begin = place + CENTRAL.size
        place = begin + sum(lengths)
        if signature != b"PK\x01\x02" or place > directory.end:
            raise damaged_directory()
        name = bytes(upload[begin : begin + lengths[0]])
        yield ZipMember(name, flags, method, crc, packed, size, attributes >> 16, offset)
        found += 1
    if found != directory.entry_count:
        raise damaged_directory()


def find_directory(upload: memoryview) -> CentralDirectory:
    """Find the central directory by the record at the very end of an archive."""
    tail = max(0, len(upload) - END.size - MAX_COMMENT)
    last = bytes(upload[tail:])
    found = len(last)
    comment = -1
    while comment != len(last) - found - END.size:
        found = last.rfind(b"PK\x05\x06", 0, found + 3)
        if found < 0:
            raise BadArchive("the list at its end is missing; upload it again, and all of it")
        comment = int.from_bytes(last[found + END.size - 2 : found + END.size], "little")
    _, disk, first, here, count, size, start, _ = END.unpack_from(last, found)
    if ZIP64_MARK in {size, start} or count == MAX_COMMENT:
        raise BadArchive("it is written as zip64, for more than 4 GiB; pack it without that")
    if disk or first or here != count:
        raise BadArchive("it is one of several parts; pack it as one")
    if start + size != tail + found:
        raise damaged_directory()
    return CentralDirectory(start, start + size, count)


def content_extent(upload: memoryview, member: ZipMember) -> tuple[int, int]:
    """Where the content lies, by what stands before it, which has to agree with the list."""
    begin = member.offset + LOCAL.size
    if begin > len(upload):
        raise damaged_directory()
    signature, _, flags, method, *_, name, extra = LOCAL.unpack_from(upload, member.offset)
    start = begin + name + extra
    end = start + member.packed
    agrees = (
        signature == b"PK\x03\x04"
        and bytes(upload[begin : begin + name]) == member.name
        and (flags & ENCRYPTED_FLAGS, method) == (member.flags & ENCRYPTED_FLAGS, member.method)
    )
    if not agrees or end > len(upload):
        raise BadArchive(
            f"the list and {member.printable_name} contradict each other; pack it again"
        )
    return start, end


def entry_kind(member: ZipMember) -> str:
    """What an entry is: by its mode, and a folder by the slash at its end."""
    kind = ENTRY_KINDS.get(S_IFMT(member.mode), "a device or a socket")
    if kind == FILE_KIND and member.name.endswith(b"/"):
        kind = FOLDER_KIND
    if kind == FOLDER_KIND and member.size:
        raise BadArchive(f"{member.printable_name} is a folder that has content; pack it again")
    return kind


def unpack_member(packed: memoryview, member: ZipMember) -> Iterator[bytes]:
    """Decompress an entry, whose length and checksum have to be right."""
    size = crc = 0
    for piece in decompress_member(packed, member):
        size += len(piece)
        if size > member.size:
            break
        crc = zlib.crc32(piece, crc)
        yield piece
    if size != member.size:
        raise BadArchive(
            f"{member.printable_name} is not as long as the archive says; pack it again"
        )
    if crc != member.crc:
        raise BadArchive(f"{member.printable_name} is damaged; pack and upload it again")


def decompress_member(packed: memoryview, member: ZipMember) -> Iterator[bytes]:
    """Decompress an entry by its method."""
    if member.flags & ENCRYPTED_FLAGS or member.method == AES:
        raise BadArchive(f"{member.printable_name} is encrypted; pack it without a password")
    if member.method == STORED:
        return split_stored(packed)
    if member.method == DEFLATE:
        return decompress_one(packed, ZlibDecoder(-zlib.MAX_WBITS), member.printable_name)
    if member.method == BZIP2:
        return decompress_one(packed, bz2.BZ2Decompressor(), member.printable_name)
    if member.method == LZMA:
        size = None if member.flags & END_MARK_FLAG else member.size
        return decompress_one(
            packed[LZMA_HEADER.size :], lzma_decoder(packed, member), member.printable_name, size
        )
    raise BadArchive(f"{member.printable_name} is packed in a rare way; pack it with 'deflate'")


def lzma_decoder(packed: memoryview, member: ZipMember) -> Decoder:
    """The decoder of an entry, by what stands before its stream."""
    if len(packed) < LZMA_HEADER.size:
        raise BadArchive(f"{member.printable_name} is damaged; pack and upload it again")
    _, _, length, settings, dictionary = LZMA_HEADER.unpack_from(packed)
    if length != 5 or settings >= 9 * 5 * 5 or settings % 9 + settings // 9 % 5 > 4:
        raise BadArchive(f"{member.printable_name} is damaged; pack and upload it again")
    if dictionary > MAX_DICTIONARY:
        raise large_dictionary(member.printable_name)
    lc, lp, pb = settings % 9, settings // 9 % 5, settings // 45
    chain = [{"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)


def damaged_directory() -> BadArchive:
    """The error of an archive whose list cannot be right."""
    return BadArchive("the list at its end is damaged; pack and upload it again")
