"""Upkeep: what keeps a ladder from filling its disk, though results are never dropped."""

import logging
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from arena.bots.build import forget
from arena.errors import ArenaError, BadRecord
from arena.ladder.folder import BOTS, LOGS, Ladder
from arena.ladder.registry import Registry
from arena.store.block import GONE, unpack
from arena.store.database import explained, transaction
from arena.store.hashes import digests
from arena.store.run import Run

LOG = logging.getLogger(__name__)

LEAST: Final = 200 << 20
"""Bytes that have to be free before a night begins, and before something is sent."""
ANSWERS: Final = 30
"""Days for which the answers to submissions are kept."""
AT_ONCE: Final = 500
"""Blocks whose records are dropped in one transaction, so that nobody waits for long."""
OLD: Final = """
SELECT block, games FROM kept WHERE block > ? AND block <= ? AND length(games) > ? AND NOT EXISTS (
    SELECT 1 FROM entry WHERE entry.block = kept.block AND entry.bot IN (
        SELECT id FROM bot JOIN version ON version.bot = bot.name WHERE state = 'active'))
ORDER BY block LIMIT ?
"""
"""Blocks with records at whose tables nobody is active."""


def log_of(ladder: Ladder, number: int) -> Path:
    """The log of a night."""
    return ladder.folder / LOGS / f"night-{number:05}.txt"


def rotate(ladder: Ladder) -> None:
    """Remove the oldest logs."""
    logs = sorted((ladder.folder / LOGS).glob("night-*.txt"))
    for file in logs[: -ladder.settings.keys.keep.logs]:
        with suppress(OSError):
            file.unlink()


def room(folder: Path) -> None:
    """Refuse to begin where the disk is nearly full, while all is well."""
    free = shutil.disk_usage(folder).free
    if free < LEAST:
        raise ArenaError(
            f"{folder}: only {free >> 20} MiB are free on its disk; make room for {LEAST >> 20}"
        )


def clean_up(ladder: Ladder, run: Run, registry: Registry) -> None:
    """Remove what a ladder does not need any more, after a night."""
    drop_records(run, registry, ladder.settings.keys.keep.records)
    remove_old_bots(ladder, registry)
    forget_answers(registry)
    rotate(ladder)


def drop_records(run: Run, registry: Registry, nights: int) -> int:
    """Drop the records of old games at whose tables nobody is active any more; how many blocks.

    The results of these games stay, and the hashes of the records, so that a copy of them can be
    proven; what is dropped is every single card. Records that cannot be read stay, too. SQLite
    uses the room again.
    """
    ended = [night for night in registry.nights() if night.summary is not None]
    if len(ended) <= nights:
        return 0
    summary = ended[-nights - 1].summary
    last = summary.last if summary else 0
    dropped = seen = 0
    while True:
        blocks = registry.rows(OLD, seen, last, len(GONE), AT_ONCE)
        hashed = [(block, told) for block, games in blocks if (told := hashes(games)) is not None]
        with explained(run.file), transaction(run.connection):
            run.connection.executemany("INSERT OR REPLACE INTO dropped VALUES (?, ?)", hashed)
            run.connection.executemany(
                "UPDATE kept SET games = ? WHERE block = ?", [(GONE, block) for block, _ in hashed]
            )
        dropped += len(hashed)
        if len(blocks) < AT_ONCE:
            return dropped
        seen = int(str(blocks[-1][0]))


def remove_old_bots(ladder: Ladder, registry: Registry) -> None:
    """Remove the builds of versions that play no more, and after some nights their files.

    Nothing needs them: games are verified from their records, and reference bots stay.
    """
    night = registry.open_night()
    playing = night.bots if night else ()
    ended = [one for one in registry.nights() if one.summary is not None]
    kept = ladder.settings.keys.keep.files
    before = ended[-kept].began if len(ended) >= kept else ""
    for one in registry.versions():
        if one.state == "active" or one.bot in playing or not one.owner:
            continue
        forget(ladder.builds, one.digest)
        if (one.until or "") < before:
            shutil.rmtree(ladder.folder / BOTS / one.digest, ignore_errors=True)


def hashes(packed: object) -> bytes | None:
    """The hashes of packed records; None if they cannot be read."""
    try:
        return digests(unpack(bytes(packed)))  # type: ignore[call-overload]  # the column is a blob
    except BadRecord as error:
        LOG.warning("%s; they are not dropped", error)
        return None


def forget_answers(registry: Registry) -> None:
    """Drop what old submissions were answered with; that they were there stays."""
    before = (datetime.now(UTC) - timedelta(days=ANSWERS)).isoformat(timespec="seconds")
    registry.write(
        "DELETE FROM step WHERE submission IN (SELECT id FROM submission WHERE ended < ?)", before
    )
