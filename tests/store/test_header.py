"""The header of a run."""

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.store.database import BadRun
from arena.store.header import Entrant, RunHeader, canonical_json
from arena.store.run import Run
from tests.store.blocks import BOTS, make_block, make_header
from tests.store.unwritable_folders import ROOT


def test_a_new_run(tmp_path: Path) -> None:
    about = make_header(
        text="name: fri\r\nday ü\n", settings={"clock": {"move": 0.1}, "x": [1, None]}
    )
    with Run.create(tmp_path / "deep" / "run", about) as run:
        assert run.header == about
        assert run.block_keys() == set()
    assert (tmp_path / "deep" / "run" / "tournament.yaml").read_bytes() == about.text.encode()
    with Run.open(tmp_path / "deep" / "run") as run:
        assert run.header == about
    assert sorted(path.name for path in (tmp_path / "deep" / "run").glob("*.new*")) == []


def test_a_folder_that_has_one(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()) as run:
        run.add([make_block()])
    with pytest.raises(BadRun, match="holds a run already; name another folder"):
        Run.create(tmp_path, make_header(name="other"))
    with Run.open(tmp_path) as run:
        assert run.header == make_header()
        assert len(run.block_keys()) == 1


def test_leftovers_of_a_creation_are_ignored(tmp_path: Path) -> None:
    for name in ("run.db.new", "run.db.new-journal", "tournament.yaml.new"):
        (tmp_path / name).write_text("rubbish")
    Run.create(tmp_path, make_header()).close()
    assert {path.name for path in tmp_path.iterdir()} == {"run.db", "run.lock", "tournament.yaml"}


def test_folders_that_are_not_runs(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, why in (
        ("none", "there is no such folder"),
        ("", "it has no run.db"),
        ("file", "there is no such folder"),
    ):
        for use in (Run.open, Run.open_for_writing):
            with pytest.raises(BadRun, match=f"{name} is no run: {why}; name a folder that arena"):
                use(tmp_path / name)


def test_folders_that_cannot_become_runs(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadRun, match="cannot be made: "):
        Run.create(tmp_path / "file" / "run", make_header())


def test_more_bots_and_deals(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()) as run:
        run.add([make_block()])
        more = make_header(["zoe", *BOTS], text="new", settings={"deals": 9}, rating={})
        run.update(more)
        run.add([make_block(1, bots=("zoe", "eve", "ann"))])
    assert (tmp_path / "tournament.yaml").read_text() == "new"
    with Run.open(tmp_path) as run:
        assert run.header == more
        assert len(run.block_keys()) == 2


def test_bots_that_have_played(tmp_path: Path) -> None:
    changed = replace(
        make_header(), bots=(Entrant("ann", "2", "/bots/ann"), *make_header().bots[1:])
    )
    with Run.create(tmp_path, make_header()) as run:
        run.add([make_block()])
        with pytest.raises(BadRun, match="'ann' has played as version 1 and is now 2; give it"):
            run.update(changed)
        with pytest.raises(BadRun, match="'ann' has played and cannot leave"):
            run.update(make_header(BOTS[1:]))
        assert run.header == make_header()
    with Run.open(tmp_path) as run:
        assert run.header == make_header()


def test_digests_and_the_digits_of_old_runs(tmp_path: Path) -> None:
    """A run that has 12 digits of a bot takes its whole digest, and no other after that."""
    first, other = ("0123456789ab" + each * 52 for each in "0f")

    def about(version: str) -> RunHeader:
        return replace(
            make_header(), bots=(Entrant("ann", version, "/bots/ann"), *make_header().bots[1:])
        )

    with Run.create(tmp_path, about(first[:12])) as run:
        run.add([make_block()])
        with pytest.raises(BadRun, match="'ann' has played as version 0123456789ab and is now e"):
            run.update(about("e" * 64))
        with pytest.raises(BadRun, match="'ann' has played as version 0123456789ab"):
            run.update(about(first[:11]))
        run.update(about(first))
        with pytest.raises(BadRun, match="'ann' has played as version 0123456789ab"):
            run.update(about(other))
    with Run.open(tmp_path) as run:
        assert run.header == about(first)


def test_bots_that_have_not_played(tmp_path: Path) -> None:
    moved = tuple(
        Entrant(bot.name, "2" if bot.name == "eve" else "1", "/x") for bot in make_header().bots
    )
    about = replace(make_header(), bots=tuple(bot for bot in moved if bot.name != "dan"))
    with Run.create(tmp_path, make_header()) as run:
        run.add([make_block()])
        run.update(about)
    with Run.open(tmp_path) as run:
        assert run.header == about


def test_readers_do_not_write(tmp_path: Path) -> None:
    Run.create(tmp_path, make_header()).close()
    with Run.open(tmp_path) as run:
        for use in (
            lambda: run.add([make_block()]),
            lambda: run.update(make_header()),
            lambda: run.begin_session("code", 1),
        ):
            with pytest.raises(BadRun, match="opened to be read only"):
                use()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stride", "least"), [(31, 5), pytest.param(3, 50, marks=pytest.mark.soak)]
)
def test_killed_at_any_moment_of_its_creation(stride: int, least: int, tmp_path: Path) -> None:
    """Most of the calls only put names of files together, so not all of them are tried."""
    crashes = [sys.executable, "-m", "tests.store.crash_points"]
    argv = [*crashes, "creating", str(tmp_path / "run"), str(stride)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr == ""
    assert int(done.stdout) > least, "so often it was killed"


def test_two_bots_of_one_name() -> None:
    with pytest.raises(BadRun, match="two bots are called 'ann'; give one of them another name"):
        make_header(["ann", "bob", "ann"])


def test_canonical() -> None:
    assert (
        canonical_json({"b": [1, {"d": 1, "c": 2}], "a": "ü"}) == '{"a":"ü","b":[1,{"c":2,"d":1}]}'
    )
