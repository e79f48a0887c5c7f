"""Disk quotas: how much space the bots of an owner use, and how much is free."""

import shutil
from functools import lru_cache
from pathlib import Path

from arena.bots import build_folder
from arena.bots.sandbox.limits import MIB
from arena.ladder import cleanup
from arena.ladder.folder import BOTS_FOLDER, UPLOADS_FOLDER, Ladder
from arena.ladder.registry import BadSubmission, Registry


class DiskQuotaExceeded(BadSubmission):
    """A submission that does not fit on the disk, or not into the quota of its owner."""


def folder_size(folder: Path) -> int:
    """The bytes that a folder takes up on the disk; 0 if it does not exist."""
    try:
        entries = build_folder.walk_folder(folder, changing=True)
        return sum(max(build_folder.MIN_FILE_SIZE, entry.stat.st_blocks * 512) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return 0


@lru_cache(maxsize=10_000)
def cached_folder_size(folder: Path, _identity: tuple[int, int]) -> int:
    """The size of a folder that never changes, which is computed once."""
    return folder_size(folder)


def read_only_size(folder: Path) -> int:
    """The bytes of a version's files or of its build, which never change."""
    try:
        found = folder.stat()
    except FileNotFoundError:
        return 0
    return cached_folder_size(folder, (found.st_ino, found.st_mtime_ns))


def used_bytes(ladder: Ladder, registry: Registry, owner: str) -> int:
    """The bytes of an owner's files, builds and open submissions."""
    digests, numbers = registry.holdings(owner)
    files = sum(read_only_size(ladder.folder / BOTS_FOLDER / digest) for digest in digests)
    builds = sum(read_only_size(ladder.build_folder(digest)) for digest in digests)
    return (
        files
        + builds
        + sum(folder_size(ladder.folder / UPLOADS_FOLDER / number) for number in numbers)
    )


def check_quota(ladder: Ladder, registry: Registry, owner: str, extra_bytes: int = 0) -> None:
    """Reject a submission with which its owner exceeds the quota of the ladder."""
    keys = ladder.settings.keys
    quota = keys.submissions.quota
    taken = used_bytes(ladder, registry, owner) + extra_bytes
    if taken > quota * MIB:
        raise DiskQuotaExceeded(
            f"the bots of {owner} take up {-(-taken // MIB):,} MiB on the disk with this one, and "
            f"{quota:,} MiB are allowed for each owner; send a smaller one, or wait: builds of "
            "versions that were replaced are removed after the next night, their files after "
            f"{keys.keep.files} nights"
        )


def check_disk_space(folder: Path) -> None:
    """Reject a submission if the ladder's disk is nearly full."""
    if shutil.disk_usage(folder).free < cleanup.MIN_FREE_BYTES:
        raise DiskQuotaExceeded(
            "the disk of this ladder is nearly full; send it later, and tell the operator "
            "if it stays full"
        )
