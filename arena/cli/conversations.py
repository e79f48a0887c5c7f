"""The option `--logs`: what was said to each bot and by it, and its stderr, in files."""

from collections.abc import Sequence
from pathlib import Path

from arena.bots.bot import Bot
from arena.cli.untrusted import file_name
from arena.errors import ArenaError
from arena.match.player import FROM_BOT
from arena.printable import escaped


class Conversations:
    """A folder with two files for each seat: `seat0-NAME.talk` and `seat0-NAME.stderr`.

    What would not show is spelt as JSON spells it.
    """

    def __init__(self, folder: Path, bots: Sequence[Bot]) -> None:
        self.folder = folder
        self.stems = [folder / f"seat{seat}-{file_name(bot.name)}" for seat, bot in enumerate(bots)]
        self.partial = [b""] * len(bots)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for stem in self.stems:
                Path(f"{stem}.stderr").write_bytes(b"")
            self.files = [Path(f"{stem}.talk").open("wb", 0) for stem in self.stems]  # noqa: SIM115 (until close)
        except OSError as error:
            raise self.unwritable(error) from error

    def tap(self, seat: int, direction: str, lines: bytes) -> None:
        """Write down what went over a seat's line, with `>` to the bot and `<` from it."""
        if direction == FROM_BOT:
            *whole, self.partial[seat] = (self.partial[seat] + lines).split(b"\n")
        else:
            whole = lines.split(b"\n")[:-1]
        sign = direction.encode()
        try:
            self.files[seat].write(b"".join(b"%s %s\n" % (sign, plain(line)) for line in whole))
        except OSError as error:
            raise self.unwritable(error) from error

    def close(self) -> None:
        """Write what a bot has left without its newline, and let go of the files."""
        for file, rest in zip(self.files, self.partial, strict=True):
            with file:
                if rest:
                    file.write(b"%s %s\n" % (FROM_BOT.encode(), plain(rest)))

    def write_stderr(self, texts: Sequence[str]) -> None:
        """Write what the bots wrote to stderr in the game."""
        try:
            for stem, text in zip(self.stems, texts, strict=True):
                Path(f"{stem}.stderr").write_bytes(
                    b"\n".join(map(plain, text.encode().split(b"\n")))
                )
        except OSError as error:
            raise self.unwritable(error) from error

    def unwritable(self, error: OSError) -> ArenaError:
        """What to say when the disk is full, or not ours."""
        return ArenaError(f"{self.folder}: logs cannot be written: {error.strerror}")


def plain(line: bytes) -> bytes:
    """A line that can be looked at in a terminal; tabs stay."""
    if line.isascii() and line.decode().isprintable():
        return line
    parts = line.decode(errors="backslashreplace").split("\t")
    return "\t".join(map(escaped, parts)).encode()
