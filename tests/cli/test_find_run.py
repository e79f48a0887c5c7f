"""A run is found by its folder, its file, or its name under runs/."""

from pathlib import Path

import pytest

from arena.cli.find_run import UnknownRun, find_run_folder
from arena.store.run import Run
from tests.store.blocks import make_header


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with one run."""
    Run.create(tmp_path / "runs" / "friday", make_header()).close()
    (tmp_path / "notes").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)


def test_runs_that_are_found() -> None:
    for named in ("runs/friday", "runs/friday/run.db", "friday"):
        assert find_run_folder(Path(named)) == Path("runs/friday")
    Run.create(Path("friday"), make_header()).close()
    assert find_run_folder(Path("friday")) == Path("friday"), "what is here comes first"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("fryday", "there is no run 'fryday'; did you mean runs/friday?"),
        ("runs/fridy", "runs/fridy is not a run; did you mean runs/friday?"),
        ("else", "there is no run 'else'; a run is a folder with run.db, which arena run makes"),
        ("notes", "notes is not a run; a run is a folder with run.db"),
        ("file", "file is not a run; a run is a folder with run.db"),
        ("file/deeper", "file/deeper is not a run"),
        ("x" * 5000, "there is no run 'xxx"),
        ("a\x1b", "there is no run 'a␛'"),
    ],
)
def test_runs_that_are_not_found(named: str, said: str) -> None:
    with pytest.raises(UnknownRun) as told:
        find_run_folder(Path(named))
    assert str(told.value).startswith(said)
