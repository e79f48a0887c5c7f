"""`arena demo` plays a small tournament and shows what came of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.commands import demo
from arena.ratings.cell import Cell
from arena.tournaments.config.keys import TableKeys
from arena.tournaments.config.tournament import Tournament, load_tournament
from tests.cli.invoke import invoke_arena
from tests.suite.tools import strip_sandbox_warning

pytestmark = pytest.mark.slow


def one_deal(file: Path) -> Tournament:
    """The tournament of the demo, with a single deal in a single cell."""
    tournament = load_tournament(file)
    assert tournament.name == "demo"
    return replace(
        tournament,
        cells=(Cell("sticheln", 3),),
        tables=TableKeys(sample=2),
        deals=1,
        seating="rotations",
    )


@pytest.fixture(autouse=True)
def shorter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the demo play less, and use temporary folders that can be looked at."""
    monkeypatch.setattr(demo, "load_tournament", one_deal)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_the_run_is_deleted_by_default(tmp_path: Path) -> None:
    done = invoke_arena("demo", "--workers", 1, columns=100)
    assert (done.exit_code, strip_sandbox_warning(done.stderr)) == (0, "")
    assert done.stdout.startswith("demo: 6 bots, 2 tables, 2 blocks, 6 games, on 1 core, sandbox ")
    assert "demo · sticheln, 3 seats · 2 blocks · 6 games\n" in done.stdout
    for bot in ("careful", "counter", "ducker", "first-legal", "lowest", "random"):
        assert f"  {bot}  " in done.stdout
    assert done.stdout.endswith(
        "The games are gone; with --out FOLDER they stay. Next: arena new my-bot\n"
    )
    assert not any(tmp_path.iterdir())


def test_the_run_is_kept_in_a_given_folder(tmp_path: Path) -> None:
    words = ("demo", "--workers", 1, "--out", tmp_path / "run")
    done = invoke_arena(*words, columns=200)
    assert (done.exit_code, strip_sandbox_warning(done.stderr)) == (0, "")
    assert f"2 blocks, 6 games in {tmp_path / 'run'}\n" in done.stdout
    assert "gone" not in done.stdout
    assert len(invoke_arena("games", tmp_path / "run").stdout.splitlines()) == 6
    again = invoke_arena(*words, columns=200)
    assert (again.exit_code, strip_sandbox_warning(again.stderr)) == (0, "")
    assert "6 games" in again.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["run"]
