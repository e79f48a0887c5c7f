"""`arena submit` sends a bot to a ladder, which answers step by step."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.ladder.folder import BOTS_FOLDER, UPLOADS_FOLDER, Ladder
from arena.ladder.registry import Registry
from arena.ladder.submissions import worker
from arena.store.run import Run
from arena.web.submission_queue import SubmissionQueue
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.invoke import invoke_arena
from tests.ladder import factories
from tests.ladder.submissions.test_pipeline import MANIFEST, builds
from tests.suite.stages import soak_only
from tests.tournaments.small_runs import TIMEOUT, wait_for

pytestmark = pytest.mark.slow


def submit(ladder: Ladder, bot: Path, *words: str) -> Result:
    return invoke_arena("submit", bot, "--to", ladder.folder, "--owner", "ann", *words, columns=200)


def state(ladder: Ladder) -> dict[str, object]:
    return {**factories.ladder_state(ladder.folder), "builds": builds(ladder)}


def check_refused(ladder: Ladder, bot: Path, *words: str) -> str:
    """It is refused, and nothing of it is left."""
    before = state(ladder)
    done = submit(ladder, bot, *words)
    assert done.exit_code == 1, done.output
    assert done.stdout.endswith("Refused; nothing of it is left on the ladder.\n")
    assert str(ladder.folder.parent) not in done.stdout
    assert state(ladder) == before
    return done.stdout


@pytest.mark.slow
def test_from_a_script_to_a_version(ladder: Ladder, tmp_path: Path) -> None:
    done = submit(ladder, factories.write_script(tmp_path, "ann.py"), "-m", "my <b>first</b>")
    assert (done.exit_code, done.stderr) == (0, "")
    assert [line.split()[:2] for line in done.stdout.splitlines() if line[0] != " "] == [
        *(["✓", step] for step in ("unpack", "name", "build", "check", "placement", "accept")),
    ]
    assert "18 steps of the protocol kept" in done.stdout
    assert "accepted as ann v1: rank " in done.stdout
    with Registry.open(ladder.folder) as registry, Run.open(ladder.folder) as run:
        version = registry.versions(name="ann")[0]
        (sent,) = registry.submissions()
        assert (version.owner, version.message, version.state) == (
            *("ann", "my <b>first</b>", "active"),
        )
        assert (sent.state, sent.bot) == ("accepted", "ann v1")
        assert run.game_count() == 6, "its first games count"
        assert {game.record.bots[0].name for game in map(run.stored_game, ids(run))} > {"ann v1"}
        assert run.sessions()[-1].salt == f"placement {sent.id}"
        assert "ann v1" in run.roster().bots
        assert "ann v1" not in run.roster().anchors
    place = ladder.version_path(version.digest)
    assert place.read_text() == factories.INNOCENT_BOT
    assert not stat.S_IMODE(place.stat().st_mode) & 0o222
    assert not any((ladder.folder / UPLOADS_FOLDER).iterdir())
    verified = invoke_arena("verify", ladder.folder, "--quiet", "--workers", 1)
    assert (verified.exit_code, verified.stdout) == (0, "")


def ids(run: Run) -> list[str]:
    return [game.id for game in run.games()]


def test_errors_are_reported_before_upload(ladder: Ladder, tmp_path: Path) -> None:
    bot = factories.write_script(tmp_path)
    before = state(ladder)
    for words, said in (
        (("-m", "\x1b[31mred"), "the message takes one line of at most 500 characters that can be"),
        (("--name", "a b"), "'a b' cannot be a bot's name on a ladder"),
        (("--owner", "a b"), "'a b' cannot be an owner's name; say --owner with letters"),
        (("--to", str(tmp_path / "none")), "none is not a ladder: it has no ladder.yaml; make one"),
        (("--to", "http://localhost"), "a server wants a token: say --token, or set ARENA_TOKEN"),
        (
            ("--to", "http://ladder.example", "--token", "x"),
            "http://ladder.example would get your token without encryption",
        ),
        (("--to", "gopher://x", "--token", "x"), "gopher://x is no address of a server; it takes"),
    ):
        done = submit(ladder, bot, *words)
        assert done.exit_code == 2, done.output
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    os.mkfifo(tmp_path / "pipe")
    assert "pipe is neither a file nor a folder" in submit(ladder, tmp_path / "pipe").stderr
    assert "does not exist" in submit(ladder, tmp_path / "nothing.py").stderr
    assert state(ladder) == before


def test_no_server_takes_what_is_worked_on_here(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even one that looks at the very moment at which it is entered."""
    taken: list[str | None] = []
    enter = Registry.add_submission

    def looked_at(self: Registry, *given: Any) -> None:
        enter(self, *given)
        taken.append(SubmissionQueue(ladder.folder).choose_submission(frozenset()))

    monkeypatch.setattr(Registry, "add_submission", looked_at)
    done = submit(ladder, factories.write_script(tmp_path, content="exit()"))
    assert taken == [None]
    assert "Refused; nothing of it is left on the ladder." in done.stdout


