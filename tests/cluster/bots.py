"""Bots on their way: folders and scripts, as a coordinator would send them."""

from pathlib import Path

from arena.bots.bundle import pack_bot
from arena.bots.digest import bot_digest
from arena.cluster.messages import BotEntry

INNOCENT = (Path(__file__).parents[1] / "misbehaving" / "innocent.py").read_text()
"""A bot that does nothing wrong."""


def folder(place: Path, manifest: str, **files: str) -> Path:
    """A bot in a folder; a file whose name ends in `_sh` is a program."""
    place.mkdir(parents=True)
    (place / "bot.yaml").write_text(f"name: {place.name}\n{manifest}\n")
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        file = place / f"{stem}.{ending}"
        file.write_text(content)
        file.chmod(0o755 if ending == "sh" else 0o644)
    return place


def script(place: Path, content: str = INNOCENT) -> Path:
    """A bot that is one file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)
    return place


def entry(place: Path, name: str = "") -> BotEntry:
    """A bot that is to be played elsewhere, which ignores nothing."""
    alone = "" if place.is_dir() else place.name
    return BotEntry(bot_digest(place), name or place.stem, alone)


def sent(*places: Path) -> tuple[tuple[BotEntry, ...], dict[str, bytes]]:
    """Bots with their bundles."""
    entries = tuple(entry(place) for place in places)
    return entries, {bot_digest(place): pack_bot(place) for place in places}
