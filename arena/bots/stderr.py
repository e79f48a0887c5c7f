"""What a bot writes to stderr: bounded, and tied to the game it was written in."""

from msgspec import Struct

KEPT = 16_384
"""Bytes kept of the beginning of what is written in a game, and as many of its end."""

CUT = b"\n[... %d bytes ...]\n"


class Said(Struct):
    """What was written in one game."""

    first: bytes = b""
    last: bytes = b""
    left_out: int = 0

    def add(self, data: bytes) -> None:
        """More of it; what is too much is cut out of the middle."""
        room = KEPT - len(self.first)
        self.first += data[:room]
        self.last += data[room:]
        if (extra := len(self.last) - KEPT) > 0:
            self.left_out += extra
            self.last = self.last[extra:]

    def text(self) -> str:
        """All that is kept."""
        cut = CUT % self.left_out if self.left_out else b""
        return (self.first + cut + self.last).decode(errors="replace")

    def tail(self, size: int) -> str:
        """The end of it."""
        return (self.first + self.last)[-size:].decode(errors="replace")
