"""The folder of a ladder: made whole or not at all, and what in it may change."""

import os
import sqlite3
import stat
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import load_bot
from arena.bots.digest import bot_digest
from arena.errors import ArenaError, BadBot
from arena.ladder import registry_schema
from arena.ladder.folder import (
    BOTS_FOLDER,
    Ladder,
    anchor_bots,
    create_ladder_folder,
    install_version,
    make_read_only,
    open_ladder,
    upgrade_ladder,
)
from arena.ladder.registry import Registry
from arena.store.database import BadRun, lock_run, transaction
from arena.store.run import Run
from arena.store.schema import split_statements
from tests.cli.invoke import invoke_arena
from tests.ladder import factories
from tests.store.old_versions import create_old_run
from tests.web.ladders import serve_ladder


def test_the_created_files(tmp_path: Path) -> None:
    ladder = create_ladder_folder(tmp_path / "a" / "ladder", factories.ladder_yaml())
    names = {place.name for place in ladder.folder.iterdir()}
    assert names == {"bots", "incoming", "ladder.yaml", "logs", "run.db", "run.lock"}
    with Registry.open(ladder.folder) as registry:
        assert registry.versions() == []
    about = factories.read_header(ladder.folder)
    assert (about.name, about.bots) == ("small", ())
    assert len(about.seed) == 64, "it is drawn, and no file of the ladder says it"
    assert about.seed not in (ladder.folder / "ladder.yaml").read_text()
    assert create_ladder_folder(tmp_path / "b", factories.ladder_yaml()).folder.is_dir()
    assert factories.read_header(tmp_path / "b").seed != about.seed


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "ladder").mkdir()
    create_ladder_folder(tmp_path / "ladder", factories.ladder_yaml())
    with pytest.raises(ArenaError, match="is there and not empty; name a folder that is not"):
        create_ladder_folder(tmp_path / "ladder", factories.ladder_yaml())


def test_existing_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(ArenaError, match="is there and not empty"):
            create_ladder_folder(folder, factories.ladder_yaml())
    with pytest.raises(ArenaError, match="file/ladder cannot be written: Not a directory"):
        create_ladder_folder(tmp_path / "file" / "ladder", factories.ladder_yaml())
    with pytest.raises(ArenaError, match="cannot be made: File name too long"):
        create_ladder_folder(tmp_path / ("a" * 300), factories.ladder_yaml())
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ArenaError, match="link cannot be written: File exists"):
        create_ladder_folder(tmp_path / "link", factories.ladder_yaml())
    assert {place.name for place in tmp_path.iterdir()} == {"file", "link"}
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_that_cannot_be_written() -> None:
    with pytest.raises(ArenaError, match="/sys/ladder cannot be written: "):
        create_ladder_folder(
            Path("/sys/ladder"), factories.ladder_yaml()
        )  # where not even root may


def test_a_folder_that_bots_can_read(tmp_path: Path) -> None:
    """All of them see our Python and the system's programs."""
    seen = Path(sys.prefix, "lib")
    (tmp_path / "link").symlink_to(seen)
    for place in (seen / "ladder", tmp_path / "link" / "ladder", Path("/usr/src/ladder")):
        said = rf"^{place} lies in \S+, which all bots may read; use another folder$"
        with pytest.raises(ArenaError, match=said):
            create_ladder_folder(place, factories.ladder_yaml())
        with pytest.raises(ArenaError, match=said):
            open_ladder(place)
        assert not place.exists()


@pytest.mark.parametrize("there", [True, False])
def test_a_failed_creation_leaves_nothing(tmp_path: Path, *, there: bool) -> None:
    folder = tmp_path / "a" / "b"
    if there:
        folder.mkdir(parents=True)

    def interrupted(_ladder: Ladder) -> None:
        raise KeyboardInterrupt

    with pytest.raises(ArenaError, match=r"\$.variants: there is no variant 'skat'"):
        create_ladder_folder(folder, factories.ladder_yaml(variants="skat"))
    with pytest.raises(KeyboardInterrupt):
        create_ladder_folder(folder, factories.ladder_yaml(), interrupted)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == (
        sorted(["a", "a/b"]) if there else []
    )


def test_a_version_is_found_and_is_what_it_was(empty_ladder: Ladder) -> None:
    version = factories.add_version(empty_ladder, "ann")
    place = empty_ladder.version_path(version.digest)
    assert place == empty_ladder.folder / BOTS_FOLDER / version.digest / "ann.py"
    bot = empty_ladder.load_bot(version)
    assert (bot.name, bot.digest, bot.version) == (
        "ann v1",
        version.digest,
        version.digest[:12],
    )
    place.chmod(0o644)
    place.write_text("print('somebody else')")
    with pytest.raises(BadBot, match=r"^ann v1 is not what it was: \S+/ann.py changed$"):
        empty_ladder.load_bot(version)
    place.unlink()
    with pytest.raises(BadBot):
        empty_ladder.load_bot(version)
    place.parent.rmdir()
    with pytest.raises(BadBot, match="does not exist"):
        empty_ladder.load_bot(version)


