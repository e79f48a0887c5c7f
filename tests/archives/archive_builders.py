"""Archives byte by byte, so that they can be wrong in any way."""

import gzip
import lzma
import stat
import struct
import zlib
from dataclasses import dataclass

END, CENTRAL, LOCAL = "<4s4H2LH", "<4s6H3L5H2L", "<4s5H3L2H"
FILE = stat.S_IFREG | 0o644
PROGRAM = stat.S_IFREG | 0o755


@dataclass(frozen=True)
class ZipEntry:
    """An entry of a zip archive; what is None is as it should be."""

    name: str | bytes
    content: bytes = b"x"
    method: int = 0
    mode: int = FILE
    flags: int = 0
    packed: bytes | None = None
    size: int | None = None
    packed_size: int | None = None
    crc: int | None = None
    local_name: bytes | None = None
    local_method: int | None = None
    offset: int | None = None

    @property
    def raw_name(self) -> bytes:
        return self.name.encode() if isinstance(self.name, str) else self.name


def deflate(content: bytes) -> bytes:
    """Return content as a raw deflate stream."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def lzma_compress(content: bytes, dictionary: int | None = None, settings: int = 93) -> bytes:
    """Return an LZMA stream with its header, which may be wrong."""
    known = {"dict_size": 1 << 16, "lc": 3, "lp": 0, "pb": 2}
    chain = [{"id": lzma.FILTER_LZMA1, "preset": 0, **known}]
    raw = lzma.compress(content, lzma.FORMAT_RAW, filters=chain)
    return struct.pack("<2BHBL", 9, 4, 5, settings, dictionary or 1 << 16) + raw


def build_zip(
    *members: ZipEntry | str,
    entries: int | None = None,
    disk: int = 0,
    start: int | None = None,
    signature: bytes = b"PK\x01\x02",
    comment: bytes = b"",
    gap: bytes = b"",
) -> bytes:
    """Build a zip archive."""
    body, listing = bytearray(), bytearray()
    for member in (ZipEntry(each) if isinstance(each, str) else each for each in members):
        name, content = member.raw_name, member.content
        packed = member.packed
        if packed is None:
            packed = deflate(content) if member.method == 8 else content
        crc = zlib.crc32(content) if member.crc is None else member.crc
        size = len(content) if member.size is None else member.size
        packed_size = len(packed) if member.packed_size is None else member.packed_size
        offset = len(body) if member.offset is None else member.offset
        local = name if member.local_name is None else member.local_name
        method = member.method if member.local_method is None else member.local_method
        told = (crc, packed_size, size)
        body += struct.pack(
            LOCAL, b"PK\x03\x04", 20, member.flags, method, 0, 33, *told, len(local), 0
        )
        body += local + packed + gap
        told = (crc, packed_size, size)
        listing += struct.pack(
            CENTRAL,
            *(signature, 3 << 8 | 20, 20, member.flags, member.method, 0, 33, *told),
            *(len(name), 0, 0, 0, 0, member.mode << 16, offset),
        )
        listing += name
    count = len(members) if entries is None else entries
    place = len(body) if start is None else start
    end = (b"PK\x05\x06", disk, disk, count, count, len(listing), place, len(comment))
    return bytes(body + listing) + struct.pack(END, *end) + comment


@dataclass(frozen=True)
class TarEntry:
    """An entry of a tar archive."""

    name: str | bytes
    content: bytes = b"x"
    kind: bytes = b"0"
    mode: bytes = b"0000644\0"
    size: bytes | None = None
    link: bytes = b""
    magic: bytes = b"ustar\x0000"
    prefix: bytes = b""
    checksum: bytes | None = None

    def packed(self) -> bytes:
        """Its header and its content, up to a whole block."""
        name = self.name.encode() if isinstance(self.name, str) else self.name
        size = b"%011o\0" % len(self.content) if self.size is None else self.size
        fields = [name.ljust(100, b"\0"), self.mode, b"0000000\0" * 2, size, b"%011o\0" % 0]
        rest = self.kind + self.link.ljust(100, b"\0") + self.magic + bytes(32 + 32 + 16)
        rest += self.prefix.ljust(155, b"\0") + bytes(12)
        summed = sum(sum(field) for field in fields) + sum(rest) + 8 * 32
        checksum = b"%06o\0 " % summed if self.checksum is None else self.checksum
        return b"".join(fields) + checksum + rest + padded(self.content)


def padded(content: bytes) -> bytes:
    """Content up to a whole block."""
    return content + bytes(-len(content) % 512)


def build_tar(*items: TarEntry | str, end: bytes = bytes(1024)) -> bytes:
    """Build a tar archive."""
    return b"".join((TarEntry(i) if isinstance(i, str) else i).packed() for i in items) + end


def pax_header(*records: tuple[str, bytes] | bytes, kind: bytes = b"x") -> TarEntry:
    """A header about the next entry, of keys with values or of records as they are."""
    parts = []
    for record in records:
        if isinstance(record, bytes):
            parts.append(record)
            continue
        line = b" %s=%s\n" % (record[0].encode(), record[1])
        length = len(line) + 1
        while len(b"%d" % length) + len(line) != length:
            length += 1
        parts.append(b"%d" % length + line)
    return TarEntry("PaxHeader", b"".join(parts), kind)


def gnu_long_name(name: bytes) -> TarEntry:
    """The name of the next entry, as GNU tar has it."""
    return TarEntry("././@LongLink", name + b"\0", b"L", magic=b"ustar  \0")


def xz_with_huge_dictionary(content: bytes) -> bytes:
    """An xz stream that says it needs a dictionary of 4 GiB."""
    made = bytearray(lzma.compress(content, lzma.FORMAT_XZ, preset=0))
    size = (made[12] + 1) * 4
    made[16] = 40
    made[12 + size - 4 : 12 + size] = struct.pack("<L", zlib.crc32(made[12 : 12 + size - 4]))
    return bytes(made)


def gzip_compress(content: bytes) -> bytes:
    """Compress content without a timestamp."""
    return gzip.compress(content, 1, mtime=0)
