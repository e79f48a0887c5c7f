"""`arena report` writes a site and says so; a mistake is one sentence."""

import json
import os
import sys
from pathlib import Path

import pytest

from arena.cli.commands.report import size_text
from tests.cli.hostile_text import HOSTILE_FILE_NAME, check_harmless, run_on_terminal
from tests.cli.invoke import invoke_arena
from tests.cli.runs import CELLS, create_run
from tests.conftest import RunArena
from tests.tournaments.small_runs import wait_for


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", cells=CELLS[:1], blocks=2)


def site_size(folder: Path) -> tuple[int, int]:
    """How many files a site has, and how many bytes."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return len(files), sum(file.stat().st_size for file in files)


def test_the_printed_summary(friday: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = invoke_arena("report", friday, "-o", site)
    assert (done.exit_code, done.stderr) == (0, "")
    files, size = site_size(site)
    assert done.stdout == f"{site}/index.html: {files} files, {size / 1e6:.1f} MB\n"


def test_json(friday: Path, tmp_path: Path) -> None:
    done = invoke_arena("report", friday, "--out", tmp_path / "site", "--json")
    files, size = site_size(tmp_path / "site")
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "index": str(tmp_path / "site" / "index.html"),
        "files": files,
        "bytes": size,
    }


def test_quiet(friday: Path, tmp_path: Path) -> None:
    done = invoke_arena("report", friday, "-o", tmp_path / "site", "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert site_size(tmp_path / "site")[0] > 50


def test_a_report_can_be_written_again(friday: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert invoke_arena("report", friday, "-o", tmp_path / "site").exit_code == 0
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


@pytest.mark.slow
def test_the_only_run_into_the_usual_folder(
    friday: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "there is no run under runs" in report_error("report")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one").symlink_to(friday)
    done = invoke_arena("report")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("site/index.html: ")
    assert invoke_arena("report", "one").exit_code == 0  # by its name
    assert invoke_arena("report", "runs/one/run.db").exit_code == 0  # or its file
    (tmp_path / "runs" / "two").symlink_to(friday)
    assert "which run? There are 2: runs/one and runs/two" in report_error("report")


def report_error(*words: object) -> str:
    """What is said of a mistake: one sentence."""
    done = invoke_arena(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_bad_run(tmp_path: Path) -> None:
    assert "is not a run" in report_error("report", tmp_path / "none", "-o", tmp_path / "site")
    (tmp_path / "run.db").write_bytes(b"noise" * 1000)
    assert "not the file of a run" in report_error("report", tmp_path, "-o", tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("file", "is not a folder"),
        ("full", "contains files that are not a report"),
        ("file/site", "cannot be written: "),
        ("", "is replaced as a whole; run the command outside of it"),
    ],
)
def test_invalid_target_folders(
    friday: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, said: str
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    assert said in report_error("report", friday, "-o", tmp_path / place)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "full"]
    assert (tmp_path / "full" / "letter.txt").read_text() == "mine"


def test_the_target_is_checked_before_the_survey(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    assert "is not a folder" in report_error("report", tmp_path / "no-run", "-o", tmp_path / "site")


@pytest.mark.slow
def test_it_is_opened_in_a_browser(run_arena: RunArena, friday: Path, tmp_path: Path) -> None:
    """By an address that is whole, whatever the folder is called."""
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(
        f"#!{sys.executable}\nimport pathlib, sys\n"
        f"pathlib.Path({str(seen)!r}).write_text(sys.argv[1])\n"
    )
    browser.chmod(0o755)
    words = ("report", str(friday), "-o", "my site #1", "--open")
    done = run_arena(*words, folder=tmp_path, BROWSER=f"{browser} %s")
    assert (done.returncode, done.stderr) == (0, "")
    wait_for(lambda: seen.exists() and seen.read_text())
    assert seen.read_text() == (tmp_path / "my site #1" / "index.html").as_uri()
    assert "%23" in seen.read_text()


@pytest.mark.slow
def test_opening_without_a_browser(run_arena: RunArena, friday: Path, tmp_path: Path) -> None:
    done = run_arena(
        *("report", str(friday), "-o", str(tmp_path / "site"), "--open"),
        BROWSER="false",
        DISPLAY="",
        WAYLAND_DISPLAY="",
        PATH=os.fspath(tmp_path),
    )
    assert done.returncode == 0
    assert done.stderr == "No browser was found; open it yourself.\n"
    assert done.stdout.startswith(f"{tmp_path}/site/index.html: ")


@pytest.mark.slow
def test_nasty_names(tmp_path: Path) -> None:
    run = create_run(tmp_path / HOSTILE_FILE_NAME, cells=CELLS[:1], blocks=1)
    done = invoke_arena("report", run, "-o", tmp_path / f"site{HOSTILE_FILE_NAME}")
    check_harmless(done.stdout)
    assert done.stderr == ""
    shown = run_on_terminal(["report", run, "-o", tmp_path / f"site{HOSTILE_FILE_NAME}"], tmp_path)
    assert "index.html" in check_harmless(shown, terminal=True)
    wrong = invoke_arena("report", run, "-o", run).stderr
    assert wrong.startswith("Error: ")
    check_harmless(wrong)


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0 kB"), (99_400, "99 kB"), (100_000, "0.1 MB"), (1_234_567_890, "1,234.6 MB")],
)
def test_sizes(size: int, said: str) -> None:
    assert size_text(size) == said