def test_changed_terms_are_reported_first(played_ladder: Ladder, tmp_path: Path) -> None:
    factories.change_settings(played_ladder.folder, clock={"move": 1.0})
    done = submit(played_ladder, factories.write_script(tmp_path, "dan.py"))
    assert done.exit_code == 2
    assert "ladder.yaml: 'clock' was {" in done.stderr


def test_the_daily_limit(ladder: Ladder, tmp_path: Path) -> None:
    factories.change_settings(ladder.folder, submissions={"a_day": 1})
    bot = factories.write_bot_folder(tmp_path / "bot", "", a_py="", b_py="")
    assert submit(ladder, bot).exit_code == 1
    again = submit(ladder, bot)
    assert again.exit_code == 2
    assert "ann has sent 1 submissions within a day, which is as many as one may" in again.stderr
    assert submit(ladder, bot, "--owner", "bob").exit_code == 1


def test_json(ladder: Ladder, tmp_path: Path) -> None:
    done = submit(ladder, factories.write_script(tmp_path, "random.py"), "--json")
    assert (done.exit_code, done.stderr) == (1, "")
    told = json.loads(done.stdout)
    assert told["state"] == "refused"
    assert [said["step"] for said in told["said"]] == ["unpack", "name"]
    assert told["said"][-1] == {
        "step": "name",
        "passed": False,
        "text": "random is a reference bot's; choose another name with --name",
    }


def test_hostile_manifests_are_sanitized(ladder: Ladder, tmp_path: Path) -> None:
    bot = factories.write_bot_folder(tmp_path / "bot", 'name: "\\e[31mred"\nrun: [x]\n')
    done = submit(ladder, bot)
    assert done.exit_code == 1
    assert "\x1b" not in done.output
    assert "✗ manifest" in done.stdout


def test_a_folder_is_sent_without_what_its_tools_left(ladder: Ladder, tmp_path: Path) -> None:
    factories.change_settings(ladder.folder, submissions={"size": 1})
    manifest = "name: random\nrun: [./x.sh]\nbuild: [./x.sh]\nignore: [target]\n"
    bot = factories.write_bot_folder(tmp_path / "bot", manifest, x_sh="#!/bin/sh\n")
    for name in ("target", "__pycache__"):
        (bot / name).mkdir()
        (bot / name / "large").write_bytes(os.urandom(2 << 20))
    assert "tar.gz: 2 files" in check_refused(ladder, bot)


def test_a_program_stays_one(ladder: Ladder, tmp_path: Path) -> None:
    bot = factories.write_script(tmp_path, "random", "#!/bin/sh\n")
    bot.chmod(0o755)
    assert "tar.gz: 1 file" in check_refused(ladder, bot)
    archive = factories.pack_folder(
        factories.write_bot_folder(tmp_path / "bot", MANIFEST, ann_py="")
    )
    archive.chmod(0o755)
    assert "zip: 2 files" in check_refused(ladder, archive, "--name", "random")


@pytest.mark.slow
def test_the_same_bot_however_it_is_packed(ladder: Ladder, tmp_path: Path) -> None:
    bot = factories.write_bot_folder(tmp_path / "bot", MANIFEST, ann_py=factories.INNOCENT_BOT)
    assert submit(ladder, bot, "--name", "Fox").exit_code == 0
    for again in (
        bot,
        factories.pack_folder(bot),
        factories.pack_folder(bot, "gztar"),
        factories.pack_folder(bot, "tar"),
    ):
        assert "✗ name        this is Fox v1, which is on the ladder" in check_refused(
            ladder, again
        )
    (bot / "ann.py").write_text(f"{factories.INNOCENT_BOT}# better\n")
    assert "Fox is ann's; choose another" in check_refused(
        ladder, bot, "--owner", "eve", "--name", "fOX"
    )
    done = submit(ladder, bot, "--name", "fOX")
    assert "✓ name        it will be Fox v2" in done.stdout
    with Registry.open(ladder.folder) as registry:
        states = [(one.bot, one.state) for one in registry.versions() if one.owner]
    assert states == [("Fox v1", "superseded"), ("Fox v2", "active")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("import nothing_of_that_name\n", "No module named 'nothing_of_that_name'"),
        (factories.INNOCENT_BOT.replace('["options"][-1]', '"Z99"'), "✗ check"),
        (
            factories.INNOCENT_BOT.replace('"games":1000', '"variants":["sticheln"]'),
            "none of the variants",
        ),
        soak_only(
            (
                factories.guilty_bot('choice = "Z99"'),
                "✗ placement   it was at fault in 6 of 6 games: illegal",
            )
        ),
        (factories.guilty_bot("raise ValueError('oh\\x1b[31m no')"), "ValueError: oh␛[31m no"),
        soak_only(
            (
                factories.guilty_bot("os.kill(os.getpid(), 9)"),
                "✗ placement   it was at fault in 6 of 6 games: ex",
            )
        ),
    ],
    ids=["import", "illegal", "other variants", "sly", "crashes", "suicidal"],
)
def test_bots_that_do_not_play_as_they_should(
    ladder: Ladder, tmp_path: Path, content: str, said: str
) -> None:
    told = check_refused(ladder, factories.write_script(tmp_path, "ann.py", content))
    assert said in told
    assert "\x1b" not in told


