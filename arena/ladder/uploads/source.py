"""Pieces that come one after the other, read as if they lay in one file."""

from collections.abc import Iterator

from arena.ladder.uploads.allowance import BadArchive

PIECE = 64 << 10


class Truncated(BadArchive):
    """Something ends before it is complete."""

    def __init__(self, name: str = "it") -> None:
        super().__init__(f"{name} ends before it is complete; pack and upload it again")


class Source:
    """What is left of the pieces."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces
        self.piece = memoryview(b"")

    def some(self, most: int = PIECE) -> bytes:
        """The next bytes, at least one unless it is the end."""
        while not self.piece:
            following = next(self.pieces, None)
            if following is None:
                return b""
            self.piece = memoryview(following)
        taken, self.piece = self.piece[:most], self.piece[most:]
        return bytes(taken)

    def exactly(self, count: int) -> Iterator[bytes]:
        """So many bytes, in pieces."""
        while count:
            piece = self.some(count)
            if not piece:
                raise Truncated
            count -= len(piece)
            yield piece

    def read(self, count: int) -> bytes:
        """So many bytes."""
        return b"".join(self.exactly(count))

    def skip(self, count: int) -> None:
        """Read so many bytes and forget them."""
        for _ in self.exactly(count):
            pass

    def is_blank(self) -> bool:
        """Whether nothing but zeros is left."""
        while piece := self.some():
            if any(piece):
                return False
        return True
