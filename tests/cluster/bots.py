"""Bots on their way: folders and scripts, as a coordinator would send them."""

from pathlib import Path

from arena.bots.bundle import pack_bot
from arena.bots.digest import bot_digest
from arena.cluster.messages import BotEntry

INNOCENT_BOT = (Path(__file__).parents[1] / "misbehaving" / "innocent.py").read_text()
"""A bot that does nothing wrong."""


def write_bot_folder(place: Path, manifest: str, **files: str) -> Path:
    """Write the folder of a bot; a file whose name ends in `_sh` is executable."""
    place.mkdir(parents=True)
    (place / "bot.yaml").write_text(f"name: {place.name}\n{manifest}\n")
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        file = place / f"{stem}.{ending}"
        file.write_text(content)
        file.chmod(0o755 if ending == "sh" else 0o644)
    return place


def write_script(place: Path, content: str = INNOCENT_BOT) -> Path:
    """Write a bot that is a single file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)
    return place


def make_entry(place: Path, name: str = "") -> BotEntry:
    """Return the entry of a bot that ignores no files."""
    alone = "" if place.is_dir() else place.name
    return BotEntry(bot_digest(place), name or place.stem, alone)


def bundle_bots(*places: Path) -> tuple[tuple[BotEntry, ...], dict[str, bytes]]:
    """Return entries of bots and their bundles."""
    entries = tuple(make_entry(place) for place in places)
    return entries, {bot_digest(place): pack_bot(place) for place in places}
