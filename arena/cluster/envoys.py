"""Envoys: the bots of a tournament as they are sent elsewhere."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.bundle import pack
from arena.bots.contents import digest
from arena.bots.needs import needs
from arena.cluster.messages import Entry


@dataclass(frozen=True)
class Envoy:
    """A bot that is played elsewhere: as it travels, where it comes from, and what it needs."""

    entry: Entry
    version: str
    place: Path
    ignored: tuple[str, ...]
    programs: tuple[str, ...]
    """By which it is built and run."""

    @cached_property
    def bundle(self) -> bytes:
        """All it consists of, packed once."""
        return pack(self.place, self.ignored)


def envoy(bot: Bot, place: Path) -> Envoy:
    """A bot that lies in a folder or is a script."""
    entry = Entry(digest(place, bot.ignored), bot.name, "" if place.is_dir() else place.name)
    return Envoy(entry, bot.version, place, bot.ignored, needs(place))
