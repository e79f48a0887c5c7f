"""Admission: a submission becomes a version, step by step, or is refused with evidence."""

import re
import shutil
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

from msgspec import structs

from arena.bots import manifest_process
from arena.bots.bot import Bot, find
from arena.bots.build import forget
from arena.bots.contents import digest
from arena.bots.handover import BadBuild
from arena.bots.launcher import Launcher
from arena.bots.manifest import FILE, Manifest
from arena.conformance.check import Outcome, check
from arena.errors import ArenaError, BadBot
from arena.games.catalog import VARIANTS, Variant
from arena.ladder import limits, placement, reckoning
from arena.ladder.answers import Accepted, fault_evidence, rows, step_of
from arena.ladder.archives import YARD, unpack
from arena.ladder.facts import Said, Submission, Version
from arena.ladder.folder import Ladder, freeze, settle
from arena.ladder.names import NAME, look_alike
from arena.ladder.placement import Placed
from arena.ladder.quota import MIB, NoRoom, check_quota, size
from arena.ladder.registry import Registry, now
from arena.ladder.uploads.allowance import Allowed, BadArchive
from arena.printable import printable
from arena.store.database import explained, transaction
from arena.store.founding import write_header
from arena.store.run import Run, about
from arena.tournaments.deals import salted
from arena.tournaments.local import cores
from arena.tournaments.opening import code

Say = Callable[[Said], None]
"""Tells whoever sent it how far it is."""

TOO_MUCH: Final = f"took more than {limits.MEMORY // MIB:,} MiB of memory; make bot.yaml simpler"
BUILD: Final = "build"
"""The file beside an upload that names what was built for it."""
DIGEST: Final = re.compile("[0-9a-f]{64}")


