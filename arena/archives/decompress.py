"""Decompress gzip, bzip2, xz and zip streams piece by piece in bounded memory."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Final, Protocol

from arena.archives.limits import BadArchive, format_bytes

PIECE_SIZE = 64 << 10


class TruncatedArchive(BadArchive):
    """Something ends before it is complete."""

    def __init__(self, name: str = "it") -> None:
        super().__init__(f"{name} ends before it is complete; pack and upload it again")


class ByteSource:
    """Reads from a sequence of pieces of bytes."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces
        self.buffer = memoryview(b"")

    def read_some(self, max_bytes: int = PIECE_SIZE) -> bytes:
        """Read the next bytes, at least one unless it is the end."""
        while not self.buffer:
            following = next(self.pieces, None)
            if following is None:
                return b""
            self.buffer = memoryview(following)
        taken, self.buffer = self.buffer[:max_bytes], self.buffer[max_bytes:]
        return bytes(taken)

    def read_pieces(self, count: int) -> Iterator[bytes]:
        """Read so many bytes, in pieces."""
        while count:
            piece = self.read_some(count)
            if not piece:
                raise TruncatedArchive
            count -= len(piece)
            yield piece

    def read(self, count: int) -> bytes:
        """Read so many bytes."""
        return b"".join(self.read_pieces(count))

    def skip(self, count: int) -> None:
        """Read so many bytes and forget them."""
        for _ in self.read_pieces(count):
            pass

    def has_only_zeros(self) -> bool:
        """Whether nothing but zeros is left."""
        while piece := self.read_some():
            if any(piece):
                return False
        return True


INPUT_SIZE, OUTPUT_SIZE = 16 << 10, 64 << 10
"""Bytes that go in and that come out at once."""

MAX_DICTIONARY = 80 << 20
"""Bytes of memory an xz stream may ask for; the strongest preset asks for 65 MiB."""

MAX_STREAMS = 4096
"""Streams one after the other, as programs write them that compress on several cores."""


class Decoder(Protocol):
    """The interface of the decompressors of bz2 and lzma."""

    @property
    def eof(self) -> bool:
        """Whether the stream is complete."""

    @property
    def needs_input(self) -> bool:
        """Whether nothing more comes out before something goes in."""

    @property
    def unused_data(self) -> bytes:
        """What went in after the end of the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """What comes next, at most so much of it."""


class ZlibDecoder:
    """A decoder for zlib with the interface of those of bz2 and lzma."""

    def __init__(self, bits: int) -> None:
        self.inner = zlib.decompressobj(bits)

    @property
    def eof(self) -> bool:
        """Whether the stream is complete."""
        return self.inner.eof

    @property
    def needs_input(self) -> bool:
        """Whether all that went in was looked at."""
        return not self.inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        """What went in after the end of the stream."""
        return self.inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """What comes next, at most so much of it."""
        return self.inner.decompress(self.inner.unconsumed_tail + data, max_length)


DECODERS: Final[dict[str, Callable[[], Decoder]]] = {
    "tar.gz": lambda: ZlibDecoder(zlib.MAX_WBITS | 16),
    "tar.bz2": bz2.BZ2Decompressor,
    "tar.xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY),
}
"""The decoders of the compressed kinds of tar archives."""


def split_stored(packed: memoryview) -> Iterator[bytes]:
    """Split data that is not compressed into pieces."""
    for place in range(0, len(packed), OUTPUT_SIZE):
        yield bytes(packed[place : place + OUTPUT_SIZE])


def decompress_one(
    packed: memoryview, decoder: Decoder, name: str, size: int | None = None
) -> Iterator[bytes]:
    """Decompress one stream, which ends with its input, or else after `size` bytes."""
    end = yield from decompress_first(packed, decoder, name, size)
    if end != len(packed) and size is None:
        raise BadArchive(f"there is something behind the end of {name}; pack it again")


def decompress_all(packed: memoryview, new_decoder: Callable[[], Decoder]) -> Iterator[bytes]:
    """Decompress consecutive streams; behind the last there may be zeros."""
    for _ in range(MAX_STREAMS):
        end = yield from decompress_first(packed, new_decoder(), "it")
        packed = packed[end:]
        if not packed:
            return
        if packed[0] == 0:
            if any(packed):
                raise BadArchive("there is something behind its end; pack it again")
            return
    raise BadArchive(f"it consists of more than {MAX_STREAMS} streams; pack it again as one")


def decompress_first(
    packed: memoryview, decoder: Decoder, name: str, size: int | None = None
) -> Generator[bytes, None, int]:
    """Decompress the first stream; return where it ends."""
    place = output_bytes = 0
    while not decoder.eof and output_bytes != size:
        data = bytes(packed[place : place + INPUT_SIZE]) if decoder.needs_input else b""
        place += len(data)
        piece = decode_piece(
            decoder,
            data,
            OUTPUT_SIZE if size is None else min(OUTPUT_SIZE, size - output_bytes),
            name,
        )
        if not (piece or data or decoder.eof):
            raise TruncatedArchive(name)
        output_bytes += len(piece)
        yield piece
    return place - len(decoder.unused_data)


def decode_piece(decoder: Decoder, data: bytes, max_bytes: int, name: str) -> bytes:
    """Decompress the next piece; any error of a decoder means that the archive is damaged."""
    try:
        return decoder.decompress(data, max_bytes)
    except lzma.LZMAError as error:
        if "emory" in str(error):
            raise large_dictionary(name) from None
        raise damaged_stream(name) from None
    except (zlib.error, OSError, ValueError, EOFError):
        raise damaged_stream(name) from None


def damaged_stream(name: str) -> BadArchive:
    """Return the error for data that a decoder cannot read."""
    return BadArchive(f"{name} is damaged; pack and upload it again")


def large_dictionary(name: str) -> BadArchive:
    """Return the error for a stream that asks for too big a dictionary."""
    return BadArchive(
        f"{name} takes more than {format_bytes(MAX_DICTIONARY)} of memory to unpack; pack "
        f"it with a smaller "
        "dictionary"
    )
