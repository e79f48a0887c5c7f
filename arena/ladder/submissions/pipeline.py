"""Process a submission step by step: accept it as a version or refuse it with evidence."""

import re
import shutil
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

from msgspec import structs

from arena.archives.limits import BadArchive, UnpackLimits
from arena.archives.unpack import TEMP_PREFIX, unpack_upload
from arena.bots import manifest_process
from arena.bots.bot import Bot, load_bot
from arena.bots.build import delete_build
from arena.bots.build_folder import BadBuild
from arena.bots.digest import bot_digest
from arena.bots.launcher import Launcher
from arena.bots.manifest import MANIFEST_FILE, Manifest
from arena.bots.sandbox.limits import MIB
from arena.conformance.check import StepResult, run_steps
from arena.errors import ArenaError, BadBot
from arena.games.catalog import VARIANTS, Variant
from arena.ladder import limits, standings
from arena.ladder.disk_quota import DiskQuotaExceeded, check_quota, folder_size
from arena.ladder.folder import Ladder, install_version, make_read_only, register_versions
from arena.ladder.models import Submission, SubmissionMessage, Version
from arena.ladder.names import NAME_PATTERN, find_look_alike
from arena.ladder.registry import Registry
from arena.ladder.submissions import placement
from arena.ladder.submissions.messages import (
    AcceptedVersion,
    fault_evidence,
    opponent_table,
    step_message,
)
from arena.ladder.submissions.placement import PlacementResult
from arena.sanitize import printable
from arena.store.database import explain_errors, transaction
from arena.store.header import utc_now
from arena.store.run import Run, new_session
from arena.text import plural
from arena.tournaments.deals import add_salt
from arena.tournaments.play.local_backend import count_cores
from arena.tournaments.play.resume import code_hash

MessageCallback = Callable[[SubmissionMessage], None]
"""Is called with each message to the sender."""

TOO_MUCH_MEMORY: Final = (
    f"took more than {limits.MAX_MEMORY // MIB:,} MiB of memory; make bot.yaml simpler"
)
BUILD_MARKER: Final = "build"
"""The file beside an upload that names what was built for it."""
DIGEST_PATTERN: Final = re.compile("[0-9a-f]{64}")