class Refused(ArenaError):
    """A submission that is not accepted: at which step, why, and what shows it."""

    def __init__(self, step: str, text: str, evidence: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.said = Said(step=step, passed=False, text=text, evidence=evidence or {})

    @classmethod
    def of(cls, said: Said) -> Self:
        """The same from what is to be said."""
        return cls(said.step, said.text, said.evidence)


class Admission:
    """One submission on its way, in a folder that is removed whatever becomes of it."""

    def __init__(self, ladder: Ladder, submission: Submission, place: Path, say: Say) -> None:
        self.ladder = ladder
        self.submission = submission
        self.place = place.absolute()
        self.heard = say

    def admit(self, upload: Path) -> Version:
        """Go through all steps; nothing is left behind unless it is accepted."""
        folder = self.place / "bot"
        for left in (folder, *self.place.glob(f"{YARD}*")):  # by somebody who was killed
            shutil.rmtree(left, ignore_errors=True)
        settings = self.ladder.settings
        try:
            with self.time_limit("building and checking it", limits.check_limit(settings)):
                self.unpacked(upload, folder)
                source = alone(folder)
                with limits.memory_limit(Refused("manifest", f"reading it {TOO_MUCH}")):
                    told = self.manifest(source)
                    version = self.identity(source, told)
                if told and told.build:
                    self.mark(self.ladder.build(version.digest))
                bot = replace(self.built(source, told), name=version.bot)
                self.check_size(bot if told and told.build else None)
                self.checked(bot)
            with self.time_limit("its placement games", limits.placement_limit(settings)):
                placed = self.placed(bot)
            self.accepted(version, placed, folder)
            (self.place / BUILD).unlink(missing_ok=True)
        except Refused as refused:
            raise Refused.of(self.plain(refused.said)) from refused
        finally:
            forget_build(self.ladder, self.place)
            shutil.rmtree(folder, ignore_errors=True)
        return version

    def time_limit(self, what: str, seconds: float) -> AbstractContextManager[None]:
        """Refuse the submission if some of the work on it takes longer."""
        text = limits.too_long(what, seconds, self.ladder.settings.keys.clock)
        return limits.time_limit(seconds, Refused("time", text))

    def say(self, said: Said) -> None:
        """Tell whoever sent it how far it is."""
        self.heard(self.plain(said))

    def plain(self, said: Said) -> Said:
        """What is said, without the paths of this machine."""
        evidence = {what: self.told(text) for what, text in said.evidence.items()}
        return structs.replace(said, text=self.told(said.text), evidence=evidence)

    def told(self, text: str) -> str:
        """A text without the paths of this machine."""
        plain = text
        known = [self.place / "bot", self.place, self.ladder.builds]
        known.append(self.ladder.folder.absolute())
        for place in known:
            for path in {str(place), str(place.resolve())}:
                plain = plain.replace(f"{path}/", "")
                plain = re.sub(re.escape(path) + r"(?![\w.-])", "it", plain)
        return plain

    def mark(self, build: Path) -> None:
        """Note which build is this submission's alone, for whoever has to remove it."""
        if not build.exists():
            (self.place / BUILD).write_text(build.name)

    def unpacked(self, upload: Path, folder: Path) -> None:
        """What was sent becomes a folder."""
        limit = self.ladder.settings.keys.submissions
        allowed = Allowed(size=limit.size * MIB, total=limit.unpacked * MIB)
        try:
            found = unpack(upload, self.submission.file, folder, allowed)
        except BadArchive as error:
            raise Refused("unpack", str(error)) from error
        files = "1 file" if found.files == 1 else f"{found.files} files"
        text = f"{found.kind}: {files}, {found.size / 1000:,.1f} kB"
        self.say(Said(step="unpack", passed=True, text=text))

    def manifest(self, source: Path) -> Manifest | None:
        """What the bot says of itself, if it is a folder."""
        if not source.is_dir():
            return None
        file = source / FILE
        if not file.is_file():
            raise Refused(
                "manifest",
                f"there is no {FILE} at the top; add one with 'name:' and 'run:', or send "
                "a single script",
            )
        try:
            return manifest_process.load(file)
        except BadBot as error:
            raise Refused("manifest", str(error)) from error

    def identity(self, source: Path, told: Manifest | None) -> Version:
        """Which version of which bot it is going to be."""
        wanted = self.submission.name or (told.name if told else source.stem)
        if not NAME.match(wanted):
            near = re.sub(r"[^A-Za-z0-9._-]+", "-", wanted).strip("-._")[:32] or "my-bot"
            raise Refused(
                "name",
                f"{printable(wanted)!r} cannot be a bot's name on a ladder; name it otherwise, "
                f"such as {near!r}, in its {FILE} or with --name",
            )
        with Registry.open(self.ladder.folder) as registry:
            versions = registry.versions()
        content = digest(source, told.ignore if told else ())
        name, number = self.numbered(versions, wanted, content)
        self.say(Said(step="name", passed=True, text=f"it will be {name} v{number}"))
        return Version(
            bot=f"{name} v{number}",
            name=name,
            number=number,
            owner=self.submission.owner,
            digest=content,
            message=self.submission.message,
            submitted=now(),
            author=(told and told.author) or "",
            language=(told and told.language) or "",
            description=(told and told.description) or "",
        )

    def numbered(self, versions: list[Version], wanted: str, content: str) -> tuple[str, int]:
        """The name as the ladder knows it, and the number of the next version."""
        same = next((one for one in versions if one.digest == content), None)
        if same is not None:
            state = f" and was retired: {same.why}" if same.state == "retired" else ""
            raise Refused("name", f"this is {same.bot}, which is on the ladder already{state}")
        namesakes = [one for one in versions if one.name.casefold() == wanted.casefold()]
        for one in namesakes:
            if one.owner != self.submission.owner:
                whose = whose_name(one)
                raise Refused("name", f"{one.name} is {whose}; choose another name with --name")
        others = {one.name: one for one in versions if one.owner != self.submission.owner}
        if not namesakes and (other := look_alike(wanted, others)):
            raise Refused(
                "name",
                f"{wanted} looks like {other}, which is {whose_name(others[other])}; choose "
                "another name with --name",
            )
        name = namesakes[-1].name if namesakes else wanted
        return name, max((one.number for one in namesakes), default=0) + 1

    def built(self, source: Path, told: Manifest | None) -> Bot:
        """The bot, ready to be run."""
        try:
            bot = find(source, self.ladder.workshop)
        except BadBot as error:
            text, _, log = str(error).partition("\n")
            evidence = {"build log": log} if log else {}
            raise Refused("build", text, evidence) from error
        made = f"by '{printable(' '.join(told.build))}'" if told and told.build else "nothing to do"
        self.say(Said(step="build", passed=True, text=made))
        return bot

    def check_size(self, built: Bot | None) -> None:
        """Refuse a build that is too large, and a bot beyond its owner's quota."""
        try:
            left = size(built.folder) if built else 0
        except BadBuild as error:
            raise Refused("build", f"its build {error}") from error
        most = self.ladder.settings.keys.submissions.build
        if left > most * MIB:
            raise Refused(
                "build",
                f"its build has left {-(-left // MIB):,} MiB, and {most:,} are allowed; let the "
                "build remove what is not needed to play",
            )
        try:
            with Registry.open(self.ladder.folder) as registry:
                check_quota(self.ladder, registry, self.submission.owner, left)
        except NoRoom as error:
            raise Refused("quota", str(error)) from error

    def variants(self) -> list[Variant[Any]]:
        """The variants of the ladder."""
        named = {cell.variant for cell in self.ladder.settings.cells}
        return [each for name, each in VARIANTS.items() if name in named]

    def checked(self, bot: Bot) -> None:
        """Every step of `arena check`, on the ladder's terms."""
        terms = self.ladder.settings.terms
        failed: list[Outcome] = []
        try:
            with Launcher(terms.sandbox) as launcher:
                clock = self.ladder.settings.keys.clock
                watch = limits.Waiting(clock).watch
                for outcome in check(bot, launcher, self.variants(), clock, watch):
                    if outcome.passed is not None:
                        self.say(step_of(outcome))
                    if outcome.passed is False:
                        failed.append(outcome)
        except BadBot as error:
            raise Refused("check", str(error)) from error
        except limits.TooLong as error:
            raise Refused("time", str(error)) from error
        if failed:
            names = ", ".join(one.step for one in failed)
            raise Refused(
                "check",
                f"it does not keep to the protocol ({names}); 'arena check' shows the same at home",
            )

    def placed(self, bot: Bot) -> Placed:
        """Games against reference bots."""
        with Registry.open(self.ladder.folder) as registry:
            references = [one for one in registry.active() if not one.owner]
        with Run.open(self.ladder.folder) as run:
            secret = salted(run.header.seed, placement.salt(self.submission.id))
        partners = [self.ladder.bot(one) for one in references]
        placed = placement.place(self.ladder, bot, secret, partners, lambda *_: None)
        share = placed.faulty / max(1, placed.games)
        if share > self.ladder.settings.keys.placement.share:
            fault = placed.fault
            shown = fault_evidence(placed)
            why = f": {fault.fault}, {fault.text}" if fault else ""
            raise Refused(
                "placement",
                f"it was at fault in {placed.faulty} of {placed.games} games{why}",
                shown,
            )
        cut = ""
        if placed.games < placed.wanted:
            minutes = self.ladder.settings.keys.placement.minutes
            cut = f"; more of the {placed.wanted} did not fit into {minutes:g} minutes"
        self.say(
            Said(
                step="placement",
                passed=True,
                text=f"{placed.games} games, {placed.faulty} with a fault, "
                f"{placed.cpu:.2f} ms of CPU time a decision{cut}",
                table=rows(placed),
            )
        )
        return placed

    def accepted(self, version: Version, placed: Placed, folder: Path) -> None:
        """All of it at once: the version, its files and games, and that it was accepted."""
        freeze(folder)
        joined = Run.join(self.ladder.folder)
        with joined as run, explained(run.file), transaction(run.connection):
            versions = Registry(run.file, run.connection).versions()
            found = self.numbered(versions, version.name, version.digest)
            if found != (version.name, version.number):
                raise Refused("accept", f"{version.bot} came in the meantime; send it again")
            self.ladder.check(run)
            settled = settle(self.ladder, folder, version.digest)
            try:
                self.written(run, version, placed)
            except BaseException:
                shutil.rmtree(settled, ignore_errors=True)
                raise

    def written(self, run: Run, version: Version, placed: Placed) -> None:
        """Write it down, within the transaction in which all was found to be free."""
        registry = Registry(run.file, run.connection)
        registry.admit(version)
        head = self.ladder.header(registry.versions(), run.header.seed, run.header.created)
        write_header(run.connection, run.folder, head)
        keep(run, self.ladder, placed, placement.salt(self.submission.id))
        run.connection.execute(
            "UPDATE submission SET state = 'accepted', bot = ?, ended = ? WHERE id = ?",
            (version.bot, now(), self.submission.id),
        )

    def standing(self, version: Version) -> Accepted:
        """How a version stands among all that are active, as far as that is known."""
        with Registry.open(self.ladder.folder) as registry, Run.open(self.ladder.folder) as run:
            cells = reckoning.rated(run, self.ladder.settings.cells)
            active = {one.bot for one in registry.active()}
            table = reckoning.table(run, cells, active, registry.counted())
        line = next((line for line in table.lines if line.bot == version.bot), None)
        return Accepted(version, line, sum(one.rank is not None for one in table.lines))


def whose_name(version: Version) -> str:
    """Whose a bot's name is, as the end of a sentence."""
    return f"{version.owner}'s" if version.owner else "a reference bot's"


def forget_build(ladder: Ladder, place: Path, digests: Collection[str] = ()) -> None:
    """Remove what was built for the submission in a folder, unless it is one of these versions."""
    with suppress(OSError):
        name = (place / BUILD).read_text()
        if DIGEST.fullmatch(name) and name not in digests:
            forget(ladder.builds, name)
            (place / BUILD).unlink()


def keep(run: Run, ladder: Ladder, placed: Placed, salt: str) -> None:
    """Put placement games into the store, if all who played them are on the ladder."""
    keeper = run.writer
    keeper.learn()
    if not placed.kept:
        return
    sandbox = ladder.settings.terms.sandbox.level
    keeper.session = keeper.begin(about(code(), cores(), sandbox, salt))
    for block in placed.blocks:
        keeper.add(block)


def alone(folder: Path) -> Path:
    """A bot's folder, or the script that is all there is in it."""
    entries = list(folder.iterdir())
    if (folder / FILE).exists() or len(entries) != 1 or entries[0].is_dir():
        return folder
    return entries[0]