def test_a_version_is_known_by_its_whole_digest(empty_ladder: Ladder) -> None:
    """A bot of which people see the same 12 digits is another one."""
    version = factories.add_version(empty_ladder, "ann")
    other = replace(version, digest=version.digest[:12] + "0" * 52)
    (empty_ladder.folder / BOTS_FOLDER / version.digest).rename(
        empty_ladder.folder / BOTS_FOLDER / other.digest
    )
    with pytest.raises(BadBot, match=r"^ann v1 is not what it was: \S+/ann.py changed$"):
        empty_ladder.load_bot(other)


def test_an_old_header_takes_whole_digests(empty_ladder: Ladder) -> None:
    version = factories.add_version(empty_ladder, "ann")
    with Run.open_beside(empty_ladder.folder) as run, transaction(run.connection):
        run.connection.execute("UPDATE bot SET version = substr(version, 1, 12)")
    assert [bot.version for bot in factories.read_header(empty_ladder.folder).bots] == [
        version.digest[:12]
    ]
    factories.add_version(empty_ladder, "bob")
    assert factories.read_header(empty_ladder.folder).bots[0].version == version.digest


def test_builds_are_not_those_of_the_operator(
    empty_ladder: Ladder, tmp_path: Path, build_cache: Path
) -> None:
    """Who has built the same without a sandbox, or what somebody has put there."""
    manifest = "name: ann\nrun: [./made]\nbuild: [./make.sh]\n"
    script = "#!/bin/sh\ncp make.sh made\n"
    bot = factories.write_bot_folder(tmp_path / "bot", manifest, make_sh=script)
    theirs = load_bot(bot)
    assert theirs.folder.parent == build_cache
    Path(theirs.argv[0]).write_text("#!/bin/sh\n# somebody else's\n")
    make_read_only(bot)
    install_version(empty_ladder, bot, theirs.digest)
    version = replace(factories.add_version(empty_ladder, "ann"), digest=theirs.digest)
    found = empty_ladder.load_bot(version)
    assert (
        found.folder
        == empty_ladder.builds_folder / version.digest
        == empty_ladder.folder / "builds" / version.digest
    )
    assert Path(found.argv[0]).read_text() == script
    assert empty_ladder.builds_folder.stat().st_mode & 0o777 == 0o700


def test_the_header_follows_from_versions(empty_ladder: Ladder) -> None:
    names = ("random", "ann", "bob")
    versions = [
        factories.add_version(empty_ladder, name, owner="" if name == "random" else name)
        for name in names
    ]
    about = factories.read_header(empty_ladder.folder)
    assert [(bot.name, bot.version) for bot in about.bots] == [
        (one.bot, one.digest) for one in versions
    ]
    assert all(Path(bot.path).exists() for bot in about.bots)
    assert about.rating == {"standing": "score", "anchors": ["random v1"]}
    assert anchor_bots(versions) == ("random v1",)
    moved = empty_ladder.folder.rename(empty_ladder.folder.with_name("elsewhere"))
    found = open_ladder(moved).run_header(versions, about.seed, about.created)
    assert all(Path(bot.path).is_relative_to(moved) for bot in found.bots)


def check_changes(ladder: Ladder, **changes: Any) -> None:
    """Look whether a ladder may go on with some keys changed."""
    changed = factories.change_settings(ladder.folder, **changes)
    with Run.open(ladder.folder) as run:
        changed.check_settings(run)


def needing(changes: dict[str, Any], *more: object) -> Any:
    """A case, which takes a sandbox if it is about one."""
    marks = [pytest.mark.needs("sandbox")] if "sandbox" in changes else []
    return pytest.param(changes, *more, marks=marks)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "clock": ({"clock": {"move": 2.0}}, "'clock' was {"),
    "cells": ({"seats": [4]}, "stick-em with 3 seats is gone"),
    "variants": ({"variants": "was-sticht"}, "stick-em with 3 seats is gone"),
    "limits": (
        {"sandbox": {"level": "standard", "memory": 64}},
        "the limits of 'sandbox' were as usual and are now {memory: 64}",
    ),
}
ALLOWED: dict[str, dict[str, Any]] = {
    "cells": {"seats": [3, 4]},
    "variants": {"variants": ["stick-em", "sticheln"]},
    "deals": {"deals": 24},
    "night": {"night": "5m"},
    "workers": {"workers": 1},
    "name": {"name": "another"},
    "standing": {"standing": "placement"},
    "sandbox": {"sandbox": "standard"},
    "rules for bots": {"retire": {"share": 0.5}, "placement": {"games": 12}, "keep": {"logs": 1}},
}


