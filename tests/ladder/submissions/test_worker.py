"""Whatever happens to a submission is stored, and what its worker leaves is removed."""

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
from arena.ladder.folder import BOTS_FOLDER, LOGS_FOLDER, UPLOADS_FOLDER, Ladder
from arena.ladder.models import SubmissionMessage, SubmissionState
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.submissions import worker
from arena.ladder.submissions.pipeline import BUILD_MARKER, SubmissionPipeline
from arena.ladder.submissions.placement import PlacementResult, summarize_placement
from arena.ladder.submissions.worker import (
    INTERNAL_ERROR,
    lock_submission,
    process_submission,
    remove_leftovers,
)
from tests.bots.leftover_processes import check_no_leftovers
from tests.ladder import factories
from tests.tournaments.small_runs import TIMEOUT, wait_for

pytestmark = pytest.mark.slow


def state(ladder: Ladder, number: str) -> str:
    with Registry.open(ladder.folder) as registry:
        found = registry.submission(number)
        assert found is not None
        return found.state


@pytest.fixture
def number(empty_ladder: Ladder, tmp_path: Path) -> str:
    """A submission that waits."""
    return factories.upload_bot(empty_ladder, factories.write_script(tmp_path))


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "UPLOAD_TIMEOUT", -1)


def test_a_folder_is_held_by_one(tmp_path: Path) -> None:
    with lock_submission(tmp_path) as ours:
        assert ours
        with lock_submission(tmp_path) as another:
            assert not another
    with pytest.raises(BlockingIOError), lock_submission(tmp_path):
        raise BlockingIOError  # what goes wrong meanwhile is not taken for a lock
    with lock_submission(tmp_path) as ours:
        assert ours


def test_unknown_locked_or_finished_submissions(empty_ladder: Ladder, number: str) -> None:
    with pytest.raises(BadSubmission, match="there is no submission nobody"):
        process_submission(empty_ladder, "nobody")
    with (
        lock_submission(empty_ladder.folder / UPLOADS_FOLDER / number),
        pytest.raises(BadSubmission, match=f"submission {number} is being worked on already"),
    ):
        process_submission(empty_ladder, number)
    assert state(empty_ladder, number) == "waiting"
    with Registry.open(empty_ladder.folder) as registry:
        registry.end_submission(number, "refused")
    assert process_submission(empty_ladder, number) == "refused", "what is over is not begun again"


BROKEN: dict[str, BaseException] = {
    "a sentence": HarnessFailure("the supervisor is gone from /srv/\x1b[31m"),
    "anything": RuntimeError("a mistake of ours in /srv"),
    "the disk": OSError("full"),
}


