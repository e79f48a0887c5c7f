"""The clerk: whatever happens to a submission is written down, and what it leaves is removed."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.bots.bot import Bot
from arena.errors import ArenaError, HarnessFailure
from arena.ladder import clerk
from arena.ladder.admission import BUILD, Admission
from arena.ladder.clerk import OURS, held, sweep, work
from arena.ladder.facts import Fate, Said
from arena.ladder.folder import BOTS, INCOMING, LOGS, Ladder
from arena.ladder.placement import Placed, judged
from arena.ladder.registry import BadSubmission, Registry
from tests.bots.survivors import nothing_left
from tests.ladder import places
from tests.tournaments.small import LONG, wait_for

pytestmark = pytest.mark.slow


def state(ladder: Ladder, number: str) -> str:
    with Registry.open(ladder.folder) as registry:
        found = registry.submission(number)
        assert found is not None
        return found.state


@pytest.fixture
def number(bare: Ladder, tmp_path: Path) -> str:
    """A submission that waits."""
    return places.send(bare, places.script(tmp_path))


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clerk, "FRESH", -1)


def test_a_folder_is_held_by_one(tmp_path: Path) -> None:
    with held(tmp_path) as ours:
        assert ours
        with held(tmp_path) as another:
            assert not another
    with pytest.raises(BlockingIOError), held(tmp_path):
        raise BlockingIOError  # what goes wrong meanwhile is not taken for a lock
    with held(tmp_path) as ours:
        assert ours


def test_what_cannot_be_worked_on(bare: Ladder, number: str) -> None:
    with pytest.raises(BadSubmission, match="there is no submission nobody"):
        work(bare, "nobody")
    with (
        held(bare.folder / INCOMING / number),
        pytest.raises(BadSubmission, match=f"submission {number} is being worked on already"),
    ):
        work(bare, number)
    assert state(bare, number) == "waiting"
    with Registry.open(bare.folder) as registry:
        registry.end(number, "refused")
    assert work(bare, number) == "refused", "what is over is not begun again"


BROKEN: dict[str, BaseException] = {
    "a sentence": HarnessFailure("the warden is gone from /srv/\x1b[31m"),
    "anything": RuntimeError("a mistake of ours in /srv"),
    "the disk": OSError("full"),
}


@pytest.mark.parametrize("error", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_our_fault(
    bare: Ladder,
    number: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    def admit(_self: Admission, _upload: Path) -> None:
        raise error

    before = places.left(bare.folder)
    monkeypatch.setattr(Admission, "admit", admit)
    said: list[Said] = []
    assert work(bare, number, said.append) == "broken"
    assert state(bare, number) == "broken"
    assert said == [Said(step="broken", passed=False, text=OURS)]
    assert {**before, "incoming": []} == places.left(bare.folder)
    assert number in caplog.text
    assert "\x1b" not in caplog.text, "whoever runs it reads it at a terminal"


def test_an_upload_that_is_gone(bare: Ladder, number: str) -> None:
    upload = bare.folder / INCOMING / number / "upload"
    upload.unlink()
    upload.parent.rmdir()
    assert work(bare, number) == "broken"
    assert state(bare, number) == "broken"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_interrupted(
    bare: Ladder, number: str, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def checked(_self: Admission, _bot: object) -> None:
        raise error

    monkeypatch.setattr(Admission, "checked", checked)
    with pytest.raises(error):
        work(bare, number)
    assert state(bare, number) == "broken"
    assert places.left(bare.folder)["incoming"] == []


def test_accepted_is_accepted_whatever_comes_later(
    bare: Ladder, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def standing(_self: Admission, _version: object) -> None:
        raise ArenaError("it cannot be read just now")

    def placed(_self: Admission, bot: Bot) -> Placed:
        return judged(bot.name, [], kept=False)

    monkeypatch.setattr(Admission, "checked", lambda _self, _bot: None)
    monkeypatch.setattr(Admission, "placed", placed)
    monkeypatch.setattr(Admission, "standing", standing)
    said: list[Said] = []
    assert work(bare, number, said.append) == "accepted"
    assert (said[-1].passed, said[-1].text) == (True, "accepted as ann v1")
    with Registry.open(bare.folder) as registry:
        assert [one.bot for one in registry.active()] == ["ann v1"]
        found = registry.submission(number)
    assert found is not None
    assert (found.state, found.bot) == ("accepted", "ann v1")


@pytest.mark.usefixtures("_impatient")
def test_what_nobody_knows_is_swept_away(bare: Ladder) -> None:
    version = places.join(bare, "ann")
    (bare.folder / INCOMING / "unknown").mkdir()
    (bare.folder / BOTS / "unfinished").mkdir()
    sweep(bare)
    assert places.left(bare.folder)["incoming"] == []
    assert places.left(bare.folder)["bots"] == [version.digest]


def test_what_is_fresh_is_somebodys(bare: Ladder) -> None:
    (bare.folder / INCOMING / "unknown").mkdir()
    (bare.folder / BOTS / "unfinished").mkdir()
    sweep(bare)
    assert places.left(bare.folder)["incoming"] == ["unknown"]
    assert places.left(bare.folder)["bots"] == ["unfinished"]
    long_ago = time.time() - clerk.FRESH - 5
    for place in ((INCOMING, "unknown"), (BOTS, "unfinished")):
        os.utime(bare.folder.joinpath(*place), (long_ago, long_ago))
    with held(bare.folder / INCOMING / "unknown"):
        sweep(bare)
        assert places.left(bare.folder)["incoming"] == ["unknown"], "somebody works there"
    sweep(bare)
    assert places.left(bare.folder)["incoming"] == []
    assert places.left(bare.folder)["bots"] == []


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize(
    ("before", "days", "after"),
    [("running", 0, "broken"), ("waiting", 0, "waiting"), ("waiting", 2, "broken")],
)
def test_what_somebody_began_who_is_gone(
    bare: Ladder, number: str, before: Fate, days: int, after: Fate
) -> None:
    (bare.folder / BOTS / "unfinished").mkdir()
    sent = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    with Registry.open(bare.folder) as registry:
        registry.write("UPDATE submission SET state = ?, sent = ?", before, sent)
    with held(bare.folder / INCOMING / number):
        sweep(bare)
        assert state(bare, number) == before
        assert places.left(bare.folder)["bots"] == ["unfinished"], "it may be just this one"
    sweep(bare)
    assert state(bare, number) == after
    left = places.left(bare.folder)
    assert (left["incoming"], left["bots"]) == (
        ([number], ["unfinished"]) if after == "waiting" else ([], [])
    )


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("name", ["0123" * 16, "", ".", "../../x", "0123" * 3])
def test_builds_go_with_what_they_were_made_for(bare: Ladder, cache: Path, name: str) -> None:
    ours, other = "0123" * 16, "3210" * 16
    for folder in (bare.builds, cache):
        for built in (ours, f"{ours}.123", other):
            (folder / built).mkdir(parents=True)
            (folder / built / "program").touch()
        (folder / f"{ours}.lock").touch()
    place = bare.folder / INCOMING / "unknown"
    place.mkdir()
    (place / BUILD).write_text(name)
    sweep(bare)
    assert not place.exists()
    left = {path.name for path in bare.builds.iterdir()}
    gone = {ours, f"{ours}.123", f"{ours}.lock"}
    assert left == {other} | (set() if name == ours else gone)
    assert {path.name for path in cache.iterdir()} == {other} | gone, "it is the operator's own"


@pytest.mark.usefixtures("_impatient")
def test_the_build_of_a_version_stays(bare: Ladder) -> None:
    built = places.join(bare, "ann").digest
    (bare.builds / built).mkdir(parents=True)
    place = bare.folder / INCOMING / "accepted"
    place.mkdir()
    (place / BUILD).write_text(built)
    sweep(bare)
    assert (bare.builds / built).is_dir()


def test_a_copy_without_its_empty_folders(bare: Ladder) -> None:
    for name in (BOTS, INCOMING, LOGS):
        (bare.folder / name).rmdir()
    sweep(bare)
    assert all((bare.folder / name).is_dir() for name in (BOTS, INCOMING, LOGS))


@pytest.mark.slow
def test_a_clerk_that_is_killed_is_followed_by_another(ladder: Ladder, tmp_path: Path) -> None:
    number = places.send(ladder, places.script(tmp_path))
    words = [sys.executable, "-m", "arena.ladder.clerk", str(ladder.folder), number]
    before = places.left(ladder.folder)
    with nothing_left(LONG), subprocess.Popen(words, text=True) as process:
        wait_for(lambda: said(ladder, number) > 6, process)
        process.send_signal(signal.SIGKILL)
    assert state(ladder, number) == "running"
    assert places.left(ladder.folder) == before
    subprocess.run(words, check=True)
    assert state(ladder, number) == "accepted"
    assert places.left(ladder.folder)["incoming"] == []


def said(ladder: Ladder, number: str) -> int:
    with Registry.open(ladder.folder) as registry:
        return len(registry.said(number))
