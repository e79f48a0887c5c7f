"""A submission becomes a version, or is refused with what shows why and leaves nothing behind."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.bots.bot import builtin_bots as known
from arena.ladder.folder import BOTS_FOLDER, Ladder, open_ladder
from arena.ladder.models import Submission, SubmissionMessage, Version
from arena.ladder.registry import Registry
from arena.ladder.submissions.pipeline import RefusedSubmission, SubmissionPipeline
from arena.ladder.submissions.placement import PlacementResult, summarize_placement
from arena.store.run import Run
from tests.archives.hostile_uploads import HOSTILE
from tests.ladder import factories
from tests.ladder.test_registry import make_submission

pytestmark = pytest.mark.slow

MANIFEST = "name: ann\nrun: [python3, ann.py]\n"
BUILT = "name: ann\nrun: [./ann]\nbuild: [cc, -o, ann, ann.c]\n"
NETWORK = "name: ann\nrun: [./x.sh]\nbuild: [./x.sh]\nbuild_network: true\n"
MACHINE = re.compile(r"/(tmp|root|home|var|srv)/")

Made = Callable[[Path], Path]


def script(name: str = "ann.py", content: str = factories.INNOCENT_BOT) -> Made:
    return lambda place: factories.write_script(place, name, content)


def folder(manifest: str = MANIFEST, **files: str) -> Made:
    inside = files or {"ann_py": factories.INNOCENT_BOT}
    return lambda place: factories.pack_folder(
        factories.write_bot_folder(place / "bot", manifest, **inside)
    )


def reference(place: Path) -> Path:
    """A reference bot, sent by somebody who calls it his."""
    shutil.copytree(known()["lowest"], place / "mine")
    return factories.pack_folder(place / "mine")


def builds(ladder: Ladder) -> list[str]:
    """What was built for the ladder, or by mistake in its operator's cache."""
    cached = ladder.folder.parent.glob("cache/stichkampf/builds/*")
    return sorted(path.name for path in (*ladder.builds_folder.glob("*"), *cached))


def check_refused(ladder: Ladder, file: Path) -> SubmissionMessage:
    """It is refused and leaves nothing, and nobody learns where on the machine it was."""
    before = factories.ladder_state(ladder.folder), builds(ladder)
    fate, said = factories.submit_bot(ladder, file)
    assert fate == "refused", said
    assert (factories.ladder_state(ladder.folder), builds(ladder)) == before
    assert said[-1].passed is False
    everything = "\n".join(f"{one.text} {one.evidence}" for one in said)
    assert not MACHINE.search(everything), everything
    with Registry.open(ladder.folder) as registry:
        sent = registry.submissions("refused")[-1]
        assert registry.messages(sent.id) == said
    return said[-1]


EARLY: dict[str, tuple[Made, str, str]] = {
    "no manifest": (
        folder("", a_py="", b_py=""),
        "manifest",
        "there is no bot.yaml at the top; add one with 'name:' and 'run:', or send a single script",
    ),
    "a wrong key": (
        folder(f"{MANIFEST}colour: red\n"),
        "manifest",
        "bot.yaml: there is no key 'colour'; the keys are ",
    ),
    "no YAML": (folder("name: [\n"), "manifest", "bot.yaml: it is not YAML: line 2: "),
    "a name with a space": (
        folder("name: my bot\nrun: [python3, ann.py]\n"),
        "name",
        "'my bot' cannot be a bot's name on a ladder; name it otherwise, such as 'my-bot', in ",
    ),
    "a script with a space": (script("my bot.py"), "unpack", "my bot.py: "),
    "a script with a long name": (script("a" * 40 + ".py"), "name", "'aaa"),
    "a reference bot's name": (
        script("Random.py"),
        "name",
        "random is a reference bot's; choose another name with --name",
    ),
    "a reference bot": (reference, "name", "this is lowest v1, which is on the ladder already"),
    "no such program": (
        folder("name: ann\nrun: [no-such-program-xyz]\n"),
        "build",
        "bot.yaml is run by no-such-program-xyz, which is not installed or not on the PATH",
    ),
    "not executable": (
        folder("name: ann\nrun: [./ann.py]\n"),
        "build",
        "bot.yaml: $.run: ./ann.py is not executable; run 'chmod +x' on it",
    ),
    "a build that wants the network": (
        folder(NETWORK, x_sh="#!/bin/sh\n"),
        "build",
        "bot.yaml: its build wants the network ('build_network: true'); ",
    ),
    "no archive": (script("ann.zip", "PK\3\4 not really"), "unpack", "ann.zip: "),
}


