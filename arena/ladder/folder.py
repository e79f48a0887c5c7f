"""The folder of a ladder: its layout, creating and opening it, and storing versions in it."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from arena.bots.bot import Bot, load_bot
from arena.bots.build import BuildSettings
from arena.bots.manifest import MANIFEST_FILE as MANIFEST
from arena.bots.sandbox.host import check_hidden
from arena.bots.sandbox.limits import SandboxLevel
from arena.errors import ArenaError, BadBot
from arena.ladder import settings as ladder_settings
from arena.ladder.models import Version
from arena.ladder.registry import Registry
from arena.ladder.settings import LadderSettings
from arena.store.header import Entrant, RunHeader, sync_folder, write_header
from arena.store.run import Run
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.play.resume import (
    FIXED_SETTINGS,
    SEED_BYTES,
    cell_changes,
    limit_changes,
    run_header,
    setting_text,
)

BOTS_FOLDER: Final = "bots"
BUILDS_FOLDER: Final = "builds"
UPLOADS_FOLDER: Final = "incoming"
SITE_FOLDER: Final = "site"
LOGS_FOLDER: Final = "logs"

CHANGEABLE_KEYS: Final = {"chunk"}
"""Keys that fix the games of a tournament, but of a ladder only the size of its portions."""


@dataclass(frozen=True)
class Ladder:
    """A ladder's folder with its settings."""

    folder: Path
    settings: LadderSettings

    @property
    def build_settings(self) -> BuildSettings:
        """The folder and the sandbox in which its bots are built."""
        network = self.settings.keys.submissions.build_network
        return BuildSettings(self.settings.referee_config.sandbox, network, self.builds_folder)

    @property
    def builds_folder(self) -> Path:
        """The folder of the builds of its bots, apart from those of its operator."""
        return self.folder.absolute() / BUILDS_FOLDER

    def build_folder(self, digest: str) -> Path:
        """The folder of the build of the version with this digest."""
        return self.builds_folder / digest

    def version_path(self, digest: str) -> Path:
        """The path of the version with this digest: a folder with `bot.yaml`, or a script."""
        folder = self.folder / BOTS_FOLDER / digest
        if (folder / MANIFEST).is_file() or not folder.is_dir():
            return folder
        return next(iter(folder.iterdir()), folder)

    def load_bot(self, version: Version) -> Bot:
        """Load a version that can be launched; reject it if its files have changed."""
        bot = replace(
            load_bot(self.version_path(version.digest), self.build_settings), name=version.bot
        )
        if bot.digest != version.digest:
            raise BadBot(
                f"{version.bot} is not what it was: {self.version_path(version.digest)} changed"
            )
        return bot

    def run_header(
        self, versions: Sequence[Version], seed: str, created: str | None = None
    ) -> RunHeader:
        """Make the header of the ladder's run from its settings and these versions."""
        header = run_header(self.tournament((), seed, anchor_bots(versions)), seed, created)
        bots = tuple(
            Entrant(one.bot, one.digest, str(self.version_path(one.digest).resolve()))
            for one in versions
        )
        named = {one.bot: one.digest for one in versions}
        return msgspec.structs.replace(
            header, bots=bots, settings={**header.settings, "bots": named}
        )

    def tournament(
        self, bots: Iterable[tuple[Bot, Path]], seed: str, anchored: tuple[str, ...] = ()
    ) -> Tournament:
        """Make a tournament of some bots with the settings of the ladder."""
        found = tuple(bots)
        return self.settings.tournament(
            tuple(bot for bot, _ in found), tuple(str(path) for _, path in found), anchored, seed
        )

    def check_settings(self, run: Run) -> None:
        """Reject settings whose games could not be compared with those in the run."""
        if not run.game_count():
            return
        old = run.header.settings
        new = self.run_header((), run.header.seed).settings
        wrong = [
            f"{what} was {setting_text(old.get(key))} and is now {setting_text(new.get(key))}"
            for key, what in FIXED_SETTINGS.items()
            if key not in CHANGEABLE_KEYS and old.get(key) != new.get(key)
        ]
        wrong += [change for change, harmless in limit_changes(old, new) if not harmless]
        wrong += cell_changes(old, new)[0]
        if wrong:
            raise ArenaError(
                f"{self.settings.file}: {'; '.join(wrong)}; games under other terms do not "
                "compare: put it back, or make a new ladder"
            )


