"""Cache of unpacked and built bots on a worker's machine, limited in size."""

import fcntl
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
from arena.bots.bundle import unpack
from arena.bots.digest import SHORT_DIGITS, bot_digest, make_folders_readable
from arena.cluster.messages import BotEntry
from arena.errors import ArenaError

LOG = logging.getLogger(__name__)

SIZE_VARIABLE = "STICHKAMPF_SHELF_MIB"
"""The variable that says how many MiB bots may take up on this machine."""
DEFAULT_MIB = 2048
MIB = 1 << 20

DISK_BLOCK = 512
"""Bytes of what the system calls a block of a file."""
BOT_FOLDER = "bot"
BUILD_FOLDER = "built"
UNPACK_PREFIX = ".unpacking-"
REMOVED_PREFIX = ".gone-"
STALE_SECONDS = 3600
"""Seconds after which what was begun to be unpacked or removed was left by somebody killed."""


class BotNotCached(ArenaError):
    """A bot that nobody has brought yet."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"the bot {digest[:SHORT_DIGITS]} is not on this machine")
        self.digest = digest


def size_limit() -> int:
    """How many bytes bots may take up on this machine."""
    told = os.environ.get(SIZE_VARIABLE, "")
    return (int(told) if told.isdecimal() else DEFAULT_MIB) * MIB


class BotCache:
    """Bots by their digests, shared by all workers of a machine that have the same home."""

    def __init__(self, root: Path | None = None, max_bytes: int | None = None) -> None:
        self.root = root or builds_folder().parent / "shelf"
        self.max_bytes = size_limit() if max_bytes is None else max_bytes
        self.ready_bots: dict[tuple[BotEntry, BuildSettings], Bot] = {}
        """What was found and built by this process."""
        self.lock = Lock()

    def find_cached(self, digests: Iterable[str]) -> tuple[str, ...]:
        """Those of these bots that are there at the moment."""
        return tuple(digest for digest in digests if (self.root / digest / BOT_FOLDER).is_dir())

    @contextmanager
    def lock_bot(self, digest: str) -> Iterator[Path]:
        """The place of a bot, which nobody clears up in the meantime."""
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / f"{digest}.lock").open("a+") as held:
            fcntl.flock(held, fcntl.LOCK_SH)
            os.utime(held.fileno())
            yield self.root / digest

    @contextmanager
    def hold_bot(
        self, entry: BotEntry, settings: BuildSettings, bundles: Mapping[str, bytes]
    ) -> Iterator[Bot]:
        """A bot that can be launched as long as this lasts; NotThere if it has to be brought."""
        with self.lock_bot(entry.digest) as place:
            fresh = self.ensure_unpacked(place, entry.digest, bundles.get(entry.digest))
            try:
                yield self.load_bot(entry, settings, place)
            finally:
                if fresh:
                    self.evict()

    def load_bot(self, entry: BotEntry, settings: BuildSettings, folder: Path) -> Bot:
        """A bot whose files are there; if somebody has changed them, they are thrown away."""
        home = folder / BOT_FOLDER / entry.script if entry.script else folder / BOT_FOLDER
        known = self.ready_bots.get((entry, settings))
        if known is None or not known.path.exists():
            known = load_bot(home, replace(settings, builds_folder=folder / BUILD_FOLDER))
            self.ready_bots[entry, settings] = replace(known, name=entry.name)
        if bot_digest(home, known.ignored) != entry.digest:
            del self.ready_bots[entry, settings]
            self.delete_bot(folder)
            raise BotNotCached(entry.digest)
        return self.ready_bots[entry, settings]

    def ensure_unpacked(self, folder: Path, digest: str, bundle: bytes | None) -> bool:
        """Make sure that a bot's files are there; whether they were not."""
        home = folder / BOT_FOLDER
        if home.is_dir():
            return False
        if bundle is None:
            raise BotNotCached(digest)
        with TemporaryDirectory(prefix=UNPACK_PREFIX, dir=self.root) as yard:
            made = Path(yard, BOT_FOLDER)
            made.mkdir()
            unpack(bundle, made, digest)
            make_folders_readable(made)
            folder.mkdir(exist_ok=True)
            try:
                made.rename(home)
            except OSError:  # somebody else may have been faster
                if not home.is_dir():
                    raise
        return True

    def evict(self) -> None:
        """Remove the bots that nobody has played for longest until the rest is small enough."""
        with self.lock:
            for left in (
                *self.root.glob(f"{UNPACK_PREFIX}*"),
                *self.root.glob(f"{REMOVED_PREFIX}*"),
            ):
                with suppress(OSError):  # somebody else was faster
                    if time.time() - left.stat().st_mtime > STALE_SECONDS:
                        shutil.rmtree(left, ignore_errors=True)
            locks = sorted(self.root.glob("*.lock"), key=lambda lock: lock.stat().st_mtime_ns)
            sizes = {lock: disk_usage(self.root / lock.stem) for lock in locks}
            total = sum(sizes.values())
            for lock in locks:
                if total <= self.max_bytes:
                    return
                if sizes[lock] and self.evict_bot(lock):
                    total -= sizes[lock]

    def evict_bot(self, lock: Path) -> bool:
        """Remove a bot, unless somebody plays with it."""
        with lock.open("a+") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            self.delete_bot(self.root / lock.stem)
        LOG.info("the bot %s made room for others", lock.stem[:SHORT_DIGITS])
        return True

    def delete_bot(self, folder: Path) -> None:
        """Remove a bot, which others see whole or not at all."""
        gone = self.root / f"{REMOVED_PREFIX}{folder.name}-{token_hex(4)}"
        with suppress(FileNotFoundError):  # somebody else was faster
            folder.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)


def disk_usage(folder: Path) -> int:
    """The bytes that a bot takes up with its build."""
    if not folder.is_dir():
        return 0
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # it was just removed
            total += path.lstat().st_blocks * DISK_BLOCK
    return total
