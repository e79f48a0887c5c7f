"""Streams: what was packed comes out piece by piece, never more than a piece at once."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Final, Protocol

from arena.ladder.uploads.allowance import BadArchive, amount
from arena.ladder.uploads.source import Truncated

FED, STEP = 16 << 10, 64 << 10
"""Bytes that go in and that come out at once."""

DICTIONARY = 80 << 20
"""Bytes of memory an xz stream may ask for; the strongest preset asks for 65 MiB."""

STREAMS = 4096
"""Streams one after the other, as programs write them that compress on several cores."""


class Decoder(Protocol):
    """What bz2 and lzma decompress with."""

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


class Deflated:
    """The decoder of zlib, with the manners of the other two."""

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


COMPRESSED: Final[dict[str, Callable[[], Decoder]]] = {
    "tar.gz": lambda: Deflated(zlib.MAX_WBITS | 16),
    "tar.bz2": bz2.BZ2Decompressor,
    "tar.xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=DICTIONARY),
}
"""What decodes the compressed kinds of tar archives."""


def sliced(packed: memoryview) -> Iterator[bytes]:
    """What was never compressed."""
    for place in range(0, len(packed), STEP):
        yield bytes(packed[place : place + STEP])


def expanded(
    packed: memoryview, decoder: Decoder, name: str, size: int | None = None
) -> Iterator[bytes]:
    """What comes out of one stream, which ends with its input, or else after so many bytes."""
    end = yield from stream(packed, decoder, name, size)
    if end != len(packed) and size is None:
        raise BadArchive(f"there is something behind the end of {name}; pack it again")


def joined(packed: memoryview, fresh: Callable[[], Decoder]) -> Iterator[bytes]:
    """What comes out of streams one after the other; behind the last there may be zeros."""
    for _ in range(STREAMS):
        end = yield from stream(packed, fresh(), "it")
        packed = packed[end:]
        if not packed:
            return
        if packed[0] == 0:
            if any(packed):
                raise BadArchive("there is something behind its end; pack it again")
            return
    raise BadArchive(f"it consists of more than {STREAMS} streams; pack it again as one")


def stream(
    packed: memoryview, decoder: Decoder, name: str, size: int | None = None
) -> Generator[bytes, None, int]:
    """What comes out of the first stream; where it ends."""
    place = came = 0
    while not decoder.eof and came != size:
        fed = bytes(packed[place : place + FED]) if decoder.needs_input else b""
        place += len(fed)
        piece = decoded(decoder, fed, STEP if size is None else min(STEP, size - came), name)
        if not (piece or fed or decoder.eof):
            raise Truncated(name)
        came += len(piece)
        yield piece
    return place - len(decoder.unused_data)


def decoded(decoder: Decoder, fed: bytes, most: int, name: str) -> bytes:
    """What comes next; whatever a decoder dislikes is the archive's fault."""
    try:
        return decoder.decompress(fed, most)
    except lzma.LZMAError as error:
        if "emory" in str(error):
            raise starving(name) from None
        raise damaged(name) from None
    except (zlib.error, OSError, ValueError, EOFError):
        raise damaged(name) from None


def damaged(name: str) -> BadArchive:
    """The error of what a decoder cannot read."""
    return BadArchive(f"{name} is damaged; pack and upload it again")


def starving(name: str) -> BadArchive:
    """The error of what asks for too big a dictionary."""
    return BadArchive(
        f"{name} takes more than {amount(DICTIONARY)} of memory to unpack; pack it with a smaller "
        "dictionary"
    )
