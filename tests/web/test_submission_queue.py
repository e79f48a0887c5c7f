"""Owners take turns, no submission is lost, and none waits for ever."""

import asyncio
import errno
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.ladder import limits
from arena.ladder.folder import UPLOADS_FOLDER
from arena.ladder.registry import Registry
from arena.ladder.submissions.pipeline import BUILD_MARKER
from arena.ladder.submissions.worker import lock_submission
from arena.web import submission_queue
from arena.web.submission_process import SubmissionProcess
from arena.web.submission_queue import SubmissionQueue
from tests.web.ladders import add_submission, create_ladder
from tests.web.server_process import TIMEOUT


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    return create_ladder(tmp_path / "ladder")


def order(folder: Path, owners: str, **served: str) -> str:
    """In which order submissions of these owners come to their turn; some had one before."""
    for owner, when in served.items():
        add_submission(folder, f"old-{owner}", owner, "accepted", begun=when)
    names = {
        add_submission(folder, f"n{number}", owner).id: owner for number, owner in enumerate(owners)
    }
    found = ""
    queue = SubmissionQueue(folder)
    clock = iter(range(100))
    while chosen := queue.choose_submission(frozenset()):
        with Registry.open(folder) as registry:
            registry.write(
                "UPDATE submission SET state = 'accepted', begun = ? WHERE id = ?",
                f"2030-02-01T00:00:{next(clock):02}+00:00",
                chosen,
            )
        found += names[chosen]
    return found


@pytest.mark.parametrize(
    ("owners", "turn"),
    [("a", "a"), ("abc", "abc"), ("aaaab", "abaaa"), ("aaabbc", "abcaba"), ("aabbab", "ababab")],
)
def test_owners_take_turns(ladder: Path, owners: str, turn: str) -> None:
    assert order(ladder, owners) == turn


def test_the_owner_who_waited_longest_is_first(ladder: Path) -> None:
    assert order(ladder, "abc", a="2030-01-03", b="2030-01-01", c="2030-01-02") == "bca"


def test_interrupted_submissions_are_first(ladder: Path) -> None:
    add_submission(ladder, "new", "bob")
    begun = add_submission(ladder, "begun", "ann", "running", begun="2030-01-01")
    assert SubmissionQueue(ladder).choose_submission(frozenset()) == begun.id
    assert SubmissionQueue(ladder).choose_submission(frozenset({begun.id})) == "new".ljust(22, "x")


def test_submissions_of_other_processes_are_skipped(ladder: Path) -> None:
    one = add_submission(ladder, "one", "ann", "running", begun="2030-01-01")
    with lock_submission(ladder / UPLOADS_FOLDER / one.id):
        assert SubmissionQueue(ladder).choose_submission(frozenset()) is None
    assert SubmissionQueue(ladder).choose_submission(frozenset()) == one.id


def fate(folder: Path, number: str) -> tuple[str, list[str]]:
    with Registry.open(folder) as registry:
        found = registry.submission(number)
        assert found
        return found.state, [said.text for said in registry.messages(number)]


def tries(folder: Path, number: str) -> int:
    with Registry.open(folder) as registry:
        found = registry.submission(number)
        assert found
        return found.tries


