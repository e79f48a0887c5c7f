"""Remove old logs, records, builds and messages, so that a ladder does not fill its disk."""

import logging
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from arena.bots.build import delete_build
from arena.errors import ArenaError, BadRecord
from arena.ladder.folder import BOTS, LOGS, Ladder
from arena.ladder.registry import Registry
from arena.store.block import DROPPED_RECORDS, unpack_games
from arena.store.database import explain_errors, transaction
from arena.store.hashes import record_digests
from arena.store.run import Run

LOG = logging.getLogger(__name__)

MIN_FREE_BYTES: Final = 200 << 20
"""Bytes that have to be free before a night begins, and before something is sent."""
MESSAGE_DAYS: Final = 30
"""Days for which the answers to submissions are kept."""
BLOCKS_PER_TRANSACTION: Final = 500
"""Blocks whose records are dropped in one transaction, so that nobody waits for long."""
OLD_RECORDS_QUERY: Final = """
SELECT block, games FROM kept WHERE block > ? AND block <= ? AND length(games) > ? AND NOT EXISTS (
    SELECT 1 FROM entry WHERE entry.block = kept.block AND entry.bot IN (
        SELECT id FROM bot JOIN version ON version.bot = bot.name WHERE state = 'active'))
ORDER BY block LIMIT ?
"""
"""Blocks with records at whose tables nobody is active."""


def night_log(ladder: Ladder, number: int) -> Path:
    """The log of a night."""
    return ladder.folder / LOGS / f"night-{number:05}.txt"


def remove_old_logs(ladder: Ladder) -> None:
    """Remove the oldest logs."""
    logs = sorted((ladder.folder / LOGS).glob("night-*.txt"))
    for file in logs[: -ladder.settings.keys.keep.logs]:
        with suppress(OSError):
            file.unlink()


def check_free_space(folder: Path) -> None:
    """Refuse to begin where the disk is nearly full, while all is well."""
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        raise ArenaError(
            f"{folder}: only {free >> 20} MiB are free on its disk; make room for "
            f"{MIN_FREE_BYTES >> 20}"
        )


def clean_up(ladder: Ladder, run: Run, registry: Registry) -> None:
    """Remove what a ladder does not need any more, after a night."""
    drop_old_records(run, registry, ladder.settings.keys.keep.records)
    remove_old_bots(ladder, registry)
    drop_old_messages(registry)
    remove_old_logs(ladder)


def drop_old_records(run: Run, registry: Registry, nights: int) -> int:
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
        blocks = registry.rows(
            OLD_RECORDS_QUERY, seen, last, len(DROPPED_RECORDS), BLOCKS_PER_TRANSACTION
        )
        hashed = [
            (block, told) for block, games in blocks if (told := record_hashes(games)) is not None
        ]
        with explain_errors(run.file), transaction(run.connection):
            run.connection.executemany("INSERT OR REPLACE INTO dropped VALUES (?, ?)", hashed)
            run.connection.executemany(
                "UPDATE kept SET games = ? WHERE block = ?",
                [(DROPPED_RECORDS, block) for block, _ in hashed],
            )
        dropped += len(hashed)
        if len(blocks) < BLOCKS_PER_TRANSACTION:
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
        delete_build(ladder.builds_folder, one.digest)
        if (one.until or "") < before:
            shutil.rmtree(ladder.folder / BOTS / one.digest, ignore_errors=True)


def record_hashes(packed: object) -> bytes | None:
    """The hashes of packed records; None if they cannot be read."""
    try:
        return record_digests(unpack_games(bytes(packed)))  # type: ignore[call-overload]  # the column is a blob
    except BadRecord as error:
        LOG.warning("%s; they are not dropped", error)
        return None


def drop_old_messages(registry: Registry) -> None:
    """Drop what old submissions were answered with; that they were there stays."""
    before = (datetime.now(UTC) - timedelta(days=MESSAGE_DAYS)).isoformat(timespec="seconds")
    registry.write(
        "DELETE FROM step WHERE submission IN (SELECT id FROM submission WHERE ended < ?)", before
    )
