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
from tests.cli.runs import asked
from tests.ladder import factories
from tests.ladder.test_registry import submission
from tests.store.blocks import block

NAMES = ("ann", "bob", "cleo", "dan")
OLD = ("ann v1", "bob v1", "cleo v1")
MIXED = ("ann v1", "bob v1", "dan v1")


def season(ladder: Ladder, tables: list[tuple[str, ...]]) -> list[bytes]:
    """A night for each table, of a block with records; then three of four have new versions."""
    for name in NAMES:
        factories.join(ladder, name)
    keys = []
    for number, bots in enumerate(tables):
        with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
            night = registry.begin_night(NightLimits(round=8, games=3), bots)
            run.begin_session("code", 1, "none", night.salt)
            played = block(number, "stick-em", bots)
            run.add([played])
            registry.save_summary(night.number, summarize_night(ladder, registry, night, 1.0))
            registry.end_night(night.number)
        keys.append(played.key)
    for name in NAMES[:3]:
        factories.join(ladder, name, f"# {name} anew\n")
    return keys


def gone(folder: Path, keys: list[bytes]) -> list[bool]:
    with Run.open(folder) as run:
        return [run.block(key).packed_games == DROPPED_RECORDS for key in keys]


def drop(ladder: Ladder, nights: int) -> int:
    with Run.open_for_writing(ladder.folder), Registry.open(ladder.folder) as registry:
        return cleanup.drop_old_records(registry, nights)


def test_records_are_dropped_where_nobody_is_active_and_only_old_ones(bare: Ladder) -> None:
    keys = season(bare, [OLD, MIXED, OLD, OLD])
    assert drop(bare, 4) == 0
    assert drop(bare, 100) == 0
    assert drop(bare, 2) == 1
    assert gone(bare.folder, keys) == [True, False, False, False]
    assert drop(bare, 1) == 1
    assert gone(bare.folder, keys) == [True, False, True, False]
    assert drop(bare, 1) == 0, "nothing is dropped twice"


def test_more_than_goes_into_one_transaction(bare: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = season(bare, [OLD] * 5)
    monkeypatch.setattr(cleanup, "BLOCKS_PER_TRANSACTION", 2)
    assert drop(bare, 1) == 4
    assert gone(bare.folder, keys) == [True] * 4 + [False]


def test_what_games_came_to_stays(bare: Ladder) -> None:
    keys = season(bare, [OLD, OLD])
    cells = bare.settings.cells

    def figures() -> object:
        with Run.open(bare.folder) as run:
            rated = standings.cell_ratings(run, cells)[0].rating.mu.tolist()
            return rated, run.game_count(), [one.results for one in run.blocks()], list(run.games())

    before = figures()
    assert drop(bare, 1) == 1
    assert figures() == before
    with Run.open(bare.folder) as run, pytest.raises(BadRecord, match=r"records .* were dropped"):
        unpack_games(run.block(keys[0]).packed_games)
    shown = asked("show", bare.folder, game_id(keys[0], 1))
    assert shown.exit_code == 2, shown.output
    assert "were dropped" in shown.stderr
    with closing(sqlite3.connect(bare.folder / "run.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_only_the_latest_logs_are_kept(bare: Ladder) -> None:
    for number in (1, 2, 9, 10, 11):
        cleanup.night_log(bare, number).touch()
    (bare.folder / "logs" / "mine.txt").touch()
    cleanup.remove_old_logs(bare)
    assert len(list((bare.folder / "logs").iterdir())) == 6
    cleanup.remove_old_logs(factories.change(bare.folder, keep={"logs": 2}))
    names = {path.name for path in (bare.folder / "logs").iterdir()}
    assert names == {"night-00010.txt", "night-00011.txt", "mine.txt"}


def test_a_disk_that_is_nearly_full(bare: Ladder) -> None:
    cleanup.check_free_space(bare.folder, 1)
    said = rf"^{bare.folder}: only [0-9]+ MiB are free on its disk; make room for {1 << 40}$"
    with pytest.raises(ArenaError, match=said):
        cleanup.check_free_space(bare.folder, 1 << 60)


def test_answers_are_forgotten_but_not_that_something_was_sent(bare: Ladder) -> None:
    with Registry.open(bare.folder) as registry:
        for number in ("old", "new", "open"):
            registry.add_submission(submission(number))
            registry.add_message(number, SubmissionMessage(step="unpack", passed=True))
        registry.end_submission("old", "refused")
        registry.end_submission("new", "refused")
        then = (datetime.now(UTC) - timedelta(days=31)).isoformat(timespec="seconds")
        registry.write("UPDATE submission SET ended = ? WHERE id = 'old'", then)
        cleanup.drop_old_messages(registry)
        assert registry.messages("old") == []
        assert len(registry.messages("new")) == len(registry.messages("open")) == 1
        assert len(registry.submissions()) == 3


def left(ladder: Ladder) -> tuple[list[str], list[str]]:
    """Whose builds and files are there."""
    with Registry.open(ladder.folder) as registry:
        names = {one.digest: one.bot for one in registry.versions()}
    files = sorted(names[place.name] for place in (ladder.folder / BOTS_FOLDER).iterdir())
    builds = ladder.builds_folder.iterdir()
    return sorted({names[place.name.removesuffix(".lock")] for place in builds}), files


def test_builds_and_files_of_versions_that_play_no_more(bare: Ladder) -> None:
    """Builds go at once and files some nights later; what plays and what is ours stays."""
    ladder = factories.change(bare.folder, keep={"files": 2})
    old = [factories.join(ladder, name) for name in ("ann", "bob")]
    mine = factories.join(ladder, "cleo", owner="")
    with Registry.open(ladder.folder) as registry:
        registry.write("UPDATE version SET state = 'retired', until = '2020' WHERE name <> 'ann'")
    new = factories.join(ladder, "ann", "# anew\n")
    for one in (*old, mine, new):
        (bare.build_folder(one.digest) / "deep").mkdir(parents=True)
    (bare.builds_folder / f"{old[0].digest}.lock").touch()
    everybody = ["ann v1", "ann v2", "bob v1", "cleo v1"]

    def remove() -> tuple[list[str], list[str]]:
        with Registry.open(ladder.folder) as registry:
            cleanup.remove_old_bots(ladder, registry)
        return left(ladder)

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
    assert asked("ladder", "show", ladder.folder).exit_code == 0
