"""Zip archives, read strictly: each file has a place of its own and is as long as announced."""

import bz2
import lzma
import zlib
from collections.abc import Iterator
from stat import S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, S_IXUSR
from struct import Struct
from typing import NamedTuple

from arena.ladder.uploads.allowance import BadArchive, Budget
from arena.ladder.uploads.entry import FILE, FOLDER, Entry
from arena.ladder.uploads.names import told
from arena.ladder.uploads.streams import DICTIONARY, Decoder, Deflated, expanded, sliced, starving

END, CENTRAL, LOCAL = Struct("<4s4H2LH"), Struct("<4s6H3L5H2L"), Struct("<4s5H3L2H")
COMMENT = 0xFFFF
"""Bytes of the longest comment behind the end."""

BIG = 0xFFFFFFFF
"""What stands where a number has no room; no archive that is small enough needs it."""

ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
MARKED = 1 << 1
"""The flag of a stream of LZMA that marks its own end."""

STORED, DEFLATE, BZIP2, LZMA, AES = 0, 8, 12, 14, 99
PROPERTIES = Struct("<2BHBL")
"""What stands before a stream of LZMA."""

KINDS = {0: FILE, S_IFREG: FILE, S_IFDIR: FOLDER, S_IFLNK: "a link", S_IFIFO: "a pipe"}


class Member(NamedTuple):
    """What the list at the end of an archive says about an entry."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    offset: int

    @property
    def shown(self) -> str:
        """Its name, for people."""
        return told(self.name)


def entries(upload: memoryview, budget: Budget) -> Iterator[Entry]:
    """Everything in an archive, in the order in which it lies there."""
    listing = find(upload)
    end = 0
    for member in sorted(members(upload, listing, budget), key=lambda member: member.offset):
        if member.offset < end:
            raise BadArchive(f"{member.shown} lies where another file is; pack it again")
        start, end = extent(upload[: listing.start], member)
        content = budget.counted(unpacked(upload[start:end], member))
        executable = bool(member.mode & S_IXUSR) if member.mode else None
        yield Entry(member.name, what_is(member), executable, content)


class Listing(NamedTuple):
    """The list at the end of an archive."""

    start: int
    end: int
    entries: int


def members(upload: memoryview, listing: Listing, budget: Budget) -> Iterator[Member]:
    """What is in the list, entry by entry."""
    place, found = listing.start, 0
    while place < listing.end:
        budget.list()
        if place + CENTRAL.size > listing.end:
            raise damaged()
        fields = CENTRAL.unpack_from(upload, place)
        signature, _, _, flags, method, _, _, crc, packed, size, *lengths = fields[:13]
        attributes, offset = fields[15:]
        begin = place + CENTRAL.size
        place = begin + sum(lengths)
        if signature != b"PK\x01\x02" or place > listing.end:
            raise damaged()
        name = bytes(upload[begin : begin + lengths[0]])
        yield Member(name, flags, method, crc, packed, size, attributes >> 16, offset)
        found += 1
    if found != listing.entries:
        raise damaged()


def find(upload: memoryview) -> Listing:
    """Where the list is, by what stands at the very end of an archive."""
    tail = max(0, len(upload) - END.size - COMMENT)
    last = bytes(upload[tail:])
    found = len(last)
    comment = -1
    while comment != len(last) - found - END.size:
        found = last.rfind(b"PK\x05\x06", 0, found + 3)
        if found < 0:
            raise BadArchive("the list at its end is missing; upload it again, and all of it")
        comment = int.from_bytes(last[found + END.size - 2 : found + END.size], "little")
    _, disk, first, here, count, size, start, _ = END.unpack_from(last, found)
    if BIG in {size, start} or count == COMMENT:
        raise BadArchive("it is written as zip64, for more than 4 GiB; pack it without that")
    if disk or first or here != count:
        raise BadArchive("it is one of several parts; pack it as one")
    if start + size != tail + found:
        raise damaged()
    return Listing(start, start + size, count)


def extent(upload: memoryview, member: Member) -> tuple[int, int]:
    """Where the content lies, by what stands before it, which has to agree with the list."""
    begin = member.offset + LOCAL.size
    if begin > len(upload):
        raise damaged()
    signature, _, flags, method, *_, name, extra = LOCAL.unpack_from(upload, member.offset)
    start = begin + name + extra
    end = start + member.packed
    agrees = (
        signature == b"PK\x03\x04"
        and bytes(upload[begin : begin + name]) == member.name
        and (flags & ENCRYPTED, method) == (member.flags & ENCRYPTED, member.method)
    )
    if not agrees or end > len(upload):
        raise BadArchive(f"the list and {member.shown} contradict each other; pack it again")
    return start, end


def what_is(member: Member) -> str:
    """What an entry is: by its mode, and a folder by the slash at its end."""
    kind = KINDS.get(S_IFMT(member.mode), "a device or a socket")
    if kind == FILE and member.name.endswith(b"/"):
        kind = FOLDER
    if kind == FOLDER and member.size:
        raise BadArchive(f"{member.shown} is a folder that has content; pack it again")
    return kind


def unpacked(packed: memoryview, member: Member) -> Iterator[bytes]:
    """What comes out of an entry, which has to be as long as announced and sum up right."""
    size = crc = 0
    for piece in pieces(packed, member):
        size += len(piece)
        if size > member.size:
            break
        crc = zlib.crc32(piece, crc)
        yield piece
    if size != member.size:
        raise BadArchive(f"{member.shown} is not as long as the archive says; pack it again")
    if crc != member.crc:
        raise BadArchive(f"{member.shown} is damaged; pack and upload it again")


def pieces(packed: memoryview, member: Member) -> Iterator[bytes]:
    """What comes out of an entry, by the way in which it was packed."""
    if member.flags & ENCRYPTED or member.method == AES:
        raise BadArchive(f"{member.shown} is encrypted; pack it without a password")
    if member.method == STORED:
        return sliced(packed)
    if member.method == DEFLATE:
        return expanded(packed, Deflated(-zlib.MAX_WBITS), member.shown)
    if member.method == BZIP2:
        return expanded(packed, bz2.BZ2Decompressor(), member.shown)
    if member.method == LZMA:
        size = None if member.flags & MARKED else member.size
        return expanded(packed[PROPERTIES.size :], lzma_decoder(packed, member), member.shown, size)
    raise BadArchive(f"{member.shown} is packed in a rare way; pack it with 'deflate'")


def lzma_decoder(packed: memoryview, member: Member) -> Decoder:
    """The decoder of an entry, by what stands before its stream."""
    if len(packed) < PROPERTIES.size:
        raise BadArchive(f"{member.shown} is damaged; pack and upload it again")
    _, _, length, settings, dictionary = PROPERTIES.unpack_from(packed)
    if length != 5 or settings >= 9 * 5 * 5 or settings % 9 + settings // 9 % 5 > 4:
        raise BadArchive(f"{member.shown} is damaged; pack and upload it again")
    if dictionary > DICTIONARY:
        raise starving(member.shown)
    lc, lp, pb = settings % 9, settings // 9 % 5, settings // 45
    chain = [{"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)


def damaged() -> BadArchive:
    """The error of an archive whose list cannot be right."""
    return BadArchive("the list at its end is damaged; pack and upload it again")
