"""Remove old logs, records, builds and messages, so that a ladder does not fill its disk."""

import logging
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.bots.build import delete_build
from arena.errors import ArenaError, BadRecord
from arena.ladder.folder import BOTS_FOLDER, LOGS_FOLDER, Ladder
from arena.ladder.registry import Registry
from arena.store.block import unpack_games
from arena.store.hashes import record_digests
from arena.store.header import utc_now

LOG = logging.getLogger(__name__)

MIN_FREE_BYTES: Final = 200 << 20
"""Bytes that have to be free for a night, and for an upload."""
MESSAGE_DAYS: Final = 30
"""Days for which the messages about a submission are stored."""
BLOCKS_PER_TRANSACTION: Final = 500
"""Blocks whose records are dropped in one transaction; other writers wait for its end."""


def night_log(ladder: Ladder, number: int) -> Path:
    """The file of a night's log."""
    return ladder.folder / LOGS_FOLDER / f"night-{number:05}.txt"


def remove_old_logs(ladder: Ladder) -> None:
    """Remove the oldest logs of nights."""
    logs = sorted((ladder.folder / LOGS_FOLDER).glob("night-*.txt"))
    for file in logs[: -ladder.settings.keys.keep.logs]:
        with suppress(OSError):
            file.unlink()


def check_free_space(folder: Path, needed: int) -> None:
    """Reject a folder on a disk with fewer free bytes, before the work could fail halfway."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ArenaError(
            f"{folder}: only {free >> 20} MiB are free on its disk; it needs {needed >> 20}"
        )


def clean_up(ladder: Ladder, registry: Registry) -> None:
    """Remove what a ladder no longer needs, after a night."""
    drop_old_records(registry, ladder.settings.keys.keep.records)
    remove_old_bots(ladder, registry)
    drop_old_messages(registry)
    remove_old_logs(ladder)


def drop_old_records(registry: Registry, nights: int) -> int:
    """Drop the records of old games in which no active version sat; return how many blocks.

    The results of these games stay, and the hashes of the records, with which a copy of a record
    can be proven. Records that cannot be read stay, too. SQLite reuses the space.
    """
    ended = [night for night in registry.nights() if night.summary is not None]
    if len(ended) <= nights:
        return 0
    summary = ended[-nights - 1].summary
    last = summary.last if summary else 0
    dropped = seen = 0
    while True:
        blocks = registry.droppable_records(seen, last, BLOCKS_PER_TRANSACTION)
        hashes = [
            (block, digests)
            for block, games in blocks
            if (digests := record_hashes(games)) is not None
        ]
        registry.drop_records(hashes)
        dropped += len(hashes)
        if len(blocks) < BLOCKS_PER_TRANSACTION:
            return dropped
        seen, _ = blocks[-1]


def remove_old_bots(ladder: Ladder, registry: Registry) -> None:
    """Remove the builds of versions that no longer play, and after some nights their files.

    Games are verified from their records, which need neither. Reference bots stay.
    """
    night = registry.open_night()
    playing = night.bots if night else ()
    ended = [one for one in registry.nights() if one.summary is not None]
    nights = ladder.settings.keys.keep.files
    before = ended[-nights].began if len(ended) >= nights else ""
    for one in registry.versions():
        if one.state == "active" or one.bot in playing or not one.owner:
            continue
        delete_build(ladder.builds_folder, one.digest)
        if (one.until or "") < before:
            shutil.rmtree(ladder.folder / BOTS_FOLDER / one.digest, ignore_errors=True)


def record_hashes(packed: bytes) -> bytes | None:
    """The hashes of packed records; None if they cannot be read."""
    try:
        return record_digests(unpack_games(packed))
    except BadRecord as error:
        LOG.warning("%s; they are not dropped", error)
        return None


def drop_old_messages(registry: Registry) -> None:
    """Delete the messages about old submissions, not the submissions."""
    registry.delete_messages_before(utc_now(MESSAGE_DAYS))