@pytest.mark.parametrize(("made", "step", "text"), EARLY.values(), ids=EARLY.keys())
def test_refused_before_it_is_run(
    ladder: Ladder, tmp_path: Path, made: Made, step: str, text: str
) -> None:
    last = check_refused(ladder, made(tmp_path))
    assert last.step == step
    assert last.text.startswith(text)


@pytest.mark.parametrize("name", ["zip, link", "zip, bomb", "pax, name: up"])
def test_hostile_archives(ladder: Ladder, tmp_path: Path, name: str) -> None:
    last = check_refused(ladder, HOSTILE[name].written(tmp_path / "upload.zip"))
    assert last.step == "unpack"
    assert HOSTILE[name].words in last.text


@pytest.mark.slow
@pytest.mark.needs("cc")
@pytest.mark.parametrize("sandbox", ["none", "standard"])
def test_builds_that_fail_and_programs_that_end(
    ladder: Ladder, tmp_path: Path, sandbox: str
) -> None:
    sandboxed = factories.change_settings(ladder.folder, sandbox=sandbox)
    last = check_refused(sandboxed, folder(BUILT, ann_c="int main(void) { retrun 0; }\n")(tmp_path))
    assert last.step == "build"
    assert last.text.startswith("it: the build '")
    assert "cc -o ann ann.c' failed with exit status 1" in last.text
    assert "retrun" in last.evidence["build log"]
    (tmp_path / "ended").mkdir()
    made = folder(BUILT, ann_c="int main(void) { return 0; }\n")(tmp_path / "ended")
    last = check_refused(sandboxed, made)
    assert last.step == "check"
    assert last.text.startswith("it does not keep to the protocol (handshake); 'arena check' shows")


def name_and_number(ladder: Ladder, name: str, content: str, owner: str = "ann") -> tuple[str, int]:
    admission = SubmissionPipeline(
        ladder, make_submission("a", owner), ladder.folder, lambda _said: None
    )
    with Registry.open(ladder.folder) as registry:
        return admission.name_and_number(registry.versions(), name, content)


def test_names_belong_to_owners(empty_ladder: Ladder) -> None:
    assert name_and_number(empty_ladder, "ann", "x") == ("ann", 1)
    factories.add_version(empty_ladder, "Ann")
    factories.add_version(empty_ladder, "Ann", "# new\n")
    assert name_and_number(empty_ladder, "aNN", "x") == ("Ann", 3), "it stays as it was spelt first"
    with pytest.raises(RefusedSubmission, match=r"^Ann is ann's; choose another name with --name$"):
        name_and_number(empty_ladder, "ann", "x", owner="eve")


def test_an_earlier_version_cannot_be_submitted_again(empty_ladder: Ladder) -> None:
    old, new = (
        factories.add_version(empty_ladder, "ann"),
        factories.add_version(empty_ladder, "ann", "# new\n"),
    )
    with Registry.open(empty_ladder.folder) as registry:
        registry.write("UPDATE version SET state = 'retired', why = 'faults' WHERE number = 2")
    with pytest.raises(
        RefusedSubmission, match=r"^this is ann v1, which is on the ladder already$"
    ):
        name_and_number(empty_ladder, "bob", old.digest)
    with pytest.raises(
        RefusedSubmission, match=r"^this is ann v2, .* already and was retired: faults$"
    ):
        name_and_number(empty_ladder, "ann", new.digest)


