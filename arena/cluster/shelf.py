"""The shelf: bots that came to this machine, unpacked and built once, and cleared up by size."""

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

from arena.bots.bot import Bot, find
from arena.bots.build import Workshop, cache
from arena.bots.bundle import unpack
from arena.bots.contents import SHOWN, admit, digest
from arena.cluster.messages import Entry
from arena.errors import ArenaError

LOG = logging.getLogger(__name__)

MOST = "STICHKAMPF_SHELF_MIB"
"""The variable that says how many MiB bots may take up on this machine."""
USUAL = 2048
MIB = 1 << 20

BLOCK = 512
"""Bytes of what the system calls a block of a file."""
HOMES = "bot"
BUILDS = "built"
UNPACKING = ".unpacking-"
GONE = ".gone-"
ABANDONED = 3600
"""Seconds after which what was begun to be unpacked or removed was left by somebody killed."""


class NotThere(ArenaError):
    """A bot that nobody has brought yet."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"the bot {digest[:SHOWN]} is not on this machine")
        self.digest = digest


def allowed() -> int:
    """How many bytes bots may take up on this machine."""
    told = os.environ.get(MOST, "")
    return (int(told) if told.isdecimal() else USUAL) * MIB


class Shelf:
    """Bots by their digests, shared by all workers of a machine that have the same home."""

    def __init__(self, root: Path | None = None, most: int | None = None) -> None:
        self.root = root or cache().parent / "shelf"
        self.most = allowed() if most is None else most
        self.ready: dict[tuple[Entry, Workshop], Bot] = {}
        """What was found and built by this process."""
        self.lock = Lock()

    def filled(self, digests: Iterable[str]) -> tuple[str, ...]:
        """Those of these bots that are there at the moment."""
        return tuple(digest for digest in digests if (self.root / digest / HOMES).is_dir())

    @contextmanager
    def holding(self, digest: str) -> Iterator[Path]:
        """The place of a bot, which nobody clears up in the meantime."""
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / f"{digest}.lock").open("a+") as held:
            fcntl.flock(held, fcntl.LOCK_SH)
            os.utime(held.fileno())
            yield self.root / digest

    @contextmanager
    def bot(self, entry: Entry, workshop: Workshop, bundles: Mapping[str, bytes]) -> Iterator[Bot]:
        """A bot that can be launched as long as this lasts; NotThere if it has to be brought."""
        with self.holding(entry.digest) as place:
            fresh = self.put(place, entry.digest, bundles.get(entry.digest))
            try:
                yield self.found(entry, workshop, place)
            finally:
                if fresh:
                    self.clear_up()

    def found(self, entry: Entry, workshop: Workshop, place: Path) -> Bot:
        """A bot whose files are there; if somebody has changed them, they are thrown away."""
        home = place / HOMES / entry.script if entry.script else place / HOMES
        known = self.ready.get((entry, workshop))
        if known is None or not known.home.exists():
            known = find(home, replace(workshop, place=place / BUILDS))
            self.ready[entry, workshop] = replace(known, name=entry.name)
        if digest(home, known.ignored) != entry.digest:
            del self.ready[entry, workshop]
            self.throw_away(place)
            raise NotThere(entry.digest)
        return self.ready[entry, workshop]

    def put(self, place: Path, digest: str, bundle: bytes | None) -> bool:
        """Make sure that a bot's files are there; whether they were not."""
        home = place / HOMES
        if home.is_dir():
            return False
        if bundle is None:
            raise NotThere(digest)
        with TemporaryDirectory(prefix=UNPACKING, dir=self.root) as yard:
            made = Path(yard, HOMES)
            made.mkdir()
            unpack(bundle, made, digest)
            admit(made)
            place.mkdir(exist_ok=True)
            try:
                made.rename(home)
            except OSError:  # somebody else may have been faster
                if not home.is_dir():
                    raise
        return True

    def clear_up(self) -> None:
        """Remove the bots that nobody has played for longest until the rest is small enough."""
        with self.lock:
            for left in (*self.root.glob(f"{UNPACKING}*"), *self.root.glob(f"{GONE}*")):
                with suppress(OSError):  # somebody else was faster
                    if time.time() - left.stat().st_mtime > ABANDONED:
                        shutil.rmtree(left, ignore_errors=True)
            locks = sorted(self.root.glob("*.lock"), key=lambda lock: lock.stat().st_mtime_ns)
            sizes = {lock: taken(self.root / lock.stem) for lock in locks}
            total = sum(sizes.values())
            for lock in locks:
                if total <= self.most:
                    return
                if sizes[lock] and self.remove(lock):
                    total -= sizes[lock]

    def remove(self, lock: Path) -> bool:
        """Remove a bot, unless somebody plays with it."""
        with lock.open("a+") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            self.throw_away(self.root / lock.stem)
        LOG.info("the bot %s made room for others", lock.stem[:SHOWN])
        return True

    def throw_away(self, place: Path) -> None:
        """Remove a bot, which others see whole or not at all."""
        gone = self.root / f"{GONE}{place.name}-{token_hex(4)}"
        with suppress(FileNotFoundError):  # somebody else was faster
            place.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)


def taken(place: Path) -> int:
    """The bytes that a bot takes up with its build."""
    if not place.is_dir():
        return 0
    total = 0
    for path in place.rglob("*"):
        with suppress(OSError):  # it was just removed
            total += path.lstat().st_blocks * BLOCK
    return total
