"""What is dropped, and what never is."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.errors import ArenaError, BadRecord
from arena.ladder import cleanup, standings
from arena.ladder.folder import BOTS_FOLDER, Ladder
from arena.ladder.models import NightLimits, SubmissionMessage
from arena.ladder.night_lifecycle import summarize_night
from arena.ladder.registry import Registry
from arena.store.block import DROPPED_RECORDS, unpack_games
from arena.store.run import Run
from arena.store.search import game_id
from tests.cli.invoke import invoke_arena
from tests.ladder import factories
from tests.ladder.test_registry import make_submission
from tests.store.blocks import make_block

NAMES = ("ann", "bob", "cleo", "dan")
OLD = ("ann v1", "bob v1", "cleo v1")
MIXED = ("ann v1", "bob v1", "dan v1")


def season(ladder: Ladder, tables: list[tuple[str, ...]]) -> list[bytes]:
    """A night for each table, of a block with records; then three of four have new versions."""
    for name in NAMES:
        factories.add_version(ladder, name)
    keys = []
    for number, bots in enumerate(tables):
        with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
            night = registry.begin_night(NightLimits(round=8, games=3), bots)
            run.begin_session("code", 1, "none", night.salt)
            played = make_block(number, "stick-em", bots)
            run.add([played])
            registry.save_summary(night.number, summarize_night(ladder, registry, night, 1.0))
            registry.end_night(night.number)
        keys.append(played.key)
    for name in NAMES[:3]:
        factories.add_version(ladder, name, f"# {name} anew\n")
    return keys


def are_dropped(folder: Path, keys: list[bytes]) -> list[bool]:
    with Run.open(folder) as run:
        return [run.block(key).packed_games == DROPPED_RECORDS for key in keys]


def drop(ladder: Ladder, nights: int) -> int:
    with Run.open_for_writing(ladder.folder), Registry.open(ladder.folder) as registry:
        return cleanup.drop_old_records(registry, nights)


def test_old_records_without_active_versions_are_dropped(empty_ladder: Ladder) -> None:
    keys = season(empty_ladder, [OLD, MIXED, OLD, OLD])
    assert drop(empty_ladder, 4) == 0
    assert drop(empty_ladder, 100) == 0
    assert drop(empty_ladder, 2) == 1
    assert are_dropped(empty_ladder.folder, keys) == [True, False, False, False]
    assert drop(empty_ladder, 1) == 1
    assert are_dropped(empty_ladder.folder, keys) == [True, False, True, False]
    assert drop(empty_ladder, 1) == 0, "nothing is dropped twice"


def test_more_than_goes_into_one_transaction(
    empty_ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = season(empty_ladder, [OLD] * 5)
    monkeypatch.setattr(cleanup, "BLOCKS_PER_TRANSACTION", 2)
    assert drop(empty_ladder, 1) == 4
    assert are_dropped(empty_ladder.folder, keys) == [True] * 4 + [False]


def test_results_outlive_their_records(empty_ladder: Ladder) -> None:
    keys = season(empty_ladder, [OLD, OLD])
    cells = empty_ladder.settings.cells

    def figures() -> object:
        with Run.open(empty_ladder.folder) as run:
            rated = standings.cell_ratings(run, cells)[0].rating.mu.tolist()
            return rated, run.game_count(), [one.results for one in run.blocks()], list(run.games())

    before = figures()
    assert drop(empty_ladder, 1) == 1
    assert figures() == before
    with (
        Run.open(empty_ladder.folder) as run,
        pytest.raises(BadRecord, match=r"records .* were dropped"),
    ):
        unpack_games(run.block(keys[0]).packed_games)
    shown = invoke_arena("show", empty_ladder.folder, game_id(keys[0], 1))
    assert shown.exit_code == 2, shown.output
    assert "were dropped" in shown.stderr
    with closing(sqlite3.connect(empty_ladder.folder / "run.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_only_the_latest_logs_are_kept(empty_ladder: Ladder) -> None:
    for number in (1, 2, 9, 10, 11):
        cleanup.night_log(empty_ladder, number).touch()
    (empty_ladder.folder / "logs" / "mine.txt").touch()
    cleanup.remove_old_logs(empty_ladder)
    assert len(list((empty_ladder.folder / "logs").iterdir())) == 6
    cleanup.remove_old_logs(factories.change_settings(empty_ladder.folder, keep={"logs": 2}))
    names = {path.name for path in (empty_ladder.folder / "logs").iterdir()}
    assert names == {"night-00010.txt", "night-00011.txt", "mine.txt"}


def test_a_disk_that_is_nearly_full(empty_ladder: Ladder) -> None:
    cleanup.check_free_space(empty_ladder.folder, 1)
    said = rf"^{empty_ladder.folder}: only [0-9]+ MiB are free on its disk; it needs {1 << 40}$"
    with pytest.raises(ArenaError, match=said):
        cleanup.check_free_space(empty_ladder.folder, 1 << 60)


def test_messages_of_old_submissions_are_deleted(empty_ladder: Ladder) -> None:
    with Registry.open(empty_ladder.folder) as registry:
        for number in ("old", "new", "open"):
            registry.add_submission(make_submission(number))
            registry.add_message(number, SubmissionMessage(step="unpack", passed=True))
        registry.end_submission("old", "refused")
        registry.end_submission("new", "refused")
        then = (datetime.now(UTC) - timedelta(days=31)).isoformat(timespec="seconds")
        registry.write("UPDATE submission SET ended = ? WHERE id = 'old'", then)
        cleanup.drop_old_messages(registry)
        assert registry.messages("old") == []
        assert len(registry.messages("new")) == len(registry.messages("open")) == 1
        assert len(registry.submissions()) == 3


def kept_builds_and_files(ladder: Ladder) -> tuple[list[str], list[str]]:
    """Whose builds and files are there."""
    with Registry.open(ladder.folder) as registry:
        names = {one.digest: one.bot for one in registry.versions()}
    files = sorted(names[place.name] for place in (ladder.folder / BOTS_FOLDER).iterdir())
    builds = ladder.builds_folder.iterdir()
    return sorted({names[place.name.removesuffix(".lock")] for place in builds}), files


def test_builds_and_files_of_versions_that_play_no_more(empty_ladder: Ladder) -> None:
    """Builds go at once and files some nights later; what plays and what is ours stays."""
    ladder = factories.change_settings(empty_ladder.folder, keep={"files": 2})
    old = [factories.add_version(ladder, name) for name in ("ann", "bob")]
    mine = factories.add_version(ladder, "cleo", owner="")
    with Registry.open(ladder.folder) as registry:
        registry.write("UPDATE version SET state = 'retired', until = '2020' WHERE name <> 'ann'")
    new = factories.add_version(ladder, "ann", "# anew\n")
    for one in (*old, mine, new):
        (empty_ladder.build_folder(one.digest) / "deep").mkdir(parents=True)
    (empty_ladder.builds_folder / f"{old[0].digest}.lock").touch()
    everybody = ["ann v1", "ann v2", "bob v1", "cleo v1"]

    def remove() -> tuple[list[str], list[str]]:
        with Registry.open(ladder.folder) as registry:
            cleanup.remove_old_bots(ladder, registry)
        return kept_builds_and_files(ladder)

    with Registry.open(ladder.folder) as registry:
        night = registry.begin_night(NightLimits(round=8, games=3), ["ann v1", "bob v1"])
        assert remove() == (everybody, everybody), "the night may go on with them"
        registry.save_summary(night.number, summarize_night(ladder, registry, night, 1.0))
        registry.end_night(night.number)
        assert remove() == (["ann v2", "cleo v1"], everybody)
        night = registry.begin_night(NightLimits(round=8, games=3), ["ann v2"])
        registry.save_summary(night.number, summarize_night(ladder, registry, night, 1.0))
        registry.end_night(night.number)
        assert remove() == (["ann v2", "cleo v1"], ["ann v1", "ann v2", "cleo v1"])
        registry.write("UPDATE version SET until = '2020' WHERE bot = 'ann v1'")
        assert remove() == (["ann v2", "cleo v1"], ["ann v2", "cleo v1"])
    assert invoke_arena("ladder", "show", ladder.folder).exit_code == 0
