"""The option `--logs`: what was said to each bot and by it, and its stderr, in files."""

from collections.abc import Sequence
from pathlib import Path

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.match.player import FROM_BOT


class Conversations:
    """A folder with two files for each seat: `seat0-NAME.jsonl` and `seat0-NAME.stderr`."""

    def __init__(self, folder: Path, bots: Sequence[Bot]) -> None:
        self.stems = [
            folder / f"seat{seat}-{bot.name.replace(' ', '-')}" for seat, bot in enumerate(bots)
        ]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for stem in self.stems:
                Path(f"{stem}.jsonl").write_bytes(b"")
        except OSError as error:
            raise ArenaError(f"{folder}: logs cannot be written: {error.strerror}") from error
        self.lines: list[list[bytes]] = [[] for _ in bots]
        self.partial = [b""] * len(bots)

    def tap(self, seat: int, direction: str, lines: bytes) -> None:
        """Write down what went over a seat's line, with `>` to the bot and `<` from it."""
        if direction == FROM_BOT:
            *whole, self.partial[seat] = (self.partial[seat] + lines).split(b"\n")
        else:
            whole = lines.split(b"\n")[:-1]
        for line in whole:
            self.lines[seat].append(b"%s %s\n" % (direction.encode(), line))

    def close(self, stderr: Sequence[str]) -> None:
        """Write it all."""
        for stem, lines, rest in zip(self.stems, self.lines, self.partial, strict=True):
            end = b"%s %s\n" % (FROM_BOT.encode(), rest) if rest else b""
            Path(f"{stem}.jsonl").write_bytes(b"".join(lines) + end)
        for stem, text in zip(self.stems, stderr, strict=False):
            Path(f"{stem}.stderr").write_text(text)
