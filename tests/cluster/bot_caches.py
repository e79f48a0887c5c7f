"""Bot caches for tests: what is in them, and other processes that have the same one."""

from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.build import BuildSettings
from arena.cluster.bot_cache import BotCache
from tests.cluster import bots

NO_SANDBOX = BuildSettings()
BUILD_MANIFEST = "run: [./out]\nbuild: [sh, build.sh]"
"""A build that takes note of each time it is run, below the folder of the whole bot cache."""


def build_script(then: str = "") -> str:
    """Return the script of such a build."""
    return f"echo run >> ../../../../../builds\n{then}\ncp source.txt out && chmod +x out\n"


def add_bot(cache: BotCache, place: Path) -> Bot:
    """Add a bot to a cache and release it."""
    (entry,), bundles = bots.bundle_bots(place)
    with cache.hold_bot(entry, NO_SANDBOX, bundles) as bot:
        return bot


def cached_digests(cache: BotCache) -> set[str]:
    """Return the digests of the cached bots."""
    return {path.name for path in cache.root.iterdir() if path.is_dir()}


FORK = get_context("fork")


class BotHolder:
    """Another process with the same bot cache, which holds a bot until it is told to let go."""

    def __init__(self, cache: BotCache, place: Path) -> None:
        self.pipe, theirs = FORK.Pipe()
        self.process = FORK.Process(target=self.hold, args=(cache, place, theirs))
        self.process.start()
        theirs.close()

    def hold(self, cache: BotCache, place: Path, pipe: Connection) -> None:
        """Hold it."""
        (entry,), bundles = bots.bundle_bots(place)
        with cache.hold_bot(entry, NO_SANDBOX, bundles) as bot:
            pipe.send(bot.folder)
            pipe.recv()

    def folder(self) -> Path:
        """Where its bot is, as soon as it is there."""
        found: Path = self.pipe.recv()
        return found

    def close(self) -> None:
        """End it, however far it is."""
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()