@pytest.mark.parametrize(
    ("changes", "said"), [needing(*case) for case in REFUSED.values()], ids=REFUSED.keys()
)
def test_terms_that_would_make_other_games(
    played_ladder: Ladder, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ArenaError) as error:
        check_changes(played_ladder, **changes)
    assert str(error.value).startswith(f"{played_ladder.folder}/ladder.yaml: {said}")
    assert str(error.value).endswith(
        "games under other terms do not compare: put it back, or make a new ladder"
    )


@pytest.mark.parametrize("changes", [*map(needing, ALLOWED.values())], ids=ALLOWED.keys())
def test_settings_that_may_always_change(played_ladder: Ladder, changes: dict[str, Any]) -> None:
    check_changes(played_ladder, **changes)


@pytest.mark.parametrize(
    "changes", [needing(changes) for changes, _ in REFUSED.values()], ids=REFUSED.keys()
)
def test_any_setting_may_change_before_the_first_game(
    empty_ladder: Ladder, changes: dict[str, Any]
) -> None:
    check_changes(empty_ladder, **changes)


def test_frozen_files(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    (bot / "inner").mkdir(parents=True)
    hidden = 0o400 if os.geteuid() else 0o000  # what its owner may not read has no digest
    for name, mode in (("run", 0o4777), ("bot.yaml", 0o600), ("inner/hidden", hidden)):
        (bot / name).write_text("x")
        (bot / name).chmod(mode)
    (bot / "inner").chmod(0o700)
    before = bot_digest(bot)
    make_read_only(bot)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in bot.rglob("*")}
    assert modes == {"run": 0o555, "bot.yaml": 0o444, "inner": 0o755, "hidden": 0o444}
    assert bot_digest(bot) == before


def test_half_installed_versions_are_replaced(empty_ladder: Ladder, tmp_path: Path) -> None:
    (empty_ladder.folder / BOTS_FOLDER / "digest").mkdir()
    (empty_ladder.folder / BOTS_FOLDER / "digest" / "half").touch()
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "whole").touch()
    place = install_version(empty_ladder, tmp_path / "bot", "digest")
    assert [path.name for path in place.iterdir()] == ["whole"]


def old_ladder(folder: Path) -> Ladder:
    """A ladder of the first version that there was, in which nothing was played."""
    ladder = factories.create_ladder(folder)
    head = factories.read_header(folder)
    for file in folder.glob("run.db*"):
        file.unlink()
    with closing(
        sqlite3.connect(create_old_run(folder, head, 1), isolation_level=None)
    ) as connection:
        for statement in split_statements(registry_schema.MIGRATIONS[0]):
            connection.execute(statement)
        connection.execute("INSERT INTO ladder VALUES (1, 1)")
    return ladder


@pytest.mark.parametrize(
    "words", [("ladder", "show"), ("ladder", "token"), ("ladder", "token", "ann")]
)
def test_commands_bring_a_ladder_of_an_older_version_up_to_date(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    folder = old_ladder(tmp_path / "ladder").folder
    group, name, *rest = words
    with closing(lock_run(folder)):
        done = invoke_arena(group, name, folder, *rest)
        assert done.exit_code == 2
        assert "made by an older version of arena" in done.stderr
        assert "is being played by process" in done.stderr
    done = invoke_arena(group, name, folder, *rest)
    assert done.exit_code == 0, done.stderr
    with Run.open_beside(folder) as run:
        assert not Registry.of_run(run).is_outdated()


@pytest.mark.slow
def test_a_server_brings_a_ladder_of_an_older_version_up_to_date(tmp_path: Path) -> None:
    folder = old_ladder(tmp_path / "ladder").folder
    with serve_ladder(folder) as there:
        assert there.line.startswith(f"http://127.0.0.1:{there.port}/ serves small, ")
        assert there.request("/healthz").status == 200


@pytest.mark.slow
def test_a_submission_brings_a_ladder_of_an_older_version_up_to_date(tmp_path: Path) -> None:
    folder = old_ladder(tmp_path / "ladder").folder
    done = invoke_arena(
        "submit", factories.write_script(tmp_path), "--to", folder, "--owner", "ann"
    )
    assert done.exit_code == 0, done.output


def test_tables_of_the_ladder_are_changed_under_its_lock(
    empty_ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        registry_schema, "MIGRATIONS", (*registry_schema.MIGRATIONS, "CREATE TABLE more (a);")
    )
    with (
        Run.open_for_writing(empty_ladder.folder),
        pytest.raises(BadRun, match="is being played by process"),
    ):
        upgrade_ladder(empty_ladder.folder)
    with Registry.open_read_only(empty_ladder.folder) as registry:
        assert registry.is_outdated()
    upgrade_ladder(empty_ladder.folder)
    upgrade_ladder(empty_ladder.folder)
    with Registry.open_read_only(empty_ladder.folder) as registry:
        assert registry.schema_version() == len(registry_schema.MIGRATIONS)
