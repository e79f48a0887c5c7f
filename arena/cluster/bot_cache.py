"""Cache of unpacked and built bots on a worker's machine, limited in size."""

import logging
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from threading import Lock

from arena.bots.bot import Bot, load_bot
from arena.bots.build import BuildSettings, builds_folder
from arena.bots.bundle import unpack_bot
from arena.bots.digest import SHORT_DIGITS, bot_digest, make_folders_readable
from arena.bots.sandbox.limits import MIB
from arena.cluster.messages import BotEntry
from arena.errors import ArenaError
from arena.file_lock import FileLock, LockHeld

LOG = logging.getLogger(__name__)

SIZE_VARIABLE = "STICHKAMPF_SHELF_MIB"
"""The variable that limits the MiB of cached bots on this machine."""
DEFAULT_MIB = 2048

DISK_BLOCK = 512
"""Bytes of a unit of `st_blocks`."""
BOT_FOLDER = "bot"
BUILD_FOLDER = "built"
UNPACK_PREFIX = ".unpacking-"
REMOVED_PREFIX = ".gone-"
STALE_SECONDS = 3600
"""Seconds after which an unfinished folder is taken to be of a process that was killed."""


class BotNotCached(ArenaError):
    """A bot is not in the cache, and no bundle came with the order."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"the bot {digest[:SHORT_DIGITS]} is not on this machine")
        self.digest = digest


def size_limit() -> int:
    """The bytes that cached bots may take up on this machine."""
    value = os.environ.get(SIZE_VARIABLE, "")
    return (int(value) if value.isdecimal() else DEFAULT_MIB) * MIB


class BotCache:
    """Bots by digest, shared by all workers of a machine that have the same home."""

    def __init__(self, root: Path | None = None, max_bytes: int | None = None) -> None:
        self.root = root or builds_folder().parent / "shelf"
        self.max_bytes = size_limit() if max_bytes is None else max_bytes
        self.ready_bots: dict[tuple[BotEntry, BuildSettings], Bot] = {}
        """The bots that this process has loaded."""
        self.lock = Lock()

    def find_cached(self, digests: Iterable[str]) -> tuple[str, ...]:
        """Which of these bots are in the cache at the moment."""
        return tuple(digest for digest in digests if (self.root / digest / BOT_FOLDER).is_dir())

    @contextmanager
    def lock_bot(self, digest: str) -> Iterator[Path]:
        """Yield the folder of a bot, which no process evicts in the meantime."""
        self.root.mkdir(parents=True, exist_ok=True)
        file = self.root / f"{digest}.lock"
        with FileLock(file, create_mode=0o666, shared=True, wait=True):
            os.utime(file)
            yield self.root / digest

    @contextmanager
    def hold_bot(
        self, entry: BotEntry, settings: BuildSettings, bundles: Mapping[str, bytes]
    ) -> Iterator[Bot]:
        """Yield a bot that can be launched while the context lasts; BotNotCached if missing."""
        with self.lock_bot(entry.digest) as place:
            is_new = self.ensure_unpacked(place, entry.digest, bundles.get(entry.digest))
            try:
                yield self.load_bot(entry, settings, place)
            finally:
                if is_new:
                    self.evict()

    def load_bot(self, entry: BotEntry, settings: BuildSettings, folder: Path) -> Bot:
        """Load and build a bot whose files are there; if they have changed, delete them."""
        bot_path = folder / BOT_FOLDER / entry.script if entry.script else folder / BOT_FOLDER
        known = self.ready_bots.get((entry, settings))
        if known is None or not known.path.exists():
            known = load_bot(bot_path, replace(settings, builds_folder=folder / BUILD_FOLDER))
            self.ready_bots[entry, settings] = replace(known, name=entry.name)
        if bot_digest(bot_path, known.ignored) != entry.digest:
            del self.ready_bots[entry, settings]
            self.delete_bot(folder)
            raise BotNotCached(entry.digest)
        return self.ready_bots[entry, settings]

    def ensure_unpacked(self, folder: Path, digest: str, bundle: bytes | None) -> bool:
        """Unpack a bot unless it is there; whether it was unpacked."""
        bot_path = folder / BOT_FOLDER
        if bot_path.is_dir():
            return False
        if bundle is None:
            raise BotNotCached(digest)
        with TemporaryDirectory(prefix=UNPACK_PREFIX, dir=self.root) as temporary:
            unpacked = Path(temporary, BOT_FOLDER)
            unpacked.mkdir()
            unpack_bot(bundle, unpacked, digest)
            make_folders_readable(unpacked)
            folder.mkdir(exist_ok=True)
            try:
                unpacked.rename(bot_path)
            except OSError:  # another process may have been faster
                if not bot_path.is_dir():
                    raise
        return True

    def evict(self) -> None:
        """Remove the bots that were not played for longest until the rest is small enough."""
        with self.lock:
            for leftover in (
                *self.root.glob(f"{UNPACK_PREFIX}*"),
                *self.root.glob(f"{REMOVED_PREFIX}*"),
            ):
                with suppress(OSError):  # another process was faster
                    if time.time() - leftover.stat().st_mtime > STALE_SECONDS:
                        shutil.rmtree(leftover, ignore_errors=True)
            locks = sorted(self.root.glob("*.lock"), key=lambda lock: lock.stat().st_mtime_ns)
            sizes = {lock: disk_usage(self.root / lock.stem) for lock in locks}
            total = sum(sizes.values())
            for lock in locks:
                if total <= self.max_bytes:
                    return
                if sizes[lock] and self.evict_bot(lock):
                    total -= sizes[lock]

    def evict_bot(self, lock: Path) -> bool:
        """Remove a bot, unless a process plays with it; whether it was removed."""
        try:
            with FileLock(lock, create_mode=0o666):
                self.delete_bot(self.root / lock.stem)
        except LockHeld:
            return False
        LOG.info("the bot %s was removed from the full cache", lock.stem[:SHORT_DIGITS])
        return True

    def delete_bot(self, folder: Path) -> None:
        """Remove a bot at once for other processes, by renaming its folder first."""
        removed = self.root / f"{REMOVED_PREFIX}{folder.name}-{token_hex(4)}"
        with suppress(FileNotFoundError):  # another process was faster
            folder.rename(removed)
            shutil.rmtree(removed, ignore_errors=True)


def disk_usage(folder: Path) -> int:
    """The bytes that a bot takes up with its build."""
    if not folder.is_dir():
        return 0
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # it was just removed
            total += path.lstat().st_blocks * DISK_BLOCK
    return total