@pytest.mark.slow
def test_a_few_faults_are_let_pass(ladder: Ladder, tmp_path: Path) -> None:
    factories.change_settings(ladder.folder, placement={"games": 6, "share": 1.0})
    bot = factories.write_script(tmp_path, "ann.py", factories.guilty_bot('choice = "Z99"'))
    done = submit(ladder, bot)
    assert done.exit_code == 0
    assert "6 games, 6 with a fault" in done.stdout


def write_bot(folder: Path, content: str) -> Path:
    """A bot that is built, which anybody can do."""
    manifest = "name: ann\nrun: [python3, made.py]\nbuild: [./make.sh]\n"
    return factories.write_bot_folder(
        folder / "bot", manifest, ann_py=content, make_sh="#!/bin/sh\ncp ann.py made.py\n"
    )


@pytest.mark.soak
def test_builds_of_refused_bots_are_removed(ladder: Ladder, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, factories.guilty_bot('choice = "Z99"'))
    told = check_refused(ladder, bot)
    assert "✗ placement   it was at fault in 6 of 6 games: illegal" in told
    (bot / "ann.py").write_text(factories.INNOCENT_BOT)
    assert submit(ladder, bot).exit_code == 0
    with Registry.open(ladder.folder) as registry:
        built = registry.versions()[-1].digest
    assert set(builds(ladder)) == {built, f"{built}.lock"}
    (bot / "ann.py").write_text("\n")
    assert "✗ check" in check_refused(ladder, bot)


@pytest.mark.slow
def test_without_reference_bots_placement_is_shown_but_not_kept(
    empty_ladder: Ladder, tmp_path: Path
) -> None:
    done = submit(empty_ladder, factories.write_script(tmp_path))
    assert done.exit_code == 0
    assert "6 games, 0 with a fault" in done.stdout
    assert "points a game" in done.stdout
    assert "accepted as ann v1; it has no rank before it has played" in done.stdout
    with Run.open(empty_ladder.folder) as run:
        assert run.game_count() == 0
        assert run.roster().bots == ("ann v1",)


def started(ladder: Ladder, bot: Path, *words: str) -> subprocess.Popen[str]:
    argv = ["submit", str(bot), "--to", str(ladder.folder), "--owner", "ann", *words]
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(ladder.folder.parent)},  # it may be killed
    )


def steps(ladder: Ladder) -> int:
    with Registry.open(ladder.folder) as registry:
        return sum(len(registry.messages(one.id)) for one in registry.submissions())


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, soak_only(signal.SIGTERM), signal.SIGKILL])
def test_an_interrupted_submission(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    before = state(ladder)
    bot = write_bot(tmp_path, factories.guilty_bot("time.sleep(60)"))
    with check_no_leftovers(TIMEOUT), started(ladder, bot) as process:
        wait_for(lambda: steps(ladder) >= 5 + 16, process)
        process.send_signal(number)
        told, wrong = process.communicate(timeout=TIMEOUT)
    assert "Traceback" not in told + wrong
    if number == signal.SIGKILL:
        assert len(list((ladder.folder / UPLOADS_FOLDER).iterdir())) == 1
        worker.remove_leftovers(ladder)
        assert len(list((ladder.folder / UPLOADS_FOLDER).iterdir())) == 1, "it may go on"
        monkeypatch.setattr(worker, "UPLOAD_TIMEOUT", -1)
        worker.remove_leftovers(ladder)
    else:
        assert process.returncode == 128 + number
    assert state(ladder) == before
    with Registry.open(ladder.folder) as registry:
        assert [one.state for one in registry.submissions()] == ["broken"]


@pytest.mark.slow
def test_two_submissions_of_one_name_at_once(ladder: Ladder, tmp_path: Path) -> None:
    bots = [
        factories.write_script(tmp_path, f"{n}.py", f"{factories.INNOCENT_BOT}# {n}\n")
        for n in "ab"
    ]
    begun = [started(ladder, bot, "--name", "ann") for bot in bots]
    told = [process.communicate(timeout=TIMEOUT) for process in begun]
    fates = sorted(process.returncode for process in begun)
    assert fates in ([0, 1], [0, 0]), told
    with Registry.open(ladder.folder) as registry:
        versions = registry.versions(name="ann")
    if fates == [0, 1]:
        assert "ann v1 came in the meantime; send it again" in "".join(map(str, told))
    assert [one.bot for one in versions] == ["ann v1", "ann v2"][: fates.count(0)]
    assert len(list((ladder.folder / BOTS_FOLDER).iterdir())) == 7 + fates.count(0)
    assert all(ladder.load_bot(one) for one in versions)