class RefusedSubmission(ArenaError):
    """A submission that is not accepted, with the step, the reason and the evidence."""

    def __init__(self, step: str, text: str, evidence: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.message = SubmissionMessage(
            step=step, passed=False, text=text, evidence=evidence or {}
        )

    @classmethod
    def from_message(cls, message: SubmissionMessage) -> Self:
        """Create the error from a message to the sender."""
        return cls(message.step, message.text, message.evidence)


class SubmissionPipeline:
    """Processes one submission, in a work folder that is removed afterwards."""

    def __init__(
        self, ladder: Ladder, submission: Submission, work_folder: Path, on_message: MessageCallback
    ) -> None:
        self.ladder = ladder
        self.submission = submission
        self.work_folder = work_folder.absolute()
        self.on_message = on_message

    def process(self, upload: Path) -> Version:
        """Run all steps; no files are left unless the submission is accepted."""
        folder = self.work_folder / "bot"
        for leftover in (folder, *self.work_folder.glob(f"{TEMP_PREFIX}*")):  # of a killed process
            shutil.rmtree(leftover, ignore_errors=True)
        settings = self.ladder.settings
        try:
            with self.time_limit("building and checking it", limits.check_wall_seconds(settings)):
                self.unpack_upload(upload, folder)
                source = bot_path(folder)
                with limits.memory_limit(
                    RefusedSubmission("manifest", f"reading it {TOO_MUCH_MEMORY}")
                ):
                    manifest = self.load_manifest(source)
                    version = self.identify_version(source, manifest)
                if manifest and manifest.build:
                    self.mark_build(self.ladder.build_folder(version.digest))
                bot = replace(self.build_bot(source, manifest), name=version.bot)
                self.check_size(bot if manifest and manifest.build else None)
                self.run_check(bot)
            with self.time_limit("its placement games", limits.placement_wall_seconds(settings)):
                placed = self.play_placement(bot)
            self.accept(version, placed, folder)
            (self.work_folder / BUILD_MARKER).unlink(missing_ok=True)
        except RefusedSubmission as refused:
            raise RefusedSubmission.from_message(self.without_paths(refused.message)) from refused
        finally:
            remove_build(self.ladder, self.work_folder)
            shutil.rmtree(folder, ignore_errors=True)
        return version

    def time_limit(self, what: str, seconds: float) -> AbstractContextManager[None]:
        """Refuse the submission if some of the work on it takes longer."""
        text = limits.too_long_text(what, seconds, self.ladder.settings.keys.clock)
        return limits.time_limit(seconds, RefusedSubmission("time", text))

    def send_message(self, message: SubmissionMessage) -> None:
        """Send a message to the sender, without the paths of this machine."""
        self.on_message(self.without_paths(message))

    def without_paths(self, message: SubmissionMessage) -> SubmissionMessage:
        """Return a message without the paths of this machine."""
        evidence = {what: self.strip_paths(text) for what, text in message.evidence.items()}
        return structs.replace(message, text=self.strip_paths(message.text), evidence=evidence)

    def strip_paths(self, text: str) -> str:
        """Return a text without the paths of this machine."""
        plain = text
        known = [self.work_folder / "bot", self.work_folder, self.ladder.builds_folder]
        known.append(self.ladder.folder.absolute())
        for place in known:
            for path in {str(place), str(place.resolve())}:
                plain = plain.replace(f"{path}/", "")
                plain = re.sub(re.escape(path) + r"(?![\w.-])", "it", plain)
        return plain

    def mark_build(self, build: Path) -> None:
        """Record the build that only this submission uses, so that it can be removed."""
        if not build.exists():
            (self.work_folder / BUILD_MARKER).write_text(build.name)

    def unpack_upload(self, upload: Path, folder: Path) -> None:
        """Unpack the upload into a folder."""
        limit = self.ladder.settings.keys.submissions
        allowed = UnpackLimits(size=limit.size * MIB, total=limit.unpacked * MIB)
        try:
            found = unpack_upload(upload, self.submission.file, folder, allowed)
        except BadArchive as error:
            raise RefusedSubmission("unpack", str(error)) from error
        files = plural(found.files, "file")
        text = f"{found.kind}: {files}, {found.size / 1000:,.1f} kB"
        self.send_message(SubmissionMessage(step="unpack", passed=True, text=text))

    def load_manifest(self, source: Path) -> Manifest | None:
        """Load the manifest of the bot, if it is a folder."""
        if not source.is_dir():
            return None
        file = source / MANIFEST_FILE
        if not file.is_file():
            raise RefusedSubmission(
                "manifest",
                f"there is no {MANIFEST_FILE} at the top; add one with 'name:' and 'run:', or send "
                "a single script",
            )
        try:
            return manifest_process.load_untrusted_manifest(file)
        except BadBot as error:
            raise RefusedSubmission("manifest", str(error)) from error

    def identify_version(self, source: Path, manifest: Manifest | None) -> Version:
        """Determine the name, number and digest of the new version."""
        wanted = self.submission.name or (manifest.name if manifest else source.stem)
        if not NAME_PATTERN.match(wanted):
            near = re.sub(r"[^A-Za-z0-9._-]+", "-", wanted).strip("-._")[:32] or "my-bot"
            raise RefusedSubmission(
                "name",
                f"{printable(wanted)!r} cannot be a bot's name on a ladder; name it otherwise, "
                f"such as {near!r}, in its {MANIFEST_FILE} or with --name",
            )
        with Registry.open(self.ladder.folder) as registry:
            versions = registry.versions()
        content = bot_digest(source, manifest.ignore if manifest else ())
        name, number = self.name_and_number(versions, wanted, content)
        self.send_message(
            SubmissionMessage(step="name", passed=True, text=f"it will be {name} v{number}")
        )
        return Version(
            bot=f"{name} v{number}",
            name=name,
            number=number,
            owner=self.submission.owner,
            digest=content,
            message=self.submission.message,
            submitted=utc_now(),
            author=(manifest and manifest.author) or "",
            language=(manifest and manifest.language) or "",
            description=(manifest and manifest.description) or "",
        )

    def name_and_number(
        self, versions: list[Version], wanted: str, content: str
    ) -> tuple[str, int]:
        """The name as the ladder knows it, and the number of the next version."""
        same = next((one for one in versions if one.digest == content), None)
        if same is not None:
            state = f" and was retired: {same.why}" if same.state == "retired" else ""
            raise RefusedSubmission(
                "name", f"this is {same.bot}, which is on the ladder already{state}"
            )
        namesakes = [one for one in versions if one.name.casefold() == wanted.casefold()]
        for one in namesakes:
            if one.owner != self.submission.owner:
                whose = possessive_owner(one)
                raise RefusedSubmission(
                    "name", f"{one.name} is {whose}; choose another name with --name"
                )
        others = {one.name: one for one in versions if one.owner != self.submission.owner}
        if not namesakes and (other := find_look_alike(wanted, others)):
            raise RefusedSubmission(
                "name",
                f"{wanted} looks like {other}, which is {possessive_owner(others[other])}; choose "
                "another name with --name",
            )
        name = namesakes[-1].name if namesakes else wanted
        return name, max((one.number for one in namesakes), default=0) + 1

    def build_bot(self, source: Path, manifest: Manifest | None) -> Bot:
        """Load and build the bot."""
        try:
            bot = load_bot(source, self.ladder.build_settings)
        except BadBot as error:
            text, _, log = str(error).partition("\n")
            evidence = {"build log": log} if log else {}
            raise RefusedSubmission("build", text, evidence) from error
        build_text = (
            f"by '{printable(' '.join(manifest.build))}'"
            if manifest and manifest.build
            else "nothing to do"
        )
        self.send_message(SubmissionMessage(step="build", passed=True, text=build_text))
        return bot

    def check_size(self, built_bot: Bot | None) -> None:
        """Reject a build that is too large, and a bot that exceeds its owner's quota."""
        try:
            left = folder_size(built_bot.folder) if built_bot else 0
        except BadBuild as error:
            raise RefusedSubmission("build", f"its build {error}") from error
        most = self.ladder.settings.keys.submissions.build
        if left > most * MIB:
            raise RefusedSubmission(
                "build",
                f"its build has left {-(-left // MIB):,} MiB, and {most:,} are allowed; let the "
                "build remove what is not needed to play",
            )
        try:
            with Registry.open(self.ladder.folder) as registry:
                check_quota(self.ladder, registry, self.submission.owner, left)
        except DiskQuotaExceeded as error:
            raise RefusedSubmission("quota", str(error)) from error

    def ladder_variants(self) -> list[Variant[Any]]:
        """The variants of the ladder."""
        named = {cell.variant for cell in self.ladder.settings.cells}
        return [each for name, each in VARIANTS.items() if name in named]

    def run_check(self, bot: Bot) -> None:
        """Run all steps of `arena check` with the limits of the ladder."""
        config = self.ladder.settings.referee_config
        failed: list[StepResult] = []
        try:
            with Launcher(config.sandbox) as launcher:
                clock = self.ladder.settings.keys.clock
                watch = limits.CheckDeadline(clock).update
                for outcome in run_steps(bot, launcher, self.ladder_variants(), clock, watch):
                    if outcome.passed is not None:
                        self.send_message(step_message(outcome))
                    if outcome.passed is False:
                        failed.append(outcome)
        except BadBot as error:
            raise RefusedSubmission("check", str(error)) from error
        except limits.CheckTooLong as error:
            raise RefusedSubmission("time", str(error)) from error
        if failed:
            names = ", ".join(one.step for one in failed)
            raise RefusedSubmission(
                "check",
                f"it does not keep to the protocol ({names}); 'arena check' shows the same at home",
            )

    def play_placement(self, bot: Bot) -> PlacementResult:
        """Play placement games against reference bots; reject a bot with too many faults."""
        with Registry.open(self.ladder.folder) as registry:
            references = [one for one in registry.active_versions() if not one.owner]
        with Run.open(self.ladder.folder) as run:
            secret = add_salt(run.header.seed, self.submission.placement_salt)
        partners = [self.ladder.load_bot(one) for one in references]
        placed = placement.play_placement(self.ladder, bot, secret, partners, lambda *_: None)
        share = placed.faulty_games / max(1, placed.games)
        if share > self.ladder.settings.keys.placement.share:
            fault = placed.first_fault
            shown = fault_evidence(placed)
            why = f": {fault.fault}, {fault.text}" if fault else ""
            raise RefusedSubmission(
                "placement",
                f"it was at fault in {placed.faulty_games} of {placed.games} games{why}",
                shown,
            )
        cut = ""
        if placed.games < placed.planned_games:
            minutes = self.ladder.settings.keys.placement.minutes
            cut = f"; more of the {placed.planned_games} did not fit into {minutes:g} minutes"
        self.send_message(
            SubmissionMessage(
                step="placement",
                passed=True,
                text=f"{placed.games} games, {placed.faulty_games} with a fault, "
                f"{placed.cpu_ms:.2f} ms of CPU time a decision{cut}",
                table=opponent_table(placed),
            )
        )
        return placed

    def accept(self, version: Version, placed: PlacementResult, folder: Path) -> None:
        """Store the version, its files and its games in one transaction."""
        make_read_only(folder)
        joined = Run.open_beside(self.ladder.folder)
        with joined as run, explain_errors(run.file), transaction(run.connection):
            versions = Registry.of_run(run).versions()
            found = self.name_and_number(versions, version.name, version.digest)
            if found != (version.name, version.number):
                raise RefusedSubmission(
                    "accept", f"{version.bot} came in the meantime; send it again"
                )
            self.ladder.check_settings(run)
            settled = install_version(self.ladder, folder, version.digest)
            try:
                self.save_version(run, version, placed)
            except BaseException:
                shutil.rmtree(settled, ignore_errors=True)
                raise

    def save_version(self, run: Run, version: Version, placed: PlacementResult) -> None:
        """Store the version and its games, in the transaction in which its name was free."""
        register_versions(self.ladder, run, [version])
        store_games(run, self.ladder, placed, self.submission.placement_salt)
        Registry.of_run(run).accept_submission(self.submission.id, version.bot)

    def accepted_version(self, version: Version) -> AcceptedVersion:
        """Return the version with its line in the standings of the active versions."""
        with Registry.open(self.ladder.folder) as registry, Run.open(self.ladder.folder) as run:
            cells = standings.cell_ratings(run, self.ladder.settings.cells)
            active = {one.bot for one in registry.active_versions()}
            table = standings.overall_table(run, cells, active, registry.counted_cells())
        line = next((line for line in table.lines if line.bot == version.bot), None)
        return AcceptedVersion(version, line, sum(one.rank is not None for one in table.lines))


def possessive_owner(version: Version) -> str:
    """The owner of a bot in the possessive form."""
    return f"{version.owner}'s" if version.owner else "a reference bot's"


def remove_build(ladder: Ladder, work_folder: Path, digests: Collection[str] = ()) -> None:
    """Remove what was built for the submission in a folder, unless it is one of these versions."""
    with suppress(OSError):
        name = (work_folder / BUILD_MARKER).read_text()
        if DIGEST_PATTERN.fullmatch(name) and name not in digests:
            delete_build(ladder.builds_folder, name)
            (work_folder / BUILD_MARKER).unlink()


def store_games(run: Run, ladder: Ladder, placed: PlacementResult, salt: str) -> None:
    """Store placement games, if all their bots are on the ladder."""
    writer = run.writer
    writer.load_bot_ids()
    if not placed.is_counted:
        return
    sandbox = ladder.settings.referee_config.sandbox.level
    writer.session_id = writer.add_session(new_session(code_hash(), count_cores(), sandbox, salt))
    for block in placed.blocks:
        writer.add(block)


def bot_path(folder: Path) -> Path:
    """Return a bot's folder, or the script if the folder holds nothing else."""
    entries = list(folder.iterdir())
    if (folder / MANIFEST_FILE).exists() or len(entries) != 1 or entries[0].is_dir():
        return folder
    return entries[0]
