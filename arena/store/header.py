"""What a run is about: its tournament, its seed, and who plays."""

from collections import Counter
from typing import Any

import msgspec
from msgspec import Struct

from arena.bots.contents import SHOWN
from arena.store.database import BadRun


class Entrant(Struct, frozen=True):
    """A bot that plays in a run."""

    name: str
    version: str
    """Its digest; runs of earlier releases have the 12 digits of it that are shown."""
    path: str
    """Where it was found: an absolute path, or the name of a reference bot."""

    @property
    def shown(self) -> str:
        """Its version for people, and as records have it."""
        return self.version[:SHOWN]


class Header(Struct, frozen=True):
    """All that is fixed before the first game."""

    name: str
    text: str
    """The tournament's file, as it was written."""
    settings: dict[str, Any]
    """Everything that decides what is played and how, as JSON."""
    seed: str
    commitment: str
    """What may be published before, and binds to the seed."""
    bots: tuple[Entrant, ...]
    rating: dict[str, Any]
    created: str
    """When, in UTC, as ISO 8601 has it."""

    def __post_init__(self) -> None:
        for name, times in Counter(bot.name for bot in self.bots).most_common(1):
            if times > 1:
                raise BadRun(f"two bots are called {name!r}; give one of them another name")


def canonical(thing: object) -> str:
    """A thing as JSON that is the same for equal things."""
    return msgspec.json.encode(thing, order="sorted").decode()
