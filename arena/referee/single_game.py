"""Plays a single game, and logs what each bot was sent and wrote."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.errors import ArenaError
from arena.games.base import Game
from arena.referee.config import RefereeConfig
from arena.referee.connection import FROM_BOT
from arena.referee.live_game import Deal
from arena.referee.record import GameStopped
from arena.referee.referee import FinishedGame, Referee, StepCallback
from arena.sanitize import escape_unprintable, safe_file_name


def play_game(  # noqa: PLR0913 (two of them are for watching)
    game: Game[Any],
    bots: Sequence[Bot],
    deal: Deal,
    config: RefereeConfig | None = None,
    *,
    on_step: StepCallback | None = None,
    logs: Path | None = None,
) -> FinishedGame:
    """Play a deal once; under the policy `strict` the record ends at the first fault.

    The conversation with each bot and its stderr are written into the folder `logs`.
    """
    config = config or RefereeConfig()
    log_files = ConversationLogs(logs, bots) if logs else None
    on_traffic = log_files.write_lines if log_files else None
    with Launcher(config.sandbox) as launcher:
        referee = Referee(game, bots, launcher, config, on_step=on_step, on_traffic=on_traffic)
        try:
            (finished,) = referee.play([deal])
        except GameStopped as stopped:
            finished = FinishedGame(1, stopped.record, stopped.stderr, ())
        finally:
            if log_files:
                log_files.close()
    if log_files:
        log_files.write_stderr(finished.stderr)
    return finished


class ConversationLogs:
    """A folder with two files for each seat: `seat0-NAME.talk` and `seat0-NAME.stderr`.

    Characters that are not printable are escaped as in JSON.
    """

    def __init__(self, folder: Path, bots: Sequence[Bot]) -> None:
        self.folder = folder
        self.stems = [
            folder / f"seat{seat}-{safe_file_name(bot.name)}" for seat, bot in enumerate(bots)
        ]
        self.partial = [b""] * len(bots)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for stem in self.stems:
                Path(f"{stem}.stderr").write_bytes(b"")
            self.files = [Path(f"{stem}.talk").open("wb", 0) for stem in self.stems]  # noqa: SIM115 (until close)
        except OSError as error:
            raise self.write_error(error) from error

    def write_lines(self, seat: int, direction: str, lines: bytes) -> None:
        """Write what a seat was sent, after `>`, or what it answered, after `<`."""
        if direction == FROM_BOT:
            *complete, self.partial[seat] = (self.partial[seat] + lines).split(b"\n")
        else:
            complete = lines.split(b"\n")[:-1]
        sign = direction.encode()
        try:
            self.files[seat].write(
                b"".join(b"%s %s\n" % (sign, escape_line(line)) for line in complete)
            )
        except OSError as error:
            raise self.write_error(error) from error

    def close(self) -> None:
        """Write the line that a bot has not ended, and close the files."""
        for file, rest in zip(self.files, self.partial, strict=True):
            with file:
                if rest:
                    file.write(b"%s %s\n" % (FROM_BOT.encode(), escape_line(rest)))

    def write_stderr(self, texts: Sequence[str]) -> None:
        """Write what the bots wrote to stderr in the game."""
        try:
            for stem, text in zip(self.stems, texts, strict=True):
                Path(f"{stem}.stderr").write_bytes(
                    b"\n".join(map(escape_line, text.encode().split(b"\n")))
                )
        except OSError as error:
            raise self.write_error(error) from error

    def write_error(self, error: OSError) -> ArenaError:
        """The error for a disk that is full or not writable."""
        return ArenaError(f"{self.folder}: logs cannot be written: {error.strerror}")


def escape_line(line: bytes) -> bytes:
    """A line that is safe to print in a terminal; tabs stay."""
    if line.isascii() and line.decode().isprintable():
        return line
    parts = line.decode(errors="backslashreplace").split("\t")
    return "\t".join(map(escape_unprintable, parts)).encode()