@pytest.mark.parametrize("error", BROKEN.values(), ids=BROKEN.keys())
def test_errors_of_the_harness_mark_a_submission_as_broken(
    empty_ladder: Ladder,
    number: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    def admit(_self: SubmissionPipeline, _upload: Path) -> None:
        raise error

    before = factories.ladder_state(empty_ladder.folder)
    monkeypatch.setattr(SubmissionPipeline, "process", admit)
    said: list[SubmissionMessage] = []
    assert process_submission(empty_ladder, number, said.append) == "broken"
    assert state(empty_ladder, number) == "broken"
    assert said == [SubmissionMessage(step="broken", passed=False, text=INTERNAL_ERROR)]
    assert {**before, "incoming": []} == factories.ladder_state(empty_ladder.folder)
    assert number in caplog.text
    assert "\x1b" not in caplog.text, "whoever runs it reads it at a terminal"


def test_an_upload_that_is_gone(empty_ladder: Ladder, number: str) -> None:
    upload = empty_ladder.folder / UPLOADS_FOLDER / number / "upload"
    upload.unlink()
    upload.parent.rmdir()
    assert process_submission(empty_ladder, number) == "broken"
    assert state(empty_ladder, number) == "broken"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_submission_is_broken(
    empty_ladder: Ladder, number: str, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def checked(_self: SubmissionPipeline, _bot: object) -> None:
        raise error

    monkeypatch.setattr(SubmissionPipeline, "run_check", checked)
    with pytest.raises(error):
        process_submission(empty_ladder, number)
    assert state(empty_ladder, number) == "broken"
    assert factories.ladder_state(empty_ladder.folder)["incoming"] == []


def test_an_error_after_acceptance_does_not_undo_it(
    empty_ladder: Ladder, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def standing(_self: SubmissionPipeline, _version: object) -> None:
        raise ArenaError("it cannot be read just now")

    def placed(_self: SubmissionPipeline, bot: Bot) -> PlacementResult:
        return summarize_placement(bot.name, [], is_counted=False)

    monkeypatch.setattr(SubmissionPipeline, "run_check", lambda _self, _bot: None)
    monkeypatch.setattr(SubmissionPipeline, "play_placement", placed)
    monkeypatch.setattr(SubmissionPipeline, "accepted_version", standing)
    said: list[SubmissionMessage] = []
    assert process_submission(empty_ladder, number, said.append) == "accepted"
    assert (said[-1].passed, said[-1].text) == (True, "accepted as ann v1")
    with Registry.open(empty_ladder.folder) as registry:
        assert [one.bot for one in registry.active_versions()] == ["ann v1"]
        found = registry.submission(number)
    assert found is not None
    assert (found.state, found.bot) == ("accepted", "ann v1")


@pytest.mark.usefixtures("_impatient")
def test_unknown_folders_are_removed(empty_ladder: Ladder) -> None:
    version = factories.add_version(empty_ladder, "ann")
    (empty_ladder.folder / UPLOADS_FOLDER / "unknown").mkdir()
    (empty_ladder.folder / BOTS_FOLDER / "unfinished").mkdir()
    remove_leftovers(empty_ladder)
    assert factories.ladder_state(empty_ladder.folder)["incoming"] == []
    assert factories.ladder_state(empty_ladder.folder)["bots"] == [version.digest]


def test_recent_and_locked_folders_are_kept(empty_ladder: Ladder) -> None:
    (empty_ladder.folder / UPLOADS_FOLDER / "unknown").mkdir()
    (empty_ladder.folder / BOTS_FOLDER / "unfinished").mkdir()
    remove_leftovers(empty_ladder)
    assert factories.ladder_state(empty_ladder.folder)["incoming"] == ["unknown"]
    assert factories.ladder_state(empty_ladder.folder)["bots"] == ["unfinished"]
    long_ago = time.time() - worker.UPLOAD_TIMEOUT - 5
    for place in ((UPLOADS_FOLDER, "unknown"), (BOTS_FOLDER, "unfinished")):
        os.utime(empty_ladder.folder.joinpath(*place), (long_ago, long_ago))
    with lock_submission(empty_ladder.folder / UPLOADS_FOLDER / "unknown"):
        remove_leftovers(empty_ladder)
        assert factories.ladder_state(empty_ladder.folder)["incoming"] == ["unknown"], (
            "somebody works there"
        )
    remove_leftovers(empty_ladder)
    assert factories.ladder_state(empty_ladder.folder)["incoming"] == []
    assert factories.ladder_state(empty_ladder.folder)["bots"] == []


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize(
    ("before", "days", "after"),
    [("running", 0, "broken"), ("waiting", 0, "waiting"), ("waiting", 2, "broken")],
)
def test_submissions_of_a_dead_worker(
    empty_ladder: Ladder, number: str, before: SubmissionState, days: int, after: SubmissionState
) -> None:
    (empty_ladder.folder / BOTS_FOLDER / "unfinished").mkdir()
    sent = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    with Registry.open(empty_ladder.folder) as registry:
        registry.write("UPDATE submission SET state = ?, sent = ?", before, sent)
    with lock_submission(empty_ladder.folder / UPLOADS_FOLDER / number):
        remove_leftovers(empty_ladder)
        assert state(empty_ladder, number) == before
        assert factories.ladder_state(empty_ladder.folder)["bots"] == ["unfinished"], (
            "it may be just this one"
        )
    remove_leftovers(empty_ladder)
    assert state(empty_ladder, number) == after
    left = factories.ladder_state(empty_ladder.folder)
    assert (left["incoming"], left["bots"]) == (
        ([number], ["unfinished"]) if after == "waiting" else ([], [])
    )


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("name", ["0123" * 16, "", ".", "../../x", "0123" * 3])
def test_builds_go_with_what_they_were_made_for(
    empty_ladder: Ladder, build_cache: Path, name: str
) -> None:
    ours, other = "0123" * 16, "3210" * 16
    for folder in (empty_ladder.builds_folder, build_cache):
        for built in (ours, f"{ours}.123", other):
            (folder / built).mkdir(parents=True)
            (folder / built / "program").touch()
        (folder / f"{ours}.lock").touch()
    place = empty_ladder.folder / UPLOADS_FOLDER / "unknown"
    place.mkdir()
    (place / BUILD_MARKER).write_text(name)
    remove_leftovers(empty_ladder)
    assert not place.exists()
    left = {path.name for path in empty_ladder.builds_folder.iterdir()}
    gone = {ours, f"{ours}.123", f"{ours}.lock"}
    assert left == {other} | (set() if name == ours else gone)
    assert {path.name for path in build_cache.iterdir()} == {other} | gone, (
        "it is the operator's own"
    )


@pytest.mark.usefixtures("_impatient")
def test_the_build_of_a_version_stays(empty_ladder: Ladder) -> None:
    built = factories.add_version(empty_ladder, "ann").digest
    (empty_ladder.builds_folder / built).mkdir(parents=True)
    place = empty_ladder.folder / UPLOADS_FOLDER / "accepted"
    place.mkdir()
    (place / BUILD_MARKER).write_text(built)
    remove_leftovers(empty_ladder)
    assert (empty_ladder.builds_folder / built).is_dir()


def test_a_copy_without_its_empty_folders(empty_ladder: Ladder) -> None:
    for name in (BOTS_FOLDER, UPLOADS_FOLDER, LOGS_FOLDER):
        (empty_ladder.folder / name).rmdir()
    remove_leftovers(empty_ladder)
    assert all(
        (empty_ladder.folder / name).is_dir() for name in (BOTS_FOLDER, UPLOADS_FOLDER, LOGS_FOLDER)
    )


@pytest.mark.slow
def test_a_killed_worker_is_replaced(ladder: Ladder, tmp_path: Path) -> None:
    number = factories.upload_bot(ladder, factories.write_script(tmp_path))
    words = [sys.executable, "-m", "arena.ladder.submissions.worker", str(ladder.folder), number]
    before = factories.ladder_state(ladder.folder)
    with check_no_leftovers(TIMEOUT), subprocess.Popen(words, text=True) as process:
        wait_for(lambda: count_messages(ladder, number) > 6, process)
        process.send_signal(signal.SIGKILL)
    assert state(ladder, number) == "running"
    assert factories.ladder_state(ladder.folder) == before
    subprocess.run(words, check=True)
    assert state(ladder, number) == "accepted"
    assert factories.ladder_state(ladder.folder)["incoming"] == []


def count_messages(ladder: Ladder, number: str) -> int:
    with Registry.open(ladder.folder) as registry:
        return len(registry.messages(number))
