"""The files of bots, looked at while a run goes on: what has changed is another bot."""

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from arena.bots.bot import Bot, reference
from arena.bots.contents import digest, files
from arena.errors import ArenaError

Mark = tuple[tuple[str, int, int, int], ...]
"""Name, size, time of the last change and number of each file: quickly seen, unlike its content."""


class Sources:
    """Where the bots of a tournament come from."""

    def __init__(self, bots: Sequence[Bot], paths: Sequence[str]) -> None:
        known = reference()
        self.places = [
            (bot, Path(path) if Path(path).exists() else known.get(path, Path(path)))
            for bot, path in zip(bots, paths, strict=True)
        ]
        self.marks: dict[Path, Mark] = {}

    def changed(self, among: Iterable[int]) -> str | None:
        """A bot among these that is no longer what it was, if there is one."""
        for bot, place in map(self.places.__getitem__, among):
            try:
                seen = mark(place, bot.ignored)
                if self.marks.get(place) == seen:
                    continue
                if digest(place, bot.ignored) != bot.digest:
                    return bot.name
            except (OSError, ArenaError):
                return bot.name
            self.marks[place] = seen
        return None


def mark(place: Path, ignored: Collection[str]) -> Mark:
    """What is seen of a script or a folder without reading it."""
    found = list(files(place, ignored)) if place.is_dir() else [place]
    return tuple((str(file), *look(file.lstat())) for file in found)


def look(status: os.stat_result) -> tuple[int, int, int]:
    """What changes when a file does."""
    return status.st_size, status.st_mtime_ns, status.st_ino