@pytest.mark.slow
def test_a_worker_that_takes_too_long(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, whoever sent it is told, and neither files nor a build are left."""
    monkeypatch.setattr(limits, "submission_seconds", lambda _settings: 0.0)
    monkeypatch.setattr(submission_queue, "GRACE_SECONDS", 0.0)
    build = ladder / "builds" / ("0123456789abcdef" * 4)
    build.mkdir(parents=True)
    one = add_submission(ladder, "one")
    (ladder / UPLOADS_FOLDER / one.id / BUILD_MARKER).write_text(build.name)
    asyncio.run(SubmissionQueue(ladder).run_submission(one.id))
    state, (said,) = fate(ladder, one.id)
    assert state == "refused"
    assert said.startswith("it took longer than 0 s, which is enough for a bot that thinks 1 s ")
    assert not (ladder / UPLOADS_FOLDER / one.id).exists()
    assert not build.exists()


def test_a_worker_that_ends_without_a_result(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is begun again by whatever server there is, and given up after the last try."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    one = add_submission(ladder, "one")
    for number in (1, 2):
        asyncio.run(SubmissionQueue(ladder).run_submission(one.id))
        assert (fate(ladder, one.id)[0], tries(ladder, one.id)) == ("waiting", number)
    asyncio.run(SubmissionQueue(ladder).run_submission(one.id))
    assert fate(ladder, one.id) == ("broken", [submission_queue.GIVE_UP_TEXT])
    assert "ended 3 times without a result" in submission_queue.GIVE_UP_TEXT
    assert not (ladder / UPLOADS_FOLDER / one.id).exists()


def test_a_submission_with_which_servers_died(ladder: Path) -> None:
    """No process is started for it any more."""
    one = add_submission(
        ladder, "one", "ann", "running", begun="2030-01-01", tries=submission_queue.MAX_TRIES
    )
    asyncio.run(SubmissionQueue(ladder).run_submission(one.id))
    assert fate(ladder, one.id) == ("broken", [submission_queue.GIVE_UP_TEXT])


def test_settings_that_cannot_be_read(ladder: Path) -> None:
    """No submission pays for them: it waits until somebody has mended the file."""
    one = add_submission(ladder, "one")
    (ladder / "ladder.yaml").write_text("nothing: of this")
    for _ in range(submission_queue.MAX_TRIES + 1):
        with pytest.raises(ArenaError, match="there is no key 'nothing'"):
            asyncio.run(SubmissionQueue(ladder).run_submission(one.id))
    assert (fate(ladder, one.id), tries(ladder, one.id)) == (("waiting", []), 0)


def test_errors_do_not_stop_the_queue(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong, the next one is worked on; and what is worked on is known."""
    monkeypatch.setattr(submission_queue, "RETRY_SECONDS", 0.01)
    first, second = add_submission(ladder, "first"), add_submission(ladder, "second", "bob")
    tried: list[str] = []
    seen: list[set[str]] = []

    class Trouble(SubmissionQueue):
        async def run_submission(self, submission_id: str) -> None:
            tried.append(submission_id)
            seen.append(set(self.running))
            if len(tried) == 1:
                raise ZeroDivisionError
            with Registry.open(self.folder) as registry:
                registry.end_submission(submission_id, "refused")

    async def work() -> None:
        queue = Trouble(ladder)
        task = asyncio.create_task(queue.run_workers())
        async with asyncio.timeout(TIMEOUT):
            while len(tried) < 3:
                await asyncio.sleep(0.01)
            third = add_submission(ladder, "third")
            queue.wake()
            while third.id not in tried:
                await asyncio.sleep(0.01)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert queue.running == set()

    asyncio.run(work())
    assert tried[:3] == [first.id, first.id, second.id]
    assert seen == [{number} for number in tried]


def without_files() -> OSError:
    """The error of a process whose connections hold all the files that it may have open."""
    return OSError(errno.EMFILE, os.strerror(errno.EMFILE), "incoming")


async def run_queue_until(queue: SubmissionQueue, happened: Callable[[], object]) -> None:
    """Let submissions come to their turn until something has happened."""
    task = asyncio.create_task(queue.run_workers())
    async with asyncio.timeout(TIMEOUT):
        while not happened():
            await asyncio.sleep(0.01)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def check_short(records: list[logging.LogRecord], count: int) -> None:
    """Check that the missing files are reported in so many lines, without a traceback."""
    said = [record for record in records if record.name == submission_queue.__name__]
    assert [record.getMessage() for record in said] == [str(without_files())] * count
    assert not any(record.exc_info for record in said)


def test_without_files_it_tidies_up_later(
    ladder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As soon as there are files again, not an hour later; and once."""
    monkeypatch.setattr(submission_queue, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(submission_queue, "POLL_SECONDS", 0.01)
    swept: list[str] = []
    looks: list[str | None] = []

    def sweep(_: object) -> None:
        swept.append("again" if swept else "first")
        if len(swept) < 3:
            raise without_files()

    class Looking(SubmissionQueue):
        def choose_submission(self, running: frozenset[str]) -> str | None:
            looks.append(super().choose_submission(running))
            return looks[-1]

    monkeypatch.setattr(submission_queue, "remove_leftovers", sweep)
    asyncio.run(run_queue_until(Looking(ladder), lambda: len(looks) > 6))
    assert swept == ["first", "again", "again"]
    check_short(caplog.records, 2)


def test_a_worker_that_cannot_be_started(
    ladder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The submission does not pay for it: that is no try."""
    monkeypatch.setattr(submission_queue, "RETRY_SECONDS", 0.01)
    started: list[str] = []

    async def start(_: Path, number: str) -> SubmissionProcess:
        started.append(number)
        if len(started) > submission_queue.MAX_TRIES + 1:
            await asyncio.sleep(TIMEOUT)
        raise without_files()

    monkeypatch.setattr(SubmissionProcess, "start", start)
    one = add_submission(ladder, "one")
    asyncio.run(
        run_queue_until(
            SubmissionQueue(ladder), lambda: len(started) > submission_queue.MAX_TRIES + 1
        )
    )
    assert fate(ladder, one.id) == ("waiting", [])
    assert tries(ladder, one.id) == 1, "only the one that goes on"
    check_short(caplog.records, submission_queue.MAX_TRIES + 1)


def test_stopping_kills_the_worker(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its worker is killed too, and it is left for the next time."""
    waits: list[str] = []
    ends: list[str] = []

    class Slow(SubmissionProcess):
        def __init__(self, number: str) -> None:
            self.number = number

        async def wait_or_kill(self, seconds: float) -> bool:
            waits.append(self.number)
            await asyncio.sleep(seconds)
            return False

        async def kill(self) -> None:
            ends.append(self.number)

    async def start(_: Path, number: str) -> Slow:
        return Slow(number)

    monkeypatch.setattr(SubmissionProcess, "start", start)
    one = add_submission(ladder, "one")
    asyncio.run(run_queue_until(SubmissionQueue(ladder), lambda: waits))
    assert ends == [one.id]
    assert fate(ladder, one.id)[0] == "waiting"
    assert tries(ladder, one.id) == 0, "a server that ends in an orderly way is no try"