def open_ladder(folder: Path, level: SandboxLevel | None = None) -> Ladder:
    """Open the ladder in a folder."""
    check_hidden(folder)
    return Ladder(folder, ladder_settings.load_settings(folder, level))


def upgrade_ladder(folder: Path) -> None:
    """Migrate the database of a ladder that an older version of the program made.

    One process at a time does that, and none while a night is played.
    """
    Run.open(folder).close()
    with Registry.open_read_only(folder) as registry:
        if not registry.is_outdated():
            return
    with Run.open_for_writing(folder), Registry.open(folder):
        pass


def anchor_bots(versions: Iterable[Version]) -> tuple[str, ...]:
    """The reference bots, whose mean rating is 25: frozen copies, so that it stays the same."""
    return tuple(one.bot for one in versions if not one.owner and one.state == "active")


def create_ladder_folder(
    folder: Path, text: str, populate: Callable[[Ladder], object] = lambda _: None
) -> Ladder:
    """Create a ladder with these settings, and `populate` it; on an error nothing is left."""
    check_hidden(folder)
    missing = missing_folders(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ladder_settings.SETTINGS_FILE).write_text(text, encoding="utf-8")
        for name in (BOTS_FOLDER, UPLOADS_FOLDER, LOGS_FOLDER):
            (folder / name).mkdir()
        (folder / UPLOADS_FOLDER).chmod(0o700)
        ladder = open_ladder(folder)
        seed = secrets.token_hex(SEED_BYTES)
        with Run.create(folder, ladder.run_header((), seed), copy_file=False) as run:
            run.file.chmod(0o600)  # it holds the secret of all deals to come
        with Registry.open(folder):
            pass
        populate(ladder)
    except OSError as error:
        remove_unfinished(folder, missing)
        raise ArenaError(f"{folder} cannot be written: {error.strerror}") from error
    except BaseException:
        remove_unfinished(folder, missing)
        raise
    return ladder


def missing_folders(folder: Path) -> list[Path]:
    """Find the folders to create for a new ladder; reject a folder that is not empty."""
    try:
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        taken = not missing and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise ArenaError(f"{folder} cannot be made: {error.strerror}") from error
    if taken:
        raise ArenaError(f"{folder} is there and not empty; name a folder that is not there yet")
    return missing


def remove_unfinished(folder: Path, created: Iterable[Path]) -> None:
    """Remove an unfinished ladder, and the parent folders that were created for it."""
    with suppress(OSError):
        for entry in list(folder.iterdir()):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for place in created:
            place.rmdir()


def make_read_only(bot: Path) -> None:
    """Make a bot's files readable by all users and read-only, and write them to the disk."""
    for path in sorted(bot.rglob("*"), reverse=True):
        if path.is_dir():
            path.chmod(0o755)
        else:
            path.chmod(0o555 if path.stat().st_mode & 0o111 else 0o444)
    bot.chmod(0o755)
    for path in bot.rglob("*"):
        if path.is_file():
            with path.open("rb") as stream:
                os.fsync(stream.fileno())


def register_versions(ladder: Ladder, run: Run, versions: Iterable[Version]) -> None:
    """Add versions to the registry and to the run's header, in the caller's transaction."""
    registry = Registry.of_run(run)
    for version in versions:
        registry.add_version(version)
    header = ladder.run_header(registry.versions(), run.header.seed, run.header.created)
    write_header(run.connection, run.folder, header)


def install_version(ladder: Ladder, bot: Path, digest: str) -> Path:
    """Move the folder of a bot's files into the folder of versions."""
    place = ladder.folder / BOTS_FOLDER / digest
    if place.exists():  # left by a process that was killed before this became a version
        shutil.rmtree(place)
    bot.rename(place)
    sync_folder(place.parent)
    return place