@pytest.mark.parametrize("place", [".", "a", "bot", "e/a"])
def test_messages_contain_no_paths(
    empty_ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    moved = tmp_path / "x" / place
    moved.parent.mkdir(parents=True, exist_ok=True)
    if place == ".":
        shutil.copytree(empty_ladder.folder, moved, dirs_exist_ok=True)
    else:
        empty_ladder.folder.rename(moved)
    monkeypatch.chdir(tmp_path / "x")
    ladder = open_ladder(Path(place))
    made = SubmissionPipeline(
        ladder, make_submission("a"), Path(place) / "incoming" / "a", lambda _said: None
    )
    text = "a bot.yaml is read and eaten: 3.5 bananas"
    assert made.strip_paths(text) == text
    inside = moved / "incoming" / "a"
    assert made.strip_paths(f"in {inside}/bot/bot.yaml: no") == "in bot.yaml: no"
    assert (
        made.strip_paths(f"{inside}/bot is empty, {moved}/bots, {moved}") == "it is empty, bots, it"
    )
    assert made.strip_paths(f"{moved}/builds/abc/ann failed") == "abc/ann failed"
    assert made.strip_paths(f"{moved}er is another") == f"{moved}er is another"


class Quick(SubmissionPipeline):
    """An admission without games, in the middle of which something happens."""

    def __init__(
        self, ladder: Ladder, sent: Submission, work_folder: Path, happens: Callable[[], object]
    ) -> None:
        super().__init__(ladder, sent, work_folder, lambda _said: None)
        self.happens = happens

    def run_check(self, bot: Bot) -> None:
        """It keeps to the protocol."""

    def play_placement(self, bot: Bot) -> PlacementResult:
        self.happens()
        return summarize_placement(bot.name, [], is_counted=False)


def quick(ladder: Ladder, file: Path, happens: Callable[[], object] = lambda: None) -> Version:
    place = ladder.folder / "incoming" / "a"
    place.mkdir(exist_ok=True)
    sent = replace(make_submission("a"), file=file.name)
    with Registry.open(ladder.folder) as registry:
        registry.add_submission(sent)
    return Quick(ladder, sent, place, happens).process(file)


def test_the_same_content_at_the_same_time(empty_ladder: Ladder, tmp_path: Path) -> None:
    file = factories.write_script(tmp_path)

    def happens() -> None:
        factories.add_version(empty_ladder, "ann", factories.INNOCENT_BOT, owner="bob")

    with pytest.raises(
        RefusedSubmission, match=r"^this is ann v1, which is on the ladder already$"
    ):
        quick(empty_ladder, file, happens)
    with Registry.open(empty_ladder.folder) as registry:
        (other,) = registry.active_versions()
    assert other.owner == "bob"
    assert empty_ladder.load_bot(other).name == "ann v1", "whoever came first is still there"


@pytest.mark.parametrize(
    ("name", "owner", "said"),
    [
        ("ann", "ann", "ann v1 came in the meantime; send it again"),
        ("ANN", "ann", "ann v1 came in the meantime; send it again"),
        ("Ann", "bob", "Ann is bob's; choose another name with --name"),
    ],
)
def test_the_same_name_at_the_same_time(
    empty_ladder: Ladder, tmp_path: Path, name: str, owner: str, said: str
) -> None:
    file = factories.write_script(tmp_path)
    with pytest.raises(RefusedSubmission, match=f"^{said}$"):
        quick(
            empty_ladder,
            file,
            lambda: factories.add_version(empty_ladder, name, "# other\n", owner=owner),
        )
    left = factories.ladder_state(empty_ladder.folder)
    assert [one.name for one in left["versions"]] == [name]
    assert len(left["bots"]) == 1


def test_terms_that_change_during_a_submission(played_ladder: Ladder, tmp_path: Path) -> None:
    changed = factories.change_settings(played_ladder.folder, clock={"move": 1.0})
    before = factories.ladder_state(played_ladder.folder)
    with pytest.raises(Exception, match="'clock' was"):
        quick(changed, factories.write_script(tmp_path, "dan.py"))
    after = factories.ladder_state(played_ladder.folder)
    assert {**after, "incoming": []} == before, "else the games that were played would not compare"


def test_a_disk_that_is_full_at_the_end(empty_ladder: Ladder, tmp_path: Path) -> None:
    with Run.open_for_writing(empty_ladder.folder) as run:
        run.connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON version BEGIN SELECT raise(ABORT, 'full'); END"
        )
    before = factories.ladder_state(empty_ladder.folder)
    with pytest.raises(Exception, match="full"):
        quick(empty_ladder, factories.write_script(tmp_path))
    assert {**factories.ladder_state(empty_ladder.folder), "incoming": []} == before


def test_leftovers_of_an_earlier_attempt_are_replaced(empty_ladder: Ladder, tmp_path: Path) -> None:
    place = empty_ladder.folder / "incoming" / "a"
    for left in ("bot", ".unpacking-abc"):
        (place / left).mkdir(parents=True)
        (place / left / "half").touch()
    assert quick(empty_ladder, factories.write_script(tmp_path)).bot == "ann v1"
    (kept,) = (empty_ladder.folder / BOTS_FOLDER).iterdir()
    assert [path.name for path in kept.iterdir()] == ["ann.py"]
    assert list(place.iterdir()) == []
