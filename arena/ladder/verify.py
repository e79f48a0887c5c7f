"""Verify a ladder: its nights, the versions that played in them, and dropped records."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ladder import settings
from arena.ladder.folder import anchor_bots
from arena.ladder.models import Night, NightSummary, Submission, Version
from arena.ladder.registry import Registry
from arena.ladder.registry_schema import MIGRATIONS
from arena.ladder.settings import LadderKeys
from arena.ratings.cell import Cell
from arena.store.block import DROPPED_RECORDS, unpack_games
from arena.store.hashes import block_digest, record_digests
from arena.store.run import Run
from arena.tournaments.check_run import RunChecker
from arena.tournaments.config import yaml_file
from arena.tournaments.plan_coverage import StoredBlock
from arena.tournaments.seatings import design
from arena.tournaments.verify import (
    LadderHash,
    RunVerification,
    VerifyCallback,
    session_salt,
    verify_blocks,
)


def verify_ladder(
    folder: Path,
    on_progress: VerifyCallback = lambda _done, _total: None,
    workers: int | None = None,
) -> RunVerification:
    """Verify a ladder as it stands now; blocks that are stored later are not checked."""
    with Run.open(folder) as run:
        checker = RunChecker(run.header)
        registry = Registry.of_run(run)
        ladder_checker = LadderChecker(run, registry, checker)
        migrations = MIGRATIONS[: registry.schema_version()]
        found = verify_blocks(run, checker, ladder_checker, on_progress, workers, migrations)
        return replace(found, hashed=ladder_checker.newest_hash)


def results_hash(run: Run, nights: Sequence[Night], night: Night, summary: NightSummary) -> str:
    """Hash a night that is over and all results up to its last block.

    The hash of the night before is hashed first, so that each hash covers all nights before it.
    """
    before = last_hashed_night([one for one in nights if one.number < night.number])
    first = before.summary.last if before and before.summary else 0
    keys = Registry.of_run(run).block_keys(first, summary.last)
    return chain_hash(before, night, summary, (stored_block_digest(run, key) for key in keys))


def last_hashed_night(nights: Sequence[Night]) -> Night | None:
    """The last of these nights whose results have a hash."""
    return next((one for one in reversed(nights) if one.summary and one.summary.results), None)


def chain_hash(
    before: Night | None, night: Night, summary: NightSummary, blocks: Iterable[bytes]
) -> str:
    """The hash over a night and its results, each block given by its own hash."""
    hashed = sha256(b"stichkampf-results-1")
    hashed.update((before.summary.results if before and before.summary else "").encode())
    for block in blocks:
        hashed.update(block)
    night_fields = (
        *(night.number, night.began, night.aim, night.bots, night.last),
        *(summary.blocks, summary.games, summary.new, summary.retired, summary.moves),
        *(summary.left_out, summary.last),
    )
    hashed.update(msgspec.json.encode(night_fields))
    return hashed.hexdigest()


def stored_block_digest(run: Run, key: bytes) -> bytes:
    """Hash all that the database holds about a block."""
    block, rows = run.block(key), run.block_rows(key)
    if block.packed_games == DROPPED_RECORDS:
        records = rows.dropped or b""
    else:
        try:
            records = record_digests(unpack_games(block.packed_games))
        except ArenaError:
            records = b""
    return block_digest(block, rows, session_salt(run, key), records)


class LadderChecker:
    """Compares the blocks of a ladder with its nights, versions and submissions."""

    needs_digests = True

    def __init__(self, run: Run, registry: Registry, checker: RunChecker) -> None:
        self.run = run
        self.checker = checker
        self.bot_names = [bot.name for bot in run.header.bots]
        self.cells = {Cell(*cell) for cell in checker.settings.cells}
        self.versions = {one.bot: one for one in registry.versions()}
        self.nights = registry.nights()
        self.submissions = {one.placement_salt: one for one in registry.submissions("accepted")}
        self.night_by_salt = {one.salt: one for one in self.nights}
        self.last_covered_block = max(
            (one.summary.last for one in self.nights if one.summary), default=0
        )
        """The last block that a night's summary covers."""
        self.block_digests: dict[int, bytes] = {}
        self.block_counts: Counter[str] = Counter()
        self.game_counts: Counter[str] = Counter()
        self.last_block: dict[str, int] = {}
        """For each salt, how many blocks and games it has, and the last block."""

    def check_block(self, block: StoredBlock) -> Iterator[str]:
        """What is wrong with a block on this ladder, whatever its games are."""
        self.block_digests[block.id] = block.digest
        self.block_counts[block.salt] += 1
        self.game_counts[block.salt] += block.games
        self.last_block[block.salt] = max(self.last_block.get(block.salt, 0), block.id)
        if block.cell not in self.cells:
            yield f"{block.cell} is not played on this ladder"
        if block.is_dropped:
            yield from self.check_dropped(block)
        bots = [self.bot_names[number] for number in block.table]
        if night := self.night_by_salt.get(block.salt):
            yield from self.check_night_block(block, bots, night)
        elif submission := self.submissions.get(block.salt):
            yield from self.check_placement_block(block, bots, submission)
        else:
            yield f"it belongs to no night and no submission of this ladder: {block.salt!r}"

    def check_dropped(self, block: StoredBlock) -> Iterator[str]:
        """What is wrong with records that were dropped."""
        if not block.has_record_hashes:
            yield "its records were dropped without keeping their hashes"
        for bot in (self.bot_names[number] for number in block.table):
            if bot in self.versions and self.versions[bot].state == "active":
                yield f"its records were dropped although {bot} is active"
        if block.id > self.last_covered_block:
            yield "its records were dropped before its night was over"

    def check_night_block(
        self, block: StoredBlock, bots: Sequence[str], night: Night
    ) -> Iterator[str]:
        """What is wrong with a block of a night."""
        for bot in bots:
            if bot not in night.bots:
                yield f"{bot} did not play in night {night.number}"
        if block.id <= night.last:
            yield f"it was stored before night {night.number} began"
        if night.summary and block.id > night.summary.last:
            yield f"it was stored after night {night.number} was over"
        if list(block.table) != sorted(block.table):
            yield "its bots do not sit in the order of the ladder"

    def check_placement_block(
        self, block: StoredBlock, bots: Sequence[str], submission: Submission
    ) -> Iterator[str]:
        """What is wrong with a placement game of a version."""
        if submission.bot not in bots:
            yield f"{submission.bot}, whose placement it is, does not play in it"
        for bot in bots:
            if bot != submission.bot and self.owner_of(bot):
                yield f"{bot} is not a reference bot"
        if list(bots) != sorted(bots):
            yield "its bots do not sit in the order of their names"
        if not 0 <= block.number < len(design("balanced", block.cell.seats)):
            yield f"placement has no deal {block.number}"

    def owner_of(self, bot: str) -> str:
        """The owner of a bot; empty for reference bots."""
        return self.versions[bot].owner if bot in self.versions else "nobody"

    def check_run(self) -> Iterator[str]:
        """What is wrong with the ladder as a whole."""
        yield from self.check_versions()
        yield from settings_differences(self.run.header.text, self.checker, self.run.header.rating)
        yield from self.check_nights()
        yield from self.check_hashes()

    def check_versions(self) -> Iterator[str]:
        """What is wrong with the versions that are registered."""
        entrants = {bot.name: bot.version for bot in self.run.header.bots}
        for name in sorted(entrants.keys() ^ self.versions.keys()):
            yield f"{name} is not both a version of the ladder and a bot of its run"
        for name in entrants.keys() & self.versions.keys():
            if not self.versions[name].digest.startswith(entrants[name]):
                yield f"{name} has another version in the run than on the ladder"
        if list(self.versions) != self.bot_names:
            yield "the bots of the run are not in the order of the versions"
        active = Counter(one.name for one in self.versions.values() if one.state == "active")
        for name in (name for name, times in active.items() if times > 1):
            yield f"{active[name]} versions of {name} are active"
        newest = {one.name: one for one in sorted(self.versions.values(), key=version_number)}
        for version in self.versions.values():
            if version.bot != f"{version.name} v{version.number}":
                yield f"{version.bot} is said to be version {version.number} of {version.name}"
            if version.state == "superseded" and newest[version.name] == version:
                yield f"{version.bot} is said to be superseded, and by no version"
        for submission in self.submissions.values():
            of = self.versions.get(submission.bot or "")
            if of is None or of.owner != submission.owner:
                yield f"submission {submission.id} did not become a version of {submission.owner}"
        reference = anchor_bots(self.versions.values())
        if tuple(self.run.header.rating.get("anchors") or ()) != reference:
            yield "the anchors of the ratings are not the active reference bots"

    def check_nights(self) -> Iterator[str]:
        """What is wrong with the nights and their summaries."""
        if [one.number for one in self.nights] != list(range(1, len(self.nights) + 1)):
            yield "the nights are not numbered one after the other"
        before = 0
        for night in self.nights:
            for bot in night.bots:
                if bot not in self.versions:
                    yield f"{bot} is listed in night {night.number} and is not a version"
            if night.last < before:
                yield f"night {night.number} began before the one before was over"
            if night.summary is None:
                continue
            summary, last = night.summary, self.last_block.get(night.salt, night.last)
            found = self.block_counts[night.salt], self.game_counts[night.salt], last
            if found != (summary.blocks, summary.games, summary.last):
                yield (
                    f"the summary of night {night.number} has {summary.blocks} blocks and "
                    f"{summary.games} games up to block {summary.last}, stored are {found[0]} and "
                    f"{found[1]} up to {found[2]}"
                )
            for bot, why in summary.retired:
                version = self.versions.get(bot)
                if version is None or (version.state, version.why) != ("retired", why):
                    yield f"{bot} was retired in night {night.number}, and is not"
            before = summary.last
        retired = {bot for one in self.nights if one.summary for bot, _ in one.summary.retired}
        for version in self.versions.values():
            if version.state == "retired" and version.bot not in retired:
                yield f"{version.bot} was retired in no night"

    def check_hashes(self) -> Iterator[str]:
        """Nights whose results are not those that were hashed when they were over."""
        before: Night | None = None
        open_ = list[Night]()
        for night in (one for one in self.nights if one.summary):
            assert night.summary is not None  # noqa: S101 (mypy does not see it)
            if not night.summary.results:
                open_.append(night)
                continue
            first = before.summary.last if before and before.summary else 0
            blocks = (
                self.block_digests.get(number, b"")
                for number in range(first + 1, night.summary.last + 1)
            )
            if chain_hash(before, night, night.summary, blocks) != night.summary.results:
                yield (
                    f"night {night.number} and the results up to it are not those that were hashed "
                    "when it was over"
                )
            before, open_ = night, []
        if open_:
            numbers = ", ".join(str(one.number) for one in open_)
            yield f"there is no hash over the results of night {numbers}"

    @property
    def newest_hash(self) -> LadderHash | None:
        """The newest hash over the results."""
        night = last_hashed_night(self.nights)
        return LadderHash(night.number, night.summary.results) if night and night.summary else None


def version_number(version: Version) -> int:
    """Sort key of the versions of a name."""
    return version.number


def settings_differences(text: str, checker: RunChecker, rating: dict[str, Any]) -> Iterator[str]:
    """How the `ladder.yaml` that the run holds differs from the run's settings."""
    file, run_settings = Path(settings.SETTINGS_FILE), checker.settings
    try:
        keys = yaml_file.convert_keys(
            file, yaml_file.parse_yaml(file, text), LadderKeys, settings.KEY_HELP
        )
        cells = settings.find_ladder_cells(file, keys)
    except ArenaError as error:
        yield f"its settings cannot be read: {error}"
        return
    for key, ladder_value, run_value in (
        ("variants", cells, tuple(Cell(*cell) for cell in run_settings.cells)),
        ("deals", keys.deals, run_settings.deals),
        ("clock", keys.clock, run_settings.clock),
        ("standing", keys.standing, rating.get("standing")),
    ):
        if ladder_value != run_value:
            yield f"its ladder.yaml has another {key!r} than its settings"
    if run_settings.seating != "balanced":
        yield "a ladder's seating is always balanced"
